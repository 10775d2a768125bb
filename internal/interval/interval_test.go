package interval_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/interval"
)

func TestLevel(t *testing.T) {
	assert.NoError(t, interval.Level("pkg: Type", 0.5))
	for _, v := range []float64{0, 1, -0.1, 1.1, math.NaN()} {
		assert.ErrorIs(t, interval.Level("pkg: Type", v), fault.ErrParam)
	}
	assert.EqualError(t, interval.Level("pkg: Type", 2), "pkg: Type: level = 2, want in (0, 1)")
}

// Quantiles at 0.975 agree with printed tables.
func TestEnds(t *testing.T) {
	low, high, err := interval.Normal(0.95)([]float64{3, 0}, []float64{4, 0}, nil)
	assert.NoError(t, err)
	assert.InDeltaSlice(t, []float64{3 - 2*1.959964, 0}, low, 1e-6)
	assert.InDeltaSlice(t, []float64{3 + 2*1.959964, 0}, high, 1e-6)

	_, high, _ = interval.Student(0.95, 10)([]float64{0}, []float64{1}, nil)
	assert.InDelta(t, 2.228139*math.Sqrt(0.8), high[0], 1e-6)
	_, high, _ = interval.Student(0.95, 1)([]float64{0}, []float64{1}, nil)
	assert.InDelta(t, 12.706205, high[0], 1e-6)

	_, _, err = interval.Normal(0.95)(nil, nil, fault.ErrNotFitted)
	assert.Equal(t, fault.ErrNotFitted, err)
}

// Each element of a matrix has the interval that Predictions computes for it alone.
func TestMatrices(t *testing.T) {
	mean, variance := mat.NewDense(2, 2, []float64{1, 2, 3, 4}), mat.NewDense(2, 2, []float64{1, 4, 9, 0})
	low, high, err := interval.Matrices(interval.Normal(.9), mean, variance, nil)
	assert.NoError(t, err)
	wantLow, wantHigh, _ := interval.Normal(.9)(mean.RawMatrix().Data, variance.RawMatrix().Data, nil)
	assert.Equal(t, wantLow, low.RawMatrix().Data)
	assert.Equal(t, wantHigh, high.RawMatrix().Data)
	_, _, err = interval.Matrices(interval.Normal(.9), nil, nil, fault.ErrShape)
	assert.ErrorIs(t, err, fault.ErrShape)
}
