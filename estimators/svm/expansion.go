package svm

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

var _, _ estimators.Expander = (*Regressor)(nil), (*Classifier)(nil)

// Expansion returns Σ β[i] k(x, x[i]) + b over the support vectors. It implements [estimators.Expander].
func (r *Regressor) Expansion() (estimators.Expansion, error) { return r.m.expansion(regressorType) }

// Expansion returns the scores of [Classifier.Decision] as sums over the support vectors. With more than two classes the error
// wraps errors.ErrUnsupported, because the scores are then votes. It implements [estimators.Expander].
func (c *Classifier) Expansion() (estimators.Expansion, error) {
	if len(c.classes) > 2 {
		return estimators.Expansion{}, fmt.Errorf("%s: the scores of %d classes are votes: %w", classifierType, len(c.classes),
			errors.ErrUnsupported)
	}
	e, err := c.m.expansion(classifierType)
	if err != nil {
		return e, err
	}
	for i, p := range e.Parts {
		e.Parts[i].Coefficients = classes.Scores(p.Coefficients)
	}
	e.Intercepts = classes.Scores(mat.NewDense(1, 1, e.Intercepts)).RawRowView(0)
	return e, nil
}

// expansion returns the expansion of a single machine.
func (m *machine) expansion(typ string) (out estimators.Expansion, err error) {
	kernel := m.chosenKernel()
	switch {
	case m == nil:
		return out, fault.NotFitted(typ)
	case kernel == nil:
		return out, &fault.NotFittedError{Type: typ + ": fitted on a matrix: there are no rows to expand in"}
	}
	out.Intercepts = []float64{m.intercept()}
	if _, values := m.coefficients(0); len(values) > 0 {
		out.Parts = []estimators.ExpansionPart{
			{Kernel: kernel, Rows: m.supportVectors(), Coefficients: mat.NewDense(len(values), 1, values)},
		}
	}
	return out, nil
}
