package selection

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
)

// A copy of a row in another part, or among the rows that remain when it is left out, tells a learner its target. So a
// search sees the distinct rows, each once with a weight, and its folds keep equal rows together. The learner is fitted
// on all rows given, because it has to know what equal rows have for targets.
//
// Rows of few values, such as a few categories, are equal because there are no others, and that their targets agree is the best that is
// known of them. With nothing set they are dealt to parts (distinct.Parts), of which one is left out at a time.

// merge returns the distinct ones of the preprocessed rows, with weights of mean 1, and what is given to learners: the
// same weights, if they take any.
func (c engine[Y, E]) merge(rows *mat.Dense, given folds.Rows[Y]) (*distinct.Rows, folds.Rows[Y]) {
	merged := distinct.MergeParts(rows, c.parts, given.Weights).Relative()
	if given.Weights != nil || merged.Repeated() && c.takesWeights() {
		given.Weights = merged.GivenWeights()
	}
	return merged, given
}

func (c engine[Y, E]) takesWeights() bool {
	return !slices.ContainsFunc(c.space.samples(), func(e E) bool {
		return any(e) == nil || !estimators.Supports(e, estimators.Weighted)
	})
}
