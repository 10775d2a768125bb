package methods

import (
	"context"
	"encoding"
	"errors"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/transformers"
)

// indicator converts a regressor to a classifier. For each class it fits the regressor to the target 1 on the rows of the class and
// -1 on the others, and it predicts the class with the largest prediction. For two classes one regressor is enough. scikit-learn's
// RidgeClassifier works in the same way.
type indicator struct {
	build func() estimators.Regressor

	classes []int
	fitted  []estimators.Regressor
}

// onTargets returns a classifier that is an indicator of r.
func onTargets(r estimators.Regressor) estimators.Classifier {
	return &indicator{build: func() estimators.Regressor { return estimators.Clone(r) }}
}

// FeatureMap implements selection.FeatureLearner.
func (c *indicator) FeatureMap() []transformers.Transformer {
	if p, ok := c.build().(*pipeline.Regressor); ok {
		return p.Steps
	}
	return nil
}

func (c *indicator) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	classes := classesOf(y)
	if len(classes) < 2 {
		return errors.New("indicator: fewer than two classes")
	}
	targets := classes
	if len(classes) == 2 {
		targets = classes[1:]
	}
	var fitted []estimators.Regressor
	for _, class := range targets {
		t := make([]float64, len(y))
		for i, v := range y {
			t[i] = -1
			if v == class {
				t[i] = 1
			}
		}
		r := c.build()
		if err := r.Fit(ctx, x, t); err != nil {
			return err
		}
		fitted = append(fitted, r)
	}
	c.classes, c.fitted = classes, fitted
	return nil
}

// Decision implements estimators.DecisionPredictor.
func (c *indicator) Decision(x mat.Matrix) (*mat.Dense, error) {
	n, _ := x.Dims()
	out := mat.NewDense(n, len(c.classes), nil)
	for k, r := range c.fitted {
		f, err := r.Predict(x)
		if err != nil {
			return nil, err
		}
		if len(c.classes) == 2 {
			out.SetCol(1, f)
			floats.Scale(-1, f)
		}
		out.SetCol(k, f)
	}
	return out, nil
}

func (c *indicator) Predict(x mat.Matrix) ([]int, error) {
	f, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	n, _ := f.Dims()
	out := make([]int, n)
	for i := range out {
		out[i] = c.classes[floats.MaxIdx(f.RawRowView(i))]
	}
	return out, nil
}

func (c *indicator) Classes() []int { return slices.Clone(c.classes) }

// Clone returns an unfitted copy. The default copy of exported fields would lose the settings.
func (c *indicator) Clone() estimators.Classifier { return &indicator{build: c.build} }

// UnmarshalBinary is not supported, because the benchmark reads no models.
func (c *indicator) UnmarshalBinary([]byte) error {
	return estimators.Unsupported("indicator", c, estimators.Marshalling)
}

// MarshalBinary encodes the model, whose size is measured.
func (c *indicator) MarshalBinary() ([]byte, error) {
	var parts [][]byte
	for _, r := range c.fitted {
		m, ok := r.(encoding.BinaryMarshaler)
		if !ok {
			return nil, estimators.Unsupported("indicator", r, estimators.Marshalling)
		}
		b, err := m.MarshalBinary()
		if err != nil {
			return nil, err
		}
		parts = append(parts, b)
	}
	return slices.Concat(parts...), nil
}
