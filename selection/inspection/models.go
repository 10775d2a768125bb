package inspection

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/transformers"
)

// model is an estimator inside another one. It has the transformation of rows to its input, and its share of the mean prediction.
type model struct {
	share       float64
	transform   transformation
	estimator   any
	transformed bool // it predicts transformed targets
}

// modelsOf returns the models inside searches, stacks and pipelines. It follows only types whose predictions are known to be the
// weighted means of the predictions of these models. It returns nil if the estimator is not fitted.
func modelsOf(e any) (out []model) {
	switch e := e.(type) {
	case *selection.Regressor:
		for _, m := range e.Models() {
			own := behind(dense(m.Transform), m.Share, m.Estimator)
			for i := range own {
				own[i].transformed = m.Target != selection.PlainTarget
			}
			out = append(out, own...)
		}
	case *selection.Classifier:
		for _, m := range e.Models() {
			out = append(out, behind(dense(m.Transform), m.Share, m.Estimator)...)
		}
	case *pipeline.Regressor:
		if final := e.FittedFinal(); final != nil {
			out = behind(chained(e.FittedSteps()), 1, final)
		}
	case *pipeline.Classifier:
		if final := e.FittedFinal(); final != nil {
			out = behind(chained(e.FittedSteps()), 1, final)
		}
	case *stacking.Regressor:
		for _, m := range e.Shares() {
			out = append(out, behind(identity, m.Share, m.Model)...)
		}
	case *stacking.Classifier:
		for _, m := range e.Shares() {
			out = append(out, behind(identity, m.Share, m.Model)...)
		}
	default:
		out = []model{{share: 1, transform: identity, estimator: e}}
	}
	return out
}

// transformation maps rows to rows.
type transformation func(x *mat.Dense) (*mat.Dense, error)

func identity(x *mat.Dense) (*mat.Dense, error) { return x, nil }

func dense(f func(x mat.Matrix) (*mat.Dense, error)) transformation {
	return func(x *mat.Dense) (*mat.Dense, error) { return f(x) }
}

// behind returns the models in e, whose rows are first transformed. The shares of the models are multiplied by share.
func behind(transform transformation, share float64, e any) []model {
	out := modelsOf(e)
	for i, m := range out {
		out[i].share *= share
		out[i].transform = func(x *mat.Dense) (*mat.Dense, error) {
			z, err := transform(x)
			if err != nil {
				return nil, err
			}
			return m.transform(z)
		}
	}
	return out
}

// chained returns the transformation that applies fitted steps in order.
func chained(steps []transformers.Transformer) transformation {
	return func(z *mat.Dense) (*mat.Dense, error) {
		for _, s := range steps {
			var err error
			if z, err = s.Transform(z); err != nil {
				return nil, err
			}
		}
		return z, nil
	}
}
