package lssvm

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

var _, _ estimators.Expander = (*Regressor)(nil), (*Classifier)(nil)

// Expansion returns Σ α[i] k(x, x[i]) + b over [Regressor.Rows]. It implements [estimators.Expander].
func (r *Regressor) Expansion() (estimators.Expansion, error) { return r.m.expansion(regressorType) }

// Expansion returns the scores of [Classifier.Decision] as sums over the distinct training rows. It implements
// [estimators.Expander].
func (c *Classifier) Expansion() (estimators.Expansion, error) {
	e, err := c.m.expansion(classifierType)
	if err != nil {
		return e, err
	}
	e.Parts[0].Coefficients = classes.Scores(e.Parts[0].Coefficients)
	e.Intercepts = classes.Scores(mat.NewDense(1, len(e.Intercepts), e.Intercepts)).RawRowView(0)
	return e, nil
}

func (m *machine) expansion(typ string) (estimators.Expansion, error) {
	switch {
	case m == nil:
		return estimators.Expansion{}, fault.NotFitted(typ)
	case m.rows == nil:
		return estimators.Expansion{}, &fault.NotFittedError{Type: typ + ": fitted on a matrix: there are no rows to expand in"}
	}
	rows, err := check.Dense("the rows of Fit", m.rows)
	if err != nil {
		return estimators.Expansion{}, fault.AddName(typ, err)
	}
	part := estimators.ExpansionPart{Kernel: m.kernel, Rows: rows, Coefficients: m.alpha}
	return estimators.Expansion{Parts: []estimators.ExpansionPart{part}, Intercepts: slices.Clone(m.bias)}, nil
}
