package columnwise

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

// The results equal those of scikit-learn, except for a column with one value and for ties that scikit-learn misses because of
// rounding.
func TestQuantileTransformerReference(t *testing.T) {
	var ref struct {
		Cases []struct {
			Name                                                  string
			N_quantiles                                           int
			Quantiles                                             []float64
			X, Test_x, Uniform, Normal, Uniform_test, Normal_test gappy
			Uniform_inverse_z, Uniform_inverse, Normal_inverse_z  gappy
			Normal_inverse                                        gappy
		}
	}
	golden.Load(t, "quantile.json", &ref)
	require.Len(t, ref.Cases, 7)
	for _, c := range ref.Cases {
		for _, output := range []Output{Uniform, Normal} {
			uniform := output == Uniform
			pick := func(a, b gappy) []float64 {
				if uniform {
					return a.floats()
				}
				return b.floats()
			}
			tr := &QuantileTransformer{Quantiles: c.N_quantiles, Output: output, Gaps: true}
			z := maptest.FitTransform(t, tr, maptest.AsColumn(c.X.floats()))
			equalWithGaps(t, c.Name+" quantiles", c.Quantiles, mat.DenseCopyOf(tr.ColumnQuantiles().T()))
			back, err := tr.InverseTransform(maptest.AsColumn(pick(c.Uniform_inverse_z, c.Normal_inverse_z)))
			require.NoError(t, err)
			equalWithGaps(t, c.Name+" inverse", pick(c.Uniform_inverse, c.Normal_inverse), back)
			test, err := tr.Transform(maptest.AsColumn(c.Test_x.floats()))
			require.NoError(t, err)
			want, wantTest := pick(c.Uniform, c.Normal), pick(c.Uniform_test, c.Normal_test)
			if c.Name == "constant" {
				middle := []float64{0.5, 0}[output]
				want, wantTest[0] = slices.Repeat([]float64{middle}, len(want)), middle
			}
			if c.Name == "ties" { // 4 has the positions 10 and 11 of 14; scikit-learn's quantile at 10 is 3.9999999999999982
				middle := []float64{0.75, distuv.UnitNormal.Quantile(0.75)}[output]
				want[10], want[11], wantTest[7] = middle, middle, middle
			}
			equalWithGaps(t, c.Name, want, z)
			equalWithGaps(t, c.Name+" test", wantTest, test)
		}
	}
}

func equalWithGaps(t *testing.T, name string, want []float64, got *mat.Dense) {
	t.Helper()
	for i, w := range want {
		g := got.At(i, 0)
		if math.IsNaN(w) || math.IsNaN(g) {
			assert.True(t, math.IsNaN(w) && math.IsNaN(g), "%s: %v, want %v", name, g, w)
			continue
		}
		assert.InDelta(t, w, g, 1e-12*math.Max(1, math.Abs(w)), "%s, row %d", name, i)
	}
}

// The order of a column is kept, and the result does not depend on the width of its range. A value that occurs several times gets
// the middle of its positions, i/(n-1) for the i-th of n values in order, regardless of rounding.
func TestQuantileTransformerTies(t *testing.T) {
	fitted := func(x *mat.Dense) []float64 {
		q := &QuantileTransformer{}
		require.NoError(t, q.Fit(context.Background(), x))
		z, err := q.Transform(x)
		require.NoError(t, err)
		return mat.Col(nil, 0, z)
	}
	got := fitted(mat.NewDense(8, 1, []float64{0, 0, 0, 0, 0, 1, 1, 2}))
	assert.InDeltaSlice(t, []float64{0, 0, 0, 0, 0, 5.5 / 7, 5.5 / 7, 1}, got, 1e-15)
	// The smallest and the largest value are mapped to the ends, also if they occur several times.
	for n := 4; n <= 1000; n++ {
		x := mat.NewDense(n, 1, nil)
		for i := range n {
			x.Set(i, 0, float64(i)/3)
			if i > 0 && i < n-1 { // pairs, and a single value if n is odd
				x.Set(i, 0, float64((i+1)/2)/3)
			}
		}
		for i, v := range fitted(x) {
			want := float64(i)
			if i > 0 && i < n-1 {
				first := (i+1)/2*2 - 1
				want = (float64(first) + float64(min(first+1, n-2))) / 2
			}
			require.InDelta(t, want/float64(n-1), v, 1e-14, "row %d of %d", i, n)
		}
	}
}

func TestQuantileTransformerUnits(t *testing.T) {
	x := []float64{3, 1, 4, 1.5, 9, 2.6, 5, 3.5}
	for _, output := range []Output{Uniform, Normal} {
		want := maptest.FitTransform(t, &QuantileTransformer{Output: output}, maptest.AsColumn(x))
		for _, unit := range []float64{1e-300, 1e-9, 1, 1e9, 1e307} {
			small := make([]float64, len(x))
			for i, v := range x {
				small[i] = v * unit
			}
			got := maptest.FitTransform(t, &QuantileTransformer{Output: output}, maptest.AsColumn(small))
			assert.InDeltaSlice(t, want.RawMatrix().Data, got.RawMatrix().Data, 1e-9, "%v in units of %v", output, unit)
		}
	}
	// The range exceeds the largest float64.
	ends := &QuantileTransformer{}
	maptest.FitTransform(t, ends, maptest.AsColumn([]float64{-math.MaxFloat64, math.MaxFloat64}))
	z, err := ends.Transform(maptest.AsColumn([]float64{0, math.MaxFloat64 / 2}))
	require.NoError(t, err)
	assert.Equal(t, []float64{0.5, 0.75}, z.RawMatrix().Data)
	back, err := ends.InverseTransform(z)
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{0, 0.5}, []float64{back.At(0, 0), back.At(1, 0) / math.MaxFloat64}, 1e-15)
}

func TestQuantileTransformerProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 1, 30).Draw(t, "x")
		tr := &QuantileTransformer{Quantiles: rapid.IntRange(1, 40).Draw(t, "quantiles")}
		if rapid.Bool().Draw(t, "normal") {
			tr.Output = Normal
		}
		z := maptest.FitTransform(t, tr, maptest.AsColumn(x)).RawMatrix().Data
		for i := range x {
			for k := range x {
				if x[i] < x[k] && z[i] > z[k]+1e-12 {
					t.Fatalf("%v and %v became %v and %v", x[i], x[k], z[i], z[k])
				}
			}
			if tr.Output == Uniform && (z[i] < 0 || z[i] > 1) {
				t.Fatalf("%v became %v", x[i], z[i])
			}
		}
	})
}

func TestQuantileTransformerSettings(t *testing.T) {
	ctx := context.Background()
	assert.EqualError(t, (&QuantileTransformer{Quantiles: -1}).Fit(ctx, maptest.Table), "columnwise: QuantileTransformer: Quantiles = -1, want >= 1, or 0 for 1000")
	assert.ErrorIs(t, (&QuantileTransformer{Output: 2}).Fit(ctx, maptest.Table), fault.ErrParam)
	assert.Equal(t, "Uniform Normal Output(7)", Uniform.String()+" "+Normal.String()+" "+Output(7).String())
	long := mat.NewDense(1200, 1, nil)
	long.Apply(func(i, _ int, _ float64) float64 { return float64(i * i) }, long)
	tr := &QuantileTransformer{}
	assert.Nil(t, tr.ColumnQuantiles())
	maptest.FitTransform(t, tr, long)
	_, count := tr.ColumnQuantiles().Dims()
	assert.Equal(t, 1000, count)
}
