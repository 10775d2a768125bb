package methods

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// Budgeted is the method that may use as many seconds as the method BudgetOf on the same split.
const Budgeted, BudgetOf = "selection-budget", "catboost-tuned"

// oneHotLevels is the number of levels up to which a category becomes columns of 0 and 1, for estimators without categories of their
// own. A category with more levels becomes their mean targets. peers/cells.py has the same number.
const oneHotLevels = 30

// onTableRegressor returns an estimator that accepts the categories and gaps of the rows. It sets the Budget of a
// selection.Regressor to the allowance.
func (p Problem) onTableRegressor(e estimators.Regressor) estimators.Regressor {
	if s, ok := e.(*selection.Regressor); ok && p.Allowance > 0 {
		s.Budget = p.Allowance
	}
	if p.isPlain() || p.acceptsTables(e) {
		return e
	}
	return &pipeline.Regressor{Steps: []transformers.Transformer{p.encoder()}, Final: e}
}

func (p Problem) onTableClassifier(e estimators.Classifier) estimators.Classifier {
	if s, ok := e.(*selection.Classifier); ok && p.Allowance > 0 {
		s.Budget = p.Allowance
	}
	if p.isPlain() || p.acceptsTables(e) {
		return e
	}
	return &pipeline.Classifier{Steps: []transformers.Transformer{p.encoder()}, Final: e}
}

// isPlain reports whether the rows have neither categories nor gaps.
func (p Problem) isPlain() bool {
	return len(p.Categories) == 0 && !slices.ContainsFunc(p.X.RawMatrix().Data, math.IsNaN) &&
		!slices.ContainsFunc(p.Test.RawMatrix().Data, math.IsNaN)
}

// acceptsTables reports whether an estimator handles categories and gaps itself, and sets its categories. The models of a stack are
// prepared one by one.
func (p Problem) acceptsTables(e any) bool {
	switch e := e.(type) {
	case *selection.Regressor, *selection.Classifier:
		estimators.SetCategories(e, p.Categories)
	case *stacking.Regressor:
		for i, m := range e.Models {
			e.Models[i] = p.onTableRegressor(m)
		}
	case *stacking.Classifier:
		for i, m := range e.Models {
			e.Models[i] = p.onTableClassifier(m)
		}
	default:
		return false
	}
	return true
}

// encoder returns a transformer that replaces categories by numbers and fills gaps.
func (p Problem) encoder() transformers.Transformer {
	_, d := p.X.Dims()
	var few, many, rest []int
	for j := range d {
		switch {
		case !slices.Contains(p.Categories, j):
			rest = append(rest, j)
		case levels(p.X, j) <= oneHotLevels:
			few = append(few, j)
		default:
			many = append(many, j)
		}
	}
	out := &pipeline.ColumnTransformer{}
	for _, part := range []pipeline.ColumnPart{
		{Columns: few, Of: &columnwise.OneHot{Gaps: true}},
		{Columns: many, Of: &columnwise.TargetEncoder{Seed: p.Seed}},
		{Columns: rest, Of: &columnwise.Imputer{Statistic: columnwise.Median, Indicators: true}},
	} {
		if len(part.Columns) > 0 {
			out.Parts = append(out.Parts, part)
		}
	}
	return out
}

// levels returns the number of distinct values of a column. Gaps count as one value.
func levels(x mat.Matrix, j int) int {
	n, _ := x.Dims()
	seen, gap := map[float64]bool{}, 0
	for i := range n {
		if v := x.At(i, j); math.IsNaN(v) {
			gap = 1
		} else {
			seen[v] = true
		}
	}
	return len(seen) + gap
}
