package targets

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
)

func lognormal(n int) []float64 {
	rng := rand.New(rand.NewPCG(1, 1))
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Exp(3 + .8*rng.NormFloat64())
	}
	return out
}

// Invert inverts Apply within the bounds, and LogSlope is the log derivative of Apply.
func TestTransformationAndBack(t *testing.T) {
	y := lognormal(50)
	transformations := map[string]*Transformation{"logarithm": NewLogarithm(y)}
	for name, lambda := range map[string]float64{"-1.5": -1.5, "0": 0, "0.4": .4, "1": 1, "2": 2, "3": 3} {
		var err error
		transformations[name], err = NewPower(y, func([]float64) (float64, error) { return lambda, nil })
		require.NoError(t, err)
	}
	for name, b := range transformations {
		assert.True(t, b.Valid(), name)
		for _, v := range y {
			assert.InEpsilon(t, v, b.Invert(b.Apply(v)), 1e-9, name)
			h := v * 1e-6
			assert.InEpsilon(t, (b.Apply(v+h)-b.Apply(v-h))/2/h, math.Exp(b.LogSlope(v))/b.Unit, 1e-5, name)
		}
		assert.Equal(t, b.Unit*b.High, b.Invert(1e300), name)
		assert.GreaterOrEqual(t, b.Invert(-1e300), b.Unit*b.Low, name)
	}
	assert.Nil(t, NewLogarithm([]float64{1, 0, 2}))
	b, err := NewPower([]float64{3, 3}, nil)
	assert.Nil(t, b)
	assert.NoError(t, err)
}

// The mean of a lognormal distribution is exp(μ + σ²/2), and its variance is the squared mean times exp(σ²) - 1.
func TestMomentsOfATransformation(t *testing.T) {
	b := NewLogarithm(lognormal(2000))
	b.Noise, b.High = .09, 1e9
	want := math.Exp(1+.045) * b.Unit
	assert.InEpsilon(t, want, b.Mean(1), 1e-6)
	assert.InEpsilon(t, want*want*math.Expm1(.09), b.Variance(1, .09, b.Mean(1)), 1e-6)
	low, high := []float64{0}, []float64{1}
	b.InvertIntervals(low, high)
	assert.InDelta(t, b.Unit, low[0], 1e-12)
	assert.InEpsilon(t, math.E*b.Unit, high[0], 1e-12)
}

// Transformations are bit-identical after multiplication of the targets by a power of two.
func TestUnitOfATransformation(t *testing.T) {
	y := lognormal(50)
	times := make([]float64, len(y))
	floats.ScaleTo(times, 1<<20, y)
	lambda := func(v []float64) (float64, error) { return stat.Skew(v, nil), nil }
	power, err := NewPower(y, lambda)
	require.NoError(t, err)
	same, err := NewPower(times, lambda)
	require.NoError(t, err)
	for i, v := range y {
		assert.Equal(t, NewLogarithm(y).Apply(v), NewLogarithm(times).Apply(times[i]))
		assert.Equal(t, power.Apply(v), same.Apply(times[i]))
		assert.Equal(t, power.Invert(.3)*(1<<20), same.Invert(.3))
	}
}

func TestInvalidTransformations(t *testing.T) {
	good := Transformation{Unit: 1, Spread: 1, High: 1}
	assert.True(t, good.Valid())
	for _, spoil := range []func(b *Transformation){
		func(b *Transformation) { b.Unit = 0 }, func(b *Transformation) { b.Spread = math.Inf(1) }, func(b *Transformation) { b.Lambda = math.NaN() },
		func(b *Transformation) { b.Noise = -1 }, func(b *Transformation) { b.High = b.Low },
	} {
		b := good
		spoil(&b)
		assert.False(t, b.Valid())
	}
}
