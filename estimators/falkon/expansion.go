package falkon

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
)

var _, _ estimators.Expander = (*Regressor)(nil), (*Classifier)(nil)

// Expansion returns the sum Σ β[i] k(x, z[i]) + b over the landmarks z. It implements [estimators.Expander].
func (r *Regressor) Expansion() (estimators.Expansion, error) { return r.expansion(regressorType) }

// Expansion returns the scores of [Classifier.Decision] as sums over the landmarks. It implements [estimators.Expander].
func (c *Classifier) Expansion() (estimators.Expansion, error) {
	e, err := c.expansion(classifierType)
	if err != nil {
		return e, err
	}
	e.Parts[0].Coefficients = classes.Scores(e.Parts[0].Coefficients)
	e.Intercepts = classes.Scores(mat.NewDense(1, len(e.Intercepts), e.Intercepts)).RawRowView(0)
	return e, nil
}

func (f *fittedMachine) expansion(typ string) (estimators.Expansion, error) {
	if f.m == nil {
		return estimators.Expansion{}, fault.NotFitted(typ)
	}
	if _, err := check.Dense("the landmarks", f.m.Landmarks); err != nil {
		return estimators.Expansion{}, fault.AddName(typ, err)
	}
	part := estimators.ExpansionPart{Kernel: f.m.Kernel, Rows: f.LandmarkRows(), Coefficients: f.coefficients()}
	return estimators.Expansion{Parts: []estimators.ExpansionPart{part}, Intercepts: f.intercepts()}, nil
}
