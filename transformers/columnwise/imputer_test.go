package columnwise

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

var nan = math.NaN()

func TestImputerDefinition(t *testing.T) {
	x := mat.NewDense(5, 3, []float64{
		1, nan, nan,
		3, 2, nan,
		nan, 2, nan,
		8, 0, nan,
		nan, 0, nan,
	})
	for statistic, want := range map[Statistic][]float64{Mean: {4, 1, 0}, Median: {3, 1, 0}, MostFrequent: {1, 0, 0}, Constant: {-7, -7, -7}} {
		p := &Imputer{Statistic: statistic}
		if statistic == Constant {
			p.Value = -7
		}
		z := maptest.FitTransform(t, p, x)
		assert.Equal(t, want, p.Values(), "%v: of those that tie the least; without a value 0, or the constant", statistic)
		assert.Equal(t, []float64{1, want[1], want[2], 3, 2, want[2], want[0], 2, want[2], 8, 0, want[2], want[0], 0, want[2]}, z.RawMatrix().Data)
		assert.True(t, math.IsNaN(x.At(0, 1)), "the input stays")
		assert.Nil(t, p.Indicated())
	}
	// A column without gaps in the training rows may have gaps in new rows.
	p := &Imputer{Statistic: Median, Indicators: true}
	z := maptest.FitTransform(t, p, mat.NewDense(3, 3, []float64{1, nan, 5, 2, 7, nan, 9, 7, 6}))
	assert.Equal(t, []int{1, 2}, p.Indicated())
	assert.Equal(t, []float64{1, 7, 5, 1, 0, 2, 7, 5.5, 0, 1, 9, 7, 6, 0, 0}, z.RawMatrix().Data)
	z, err := p.Transform(mat.NewDense(1, 3, []float64{nan, nan, 4}))
	require.NoError(t, err)
	assert.Equal(t, []float64{2, 7, 4, 1, 0}, z.RawMatrix().Data)
}

func TestImputerOfHugeNumbers(t *testing.T) {
	const huge = math.MaxFloat64
	for _, statistic := range []Statistic{Mean, Median, MostFrequent} {
		p := &Imputer{Statistic: statistic}
		maptest.FitTransform(t, p, mat.NewDense(3, 1, []float64{huge, huge, nan}))
		assert.InEpsilon(t, huge, p.Values()[0], 1e-15, "%v", statistic)
	}
}

func TestImputerErrors(t *testing.T) {
	ctx := context.Background()
	assert.EqualError(t, (&Imputer{Statistic: 4}).Fit(ctx, maptest.Table), "columnwise: Imputer: Statistic = 4, want Mean, Median, MostFrequent or Constant")
	assert.ErrorContains(t, (&Imputer{Value: 2}).Fit(ctx, maptest.Table), "Value = 2, want a finite number, 0 unless Statistic is Constant")
	assert.ErrorContains(t, (&Imputer{Statistic: Constant, Value: nan}).Fit(ctx, maptest.Table), "Value = NaN")
	p := &Imputer{}
	gaps := mat.NewDense(2, 2, []float64{1, nan, 2, math.Inf(1)})
	assert.EqualError(t, p.Fit(ctx, gaps), "columnwise: Imputer: x[1,1] is +Inf")
	_, err := p.Transform(gaps)
	require.ErrorIs(t, err, fault.ErrNotFitted)
	gaps.Set(1, 1, 4)
	require.NoError(t, p.Fit(ctx, gaps))
	gaps.Set(1, 1, math.Inf(-1))
	_, err = p.Transform(gaps)
	assert.EqualError(t, err, "columnwise: Imputer: x[1,1] is -Inf")
	_, err = p.Transform(maptest.Table)
	assert.ErrorIs(t, err, fault.ErrShape)
	assert.ErrorIs(t, p.Fit(ctx, nil), fault.ErrShape)
}

func TestStatisticNames(t *testing.T) {
	assert.Equal(t, "Mean Median MostFrequent Constant Statistic(7)",
		Mean.String()+" "+Median.String()+" "+MostFrequent.String()+" "+Constant.String()+" "+Statistic(7).String())
}
