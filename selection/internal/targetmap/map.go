// Package targetmap transforms targets before a fit, and scores models in the units of the targets themselves.
package targetmap

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/stack"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// Map is the transformation of targets before a fit, with its name. The zero Map leaves targets as they are.
type Map struct {
	Bend *targets.Bend // nil: the targets as they are
	Name string        // "" for those
}

// Logarithm returns the logarithm, without a Bend if a target is not above 0.
func Logarithm(y []float64) Map { return Map{targets.NewLogarithm(y), "logarithm"} }

// Power returns the power of Yeo and Johnson that makes the targets most like normal numbers, without a Bend if all are equal.
func Power(ctx context.Context, y []float64) (Map, error) {
	b, err := targets.NewPower(y, func(v []float64) (float64, error) {
		p := &columnwise.PowerTransformer{}
		if err := p.Fit(ctx, mat.NewDense(len(v), 1, v)); err != nil {
			return 0, err
		}
		return p.Lambdas()[0], nil
	})
	return Map{b, "power"}, err
}

// Apply returns the transformed targets.
func (m Map) Apply(y []float64) []float64 {
	if m.Bend == nil {
		return y
	}
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = m.Bend.Of(v)
	}
	return out
}

// Label returns a name of columns, followed by that of the transformation.
func (m Map) Label(columns string) string {
	if m.Bend == nil {
		return columns
	}
	return columns + ", " + m.Name + " of targets"
}

// Score sets the noise of Bend, and returns the leave-one-out log density and mean squared error in the units of the targets y, from
// residuals and variances of the transformed targets z.
func (m Map) Score(y, z, residuals, variances, weights []float64) (density, mse float64) {
	density, m.Bend.Noise = stack.Density(residuals, variances, weights)
	total := floats.Sum(weights)
	for i, v := range y {
		density += weights[i] * (m.Bend.LogSlope(v) - math.Log(m.Bend.Unit)) / total
		left := v - m.Bend.Mean(z[i]-residuals[i])
		mse += weights[i] * left * left / total
	}
	return density, mse
}
