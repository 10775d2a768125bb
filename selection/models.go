package selection

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Model is a fitted model of a Regressor (E is [estimators.Regressor]) or of a Classifier
// ([estimators.Classifier]): the one that predicts, or one of those whose mean does.
type Model[E any] struct {
	// Columns says how the columns of the model were transformed. It is "" if only Preprocess determines that.
	Columns string

	// Share is the model's share of the mean. It is 1 if there is one model.
	Share float64

	// Estimator sees the rows that Transform gives. It must not be fitted again.
	Estimator E

	// Target says what Estimator was fitted to, and so what it predicts: the targets themselves if it is [PlainTarget], as it
	// always is for classes.
	Target Target

	before *pipeline.Transformer // of all models
	own    *pipeline.Transformer // nil where there is one
}

// Transform takes rows (n×d) to where Estimator lives. Errors are those of the preprocessing.
func (m Model[E]) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	z, err := m.before.Transform(x)
	if err != nil || m.own == nil {
		return z, err
	}
	return m.own.Transform(z)
}

// models are the models that predict, nil before Fit.
func (f *fitted[E]) models() (out []Model[E]) {
	switch {
	case f == nil:
		return nil
	case f.parts == nil:
		return []Model[E]{{Share: 1, Estimator: f.inner, Target: PlainTarget, before: f.chain}}
	}
	for _, p := range f.parts {
		out = append(out, Model[E]{Columns: p.result.Columns, Share: p.result.Share, Estimator: p.inner, Target: targetOf(p.bend),
			before: f.chain, own: p.chain})
	}
	return out
}

// Models returns the fitted models of which Predict gives the mean by their Share, often one. It returns nil before
// Fit.
func (r *Regressor) Models() []Model[estimators.Regressor] { return r.f.models() }

// Models returns the fitted models of which PredictProba gives the mean by their Share, often one. It returns nil
// before Fit.
func (c *Classifier) Models() []Model[estimators.Classifier] { return c.f.models() }

// String returns the chosen point, or "not fitted". Result has the details.
func (r *Regressor) String() string { return describe("selection.Regressor", r.f) }

// String returns the chosen point, or "not fitted". Result has the details.
func (c *Classifier) String() string { return describe("selection.Classifier", c.f) }

func describe[E any](kind string, f *fitted[E]) string {
	if f == nil {
		return kind + "(not fitted)"
	}
	return fmt.Sprintf("%s(%s; fitted)", kind, f.result.Choice())
}
