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

func TestWinsorizerDefinition(t *testing.T) {
	x := mat.NewDense(101, 1, nil) // 0, 1, ..., 100 in another order
	x.Apply(func(i, _ int, _ float64) float64 { return float64(i * 37 % 101) }, x)
	for name, c := range map[string]struct {
		of        *Winsorizer
		low, high float64
	}{
		"default":   {&Winsorizer{}, 1, 99},
		"given":     {&Winsorizer{Lower: 0.105, Upper: 0.5}, 10.5, 50},
		"range":     {&Winsorizer{Upper: 1}, 1, 100},
		"no lower":  {&Winsorizer{NoLower: true}, math.Inf(-1), 99},
		"no upper":  {&Winsorizer{NoUpper: true, Lower: 0.995}, 99.5, math.Inf(1)},
		"no bounds": {&Winsorizer{NoLower: true, NoUpper: true}, math.Inf(-1), math.Inf(1)},
	} {
		z := maptest.FitTransform(t, c.of, x)
		low, high := c.of.Bounds()
		for what, v := range map[string][2]float64{"low": {c.low, low[0]}, "high": {c.high, high[0]}} {
			if math.IsInf(v[0], 0) {
				assert.Equal(t, v[0], v[1], "%s: %s", name, what)
			} else {
				assert.InDelta(t, v[0], v[1], 1e-12, "%s: %s", name, what)
			}
		}
		for i := range 101 {
			assert.Equal(t, math.Max(low[0], math.Min(x.At(i, 0), high[0])), z.At(i, 0), name)
		}
		far, err := c.of.Transform(mat.NewDense(2, 1, []float64{-1e9, 1e9}))
		require.NoError(t, err)
		assert.Equal(t, []float64{math.Max(-1e9, low[0]), math.Min(1e9, high[0])}, far.RawMatrix().Data, name)
	}
}

func TestWinsorizerGapsAndErrors(t *testing.T) {
	ctx, nan := context.Background(), math.NaN()
	x := mat.NewDense(3, 2, []float64{1, nan, nan, nan, 3, nan})
	assert.EqualError(t, (&Winsorizer{}).Fit(ctx, x), "columnwise: Winsorizer: x[0,1] is NaN (counted from 0): fill gaps with columnwise.Imputer")
	w := &Winsorizer{Gaps: true}
	z := maptest.FitTransform(t, w, x)
	assert.InDelta(t, 1.02, z.At(0, 0), 1e-12, "a hundredth of the way from 1 to 3")
	assert.True(t, math.IsNaN(z.At(1, 0)) && math.IsNaN(z.At(2, 1)))
	low, _ := w.Bounds()
	assert.Equal(t, math.Inf(-1), low[1], "a column of gaps has no bounds")
	low, high := (&Winsorizer{}).Bounds()
	assert.Nil(t, low)
	assert.Nil(t, high)
	for _, bad := range []*Winsorizer{{Lower: 1}, {Lower: nan}, {Upper: 1.1}, {Upper: nan}, {Lower: 0.5, Upper: 0.5}, {Lower: 0.995}} {
		assert.ErrorIs(t, bad.Fit(ctx, maptest.Table), fault.ErrParam, "%+v", bad)
	}
}
