package selection

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
)

// A copy of a row in another fold, or among the rows that remain when it is left out, reveals its target to a learner. Therefore a
// search uses the distinct rows, each once with a weight, and its folds keep equal rows together. The learner is fitted to all
// rows, because it needs the targets of equal rows.
//
// Rows of a few categories are often equal because there are few possible rows, and the agreement of their targets is the best
// information about the noise. With default settings they are divided among parts (distinct.Parts), and one part is left out at a
// time.

// merge returns the distinct preprocessed rows with weights of mean 1. It also returns the rows for learners, which have the same
// weights if the learners accept weights.
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
