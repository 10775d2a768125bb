package transformers_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func inverters() map[string]transformers.Inverter {
	return map[string]transformers.Inverter{
		"StandardScaler": &scalers.StandardScaler{}, "RMSScaler": &scalers.RMSScaler{}, "MinMaxScaler": &scalers.MinMaxScaler{}, "MinMaxScaler, clip": &scalers.MinMaxScaler{Low: -2, High: 5, Clip: true},
		"PowerTransformer": &columnwise.PowerTransformer{}, "PowerTransformer, raw": &columnwise.PowerTransformer{NoStandardize: true}, "PowerTransformer, clip": &columnwise.PowerTransformer{Clip: true},
		"QuantileTransformer": &columnwise.QuantileTransformer{}, "QuantileTransformer, normal": &columnwise.QuantileTransformer{Output: columnwise.Normal},
	}
}

// On the training rows, InverseTransform reverses Transform, for any column that the power does not make constant.
func TestInverseIsInverse(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		offset := rapid.SampledFrom([]float64{0, 3, -3, 100}).Draw(t, "offset")
		x := rapid.SliceOfN(rapid.Float64Range(-2, 2), 3, 12).Draw(t, "x")
		for i := range x {
			x[i] += offset
		}
		for name, tr := range inverters() {
			require.NoError(t, tr.(transformers.Transformer).Fit(context.Background(), maptest.AsColumn(x)))
			if p, ok := tr.(*columnwise.PowerTransformer); ok && p.NoStandardize && (offset != 0 || math.Abs(p.Lambdas()[0]) > 10) {
				continue // ψ itself is nearly constant or huge in this case
			}
			z, err := tr.(transformers.Transformer).Transform(maptest.AsColumn(x))
			require.NoError(t, err)
			back, err := tr.InverseTransform(z)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			for i, v := range x {
				if math.Abs(back.At(i, 0)-v) > 1e-6 {
					t.Fatalf("%s: %v came back as %v", name, v, back.At(i, 0))
				}
			}
		}
	})
}

func TestInverseOfOddColumns(t *testing.T) {
	x := mat.NewDense(3, 4, []float64{
		7, 0, -1e308, 1e-300,
		7, 0, 1e308, 2e-300,
		7, 0, 1e300, 3e-300,
	})
	for name, tr := range inverters() {
		if name == "PowerTransformer, raw" {
			continue // ψ of the largest numbers of both signs overflows without an affine map
		}
		z := maptest.FitTransform(t, tr.(transformers.Transformer), x)
		back, err := tr.InverseTransform(z)
		require.NoError(t, err, name)
		for j := range 4 {
			unit := math.Max(math.Abs(x.At(0, j)), math.Abs(x.At(2, j)))
			for i := range 3 {
				if unit > 0 {
					assert.InDelta(t, x.At(i, j)/unit, back.At(i, j)/unit, 1e-9, "%s: row %d of column %d", name, i, j)
				} else {
					assert.Zero(t, back.At(i, j), "%s: row %d of column %d", name, i, j)
				}
			}
		}
	}
	// For a column of a single value, every z is mapped back to that value.
	m := &scalers.MinMaxScaler{}
	maptest.FitTransform(t, m, maptest.AsColumn([]float64{4, 4}))
	back, err := m.InverseTransform(maptest.AsColumn([]float64{0.5, -3}))
	require.NoError(t, err)
	assert.Equal(t, []float64{4, 4}, back.RawMatrix().Data)
}

func TestInverseErrors(t *testing.T) {
	for name, tr := range inverters() {
		_, err := tr.InverseTransform(maptest.Table)
		assert.ErrorIs(t, err, fault.ErrNotFitted, name)
		maptest.FitTransform(t, tr.(transformers.Transformer), maptest.Table)
		_, err = tr.InverseTransform(mat.NewDense(1, 2, nil))
		typ := strings.Replace(strings.TrimPrefix(fmt.Sprintf("%T", tr), "*"), ".", ": ", 1)
		assert.EqualError(t, err, typ+": z has 2 columns, fitted on 3", name)
		_, err = tr.InverseTransform(mat.NewDense(1, 3, []float64{0, 0, math.NaN()}))
		assert.EqualError(t, err, typ+": z[0,2] is NaN", name)
	}
	s := &scalers.StandardScaler{}
	maptest.FitTransform(t, s, maptest.AsColumn([]float64{0, 1e300}))
	_, err := s.InverseTransform(maptest.AsColumn([]float64{0, 1e300}))
	assert.EqualError(t, err, "scalers: StandardScaler: result[1,0] is +Inf")
}
