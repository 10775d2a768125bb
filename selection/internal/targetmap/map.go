// Package targetmap transforms targets before a fit, and scores models in the original units.
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

// Map is a named transformation of targets. The zero Map is the identity.
type Map struct {
	Transformation *targets.Transformation // nil for the identity
	Name           string                  // "" for the identity
}

// Logarithm returns the logarithm as a Map. Its Transformation is nil if a target is not positive.
func Logarithm(y []float64) Map { return Map{targets.NewLogarithm(y), "logarithm"} }

// Power returns the power transformation of Yeo and Johnson that makes the distribution of the targets as close to normal as
// possible. Its Transformation is nil if all targets are equal.
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
	if m.Transformation == nil {
		return y
	}
	out := make([]float64, len(y))
	for i, v := range y {
		out[i] = m.Transformation.Apply(v)
	}
	return out
}

// Label appends the name of the transformation to the name of a column scaling.
func (m Map) Label(columns string) string {
	if m.Transformation == nil {
		return columns
	}
	return columns + ", " + m.Name + " of targets"
}

// Score stores the noise of the transformation. From the residuals and variances of the transformed targets z, it computes the
// leave-one-out log density and the mean squared error in the units of the targets y, and returns them.
func (m Map) Score(y, z, residuals, variances, weights []float64) (density, mse float64) {
	density, m.Transformation.Noise = stack.Density(residuals, variances, weights)
	total := floats.Sum(weights)
	for i, v := range y {
		density += weights[i] * (m.Transformation.LogSlope(v) - math.Log(m.Transformation.Unit)) / total
		left := v - m.Transformation.Mean(z[i]-residuals[i])
		mse += weights[i] * left * left / total
	}
	return density, mse
}
