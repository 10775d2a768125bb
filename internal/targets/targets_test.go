package targets_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/targets"
)

func TestOf(t *testing.T) {
	x, y := mat.NewDense(3, 2, make([]float64, 6)), mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	_, _, err := targets.Check(x, y)
	assert.NoError(t, err)
	_, _, err = targets.Check(x, y.Slice(0, 2, 0, 2))
	assert.EqualError(t, err, "y has 2 rows, x has 3 rows")
	_, _, err = targets.Check(x, nil)
	assert.ErrorIs(t, err, fault.ErrShape)
	y.Set(2, 1, math.NaN())
	_, _, err = targets.Check(x, y)
	assert.EqualError(t, err, "y[2,1] is NaN")
}

// The columns of Standard have mean 0 and mean square 1, and Restore recovers the original values.
func TestStandard(t *testing.T) {
	y := mat.NewDense(4, 4, []float64{
		1, 1e6, 7.1, 1e200,
		2, 3e6, 7.1, -2e200,
		4, 4e6, 7.1, 1e200,
		9, 9e6, 7.1, 5e200,
	})
	kept := mat.DenseCopyOf(y)
	for _, weights := range [][]float64{nil, {1, 2, .5, 3}} {
		for _, centre := range []bool{true, false} {
			z, u, err := targets.Standard("a: T", y, weights, centre)
			require.NoError(t, err)
			assert.True(t, mat.Equal(kept, y), "y is not written to")
			for j := range 4 {
				mean, square, total := 0.0, 0.0, 0.0
				for i := range 4 {
					w := 1.0
					if weights != nil {
						w = weights[i]
					}
					total += w
					mean += w * z.At(i, j)
					square += w * z.At(i, j) * z.At(i, j)
				}
				constant := centre && j == 2
				if centre {
					assert.InDelta(t, 0, mean, 1e-14)
				} else {
					assert.Zero(t, u.Mean[j])
				}
				if constant {
					assert.Equal(t, 1.0, u.Spread[j])
					assert.InDelta(t, 7.1, u.Mean[j], 1e-14)
				} else {
					assert.InDelta(t, 1, square/total, 1e-14)
				}
			}
			for i := range 4 {
				row := append([]float64(nil), z.RawRowView(i)...)
				u.Restore(row)
				for j, v := range row {
					assert.InEpsilon(t, y.At(i, j), v, 1e-13)
				}
			}
		}
	}
	_, _, err := targets.Standard("a: T", mat.NewDense(3, 2, []float64{0, -1.7e308, 1, -1.7e308, 1, 1.7e308}), nil, true)
	assert.EqualError(t, err, "a: T: column 1 of y is too large, its squares overflow: "+fault.ErrNotFinite.Error())
}

func TestBack(t *testing.T) {
	u := &targets.Units{Mean: []float64{1, 2}, Spread: []float64{3, 1e200}}
	m := mat.NewDense(1, 2, []float64{1, 2})
	u.Rescale(m)
	u.Rescale(nil)
	assert.Equal(t, []float64{3, 2e200}, m.RawRowView(0))
	squares := []float64{2, 1}
	u.Squares(squares)
	assert.Equal(t, 18.0, squares[0])
	assert.EqualError(t, targets.Finite("a: T", []float64{1, 2}, squares), targets.TooLarge("a: T", 1).Error())
	assert.NoError(t, targets.Finite("a: T", []float64{1, 2}))
	assert.ErrorIs(t, targets.FiniteColumns("a: T", mat.NewDense(2, 2, []float64{1, 2, math.NaN(), 1})), fault.ErrNotFinite)
	assert.NoError(t, targets.FiniteColumns("a: T", nil))
}

// Values divided by their unit are exactly in [1, 2), for any power of two as a factor.
func TestUnit(t *testing.T) {
	y := []float64{0.3, -7.9, 2}
	assert.Equal(t, 4.0, targets.Unit(y))
	assert.Equal(t, 1.0, targets.Unit([]float64{0, 0}))
	assert.Equal(t, math.Ldexp(1, 1023), targets.Unit([]float64{-math.MaxFloat64}))
	assert.Equal(t, []float64{0.075, -1.975, 0.5}, targets.Divided(y, 4))
	want := targets.Centred(y)
	assert.InDelta(t, 0, want[0]+want[1]+want[2], 1e-15)
	assert.InDelta(t, -6.033333333333333/4, want[1], 1e-15)
	for _, e := range []int{-1000, -3, 17, 1020} {
		assert.Equal(t, want, targets.Centred(targets.Divided(y, math.Ldexp(1, -e))))
	}
	assert.Equal(t, []float64{0, 0}, targets.Centred([]float64{5, 5}))
	for _, v := range targets.Centred([]float64{math.MaxFloat64, -math.MaxFloat64}) {
		assert.InDelta(t, 1.5, math.Abs(v), 0.5)
	}
}
