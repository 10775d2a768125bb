package selection

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Model is a fitted model of a Regressor (E is [estimators.Regressor]) or of a Classifier ([estimators.Classifier]). It is the only
// model, or one of several whose weighted mean is the prediction.
type Model[E any] struct {
	// Columns describes the scaling of the model's columns. It is "" if Preprocess is the only transformation.
	Columns string

	// Share is the model's share of the mean. It is 1 for a single model.
	Share float64

	// Estimator expects rows returned by Transform. It must not be fitted again.
	Estimator E

	// Target is the transformation of the targets that Estimator predicts. It is [PlainTarget] if the targets are not transformed,
	// and for classes.
	Target Target

	before *pipeline.Transformer // steps of all models
	own    *pipeline.Transformer // nil for a single model
}

// Transform preprocesses rows (n×d) for Estimator. It returns the errors of the preprocessing.
func (m Model[E]) Transform(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	z, err := m.before.Transform(x)
	if err != nil || m.own == nil {
		return z, err
	}
	return m.own.Transform(z)
}

// models returns the models that predict, or nil before Fit.
func (f *fitted[E]) models() (out []Model[E]) {
	switch {
	case f == nil:
		return nil
	case f.parts == nil:
		return []Model[E]{{Share: 1, Estimator: f.inner, Target: PlainTarget, before: f.chain}}
	}
	for _, p := range f.parts {
		out = append(out, Model[E]{Columns: p.result.Columns, Share: p.result.Share, Estimator: p.inner, Target: targetOf(p.transformation),
			before: f.chain, own: p.chain})
	}
	return out
}

// Models returns the fitted models, of which there is often only one. Predict returns the mean of their predictions, weighted by
// Share. It returns nil before Fit.
func (r *Regressor) Models() []Model[estimators.Regressor] { return r.f.models() }

// Models returns the fitted models, of which there is often only one. PredictProba returns the mean of their probabilities,
// weighted by Share. It returns nil before Fit.
func (c *Classifier) Models() []Model[estimators.Classifier] { return c.f.models() }

// String returns the chosen point, or "not fitted". Result contains the details.
func (r *Regressor) String() string { return describe("selection.Regressor", r.f) }

// String returns the chosen point, or "not fitted". Result contains the details.
func (c *Classifier) String() string { return describe("selection.Classifier", c.f) }

func describe[E any](kind string, f *fitted[E]) string {
	if f == nil {
		return kind + "(not fitted)"
	}
	return fmt.Sprintf("%s(%s; fitted)", kind, f.result.Choice())
}
