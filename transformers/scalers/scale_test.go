package scalers

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

func TestStandardScalerDefinition(t *testing.T) {
	s := &StandardScaler{}
	z := maptest.FitTransform(t, s, maptest.Table)
	sd := math.Sqrt(14.0 / 3) // (2² + 1² + 0² + 3²)/3
	assert.InDeltaSlice(t, []float64{3, 5, 0}, s.Means(), 1e-15)
	assert.InDeltaSlice(t, []float64{sd, 1, 1}, s.Scales(), 1e-15)
	assert.InDeltaSlice(t, []float64{-2 / sd, -1 / sd, 0, 3 / sd}, mat.Col(nil, 0, z), 1e-15)
	assert.Equal(t, make([]float64, 4), mat.Col(nil, 1, z))
}

func TestRMSScalerDefinition(t *testing.T) {
	s := &RMSScaler{}
	z := maptest.FitTransform(t, s, maptest.Table)
	rms := []float64{math.Sqrt(50.0 / 3), math.Sqrt(100.0 / 3), 1}
	assert.InDeltaSlice(t, rms, s.Scales(), 1e-15)
	assert.InDelta(t, 6/rms[0], z.At(3, 0), 1e-15)
	assert.Equal(t, make([]float64, 4), mat.Col(nil, 2, z))

	maptest.FitTransform(t, s, mat.NewDense(1, 2, []float64{-3, 0}))
	assert.Equal(t, []float64{3, 1}, s.Scales(), "one row: as R, which divides by max(1, n-1)")
}

func TestUnitRowsDefinition(t *testing.T) {
	z := maptest.FitTransform(t, &UnitRows{}, mat.NewDense(4, 2, []float64{3, 4, 0, 0, -2e200, 0, 5e-324, 5e-324}))
	r := 1 / math.Sqrt2
	assert.InDeltaSlice(t, []float64{0.6, 0.8, 0, 0, -1, 0, r, r}, z.RawMatrix().Data, 1e-15)
}

// For each of these columns, a textbook formula fails because of cancellation, or because the squares, the sum, a difference or the
// deviation overflow or underflow. The scaler does not.
func TestExtremeColumns(t *testing.T) {
	const huge, tiny = math.MaxFloat64, math.SmallestNonzeroFloat64
	for name, c := range map[string]struct {
		column             []float64
		mean, sd, rms, tol float64
	}{
		"offset 1e9":         {[]float64{1e9 + 1, 1e9 + 2, 1e9 + 3}, 1e9 + 2, 1, math.Sqrt(1.5) * 1e9, 1e-8},
		"offset 1e15":        {[]float64{1e15 + 1, 1e15 + 2, 1e15 + 3}, 1e15 + 2, 1, math.Sqrt(1.5) * 1e15, 1e-14},
		"squares overflow":   {[]float64{1e200, 2e200, 3e200}, 2e200, 1e200, math.Sqrt(7) * 1e200, 1e-15},
		"squares underflow":  {[]float64{1e-200, 2e-200, 3e-200}, 2e-200, 1e-200, math.Sqrt(7) * 1e-200, 1e-15},
		"sum overflows":      {[]float64{huge, huge, huge}, huge, 1, huge, 1e-15},
		"deviation too wide": {[]float64{huge, -huge}, 0, huge, huge, 1e-15},
		"smallest":           {[]float64{tiny, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}, 0, tiny, tiny, 1e-15},
	} {
		t.Run(name, func(t *testing.T) {
			x := mat.NewDense(len(c.column), 1, c.column)
			s, r := &StandardScaler{}, &RMSScaler{}
			z := maptest.FitTransform(t, s, x)
			maptest.FitTransform(t, r, x)
			for what, pair := range map[string][2]float64{
				"mean": {s.Means()[0], c.mean}, "sd": {s.Scales()[0], c.sd}, "rms": {r.Scales()[0], c.rms},
			} {
				assert.LessOrEqual(t, math.Abs(pair[0]-pair[1]), c.tol*math.Abs(pair[1]), "%s = %v, want %v", what, pair[0], pair[1])
			}
			for _, v := range z.RawMatrix().Data {
				assert.False(t, math.IsNaN(v) || math.IsInf(v, 0), "scaled to %v", v)
			}
		})
	}
}

func TestScaledValueThatOverflows(t *testing.T) {
	s := &StandardScaler{}
	require.NoError(t, s.Fit(context.Background(), mat.NewDense(2, 1, []float64{0, 1e-300})))
	_, err := s.Transform(mat.NewDense(2, 1, []float64{0, 1e300}))
	require.ErrorIs(t, err, fault.ErrNotFinite)
	assert.EqualError(t, err, "scalers: StandardScaler: result[1,0] is +Inf")
}

func TestFittedFactsAreCopies(t *testing.T) {
	s, r := &StandardScaler{}, &RMSScaler{}
	assert.Nil(t, s.Means())
	assert.Nil(t, s.Scales())
	assert.Nil(t, r.Scales())
	maptest.FitTransform(t, s, maptest.Table)
	maptest.FitTransform(t, r, maptest.Table)
	s.Means()[0], s.Scales()[0], r.Scales()[0] = -1, -1, -1
	assert.Positive(t, s.Means()[0])
	assert.Positive(t, s.Scales()[0])
	assert.Positive(t, r.Scales()[0])
}

// matrices draws n×d matrices of multiples of 1/1024. Even after a multiplication by the factor of a test, they are within the
// range of float64.
func matrices(minRows int) *rapid.Generator[*mat.Dense] {
	return rapid.Custom(func(t *rapid.T) *mat.Dense {
		n, d := rapid.IntRange(minRows, 12).Draw(t, "n"), rapid.IntRange(1, 4).Draw(t, "d")
		x := mat.NewDense(n, d, nil)
		x.Apply(func(_, _ int, _ float64) float64 {
			return float64(rapid.IntRange(-1<<20, 1<<20).Draw(t, "x")) / 1024
		}, x)
		return x
	})
}

func TestScalingInvariance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := matrices(2).Draw(t, "x")
		// A power of two scales exactly, so the results are bit-identical.
		factor := math.Ldexp(1, rapid.IntRange(-300, 300).Draw(t, "exponent"))
		var scaled mat.Dense
		scaled.Scale(factor, x)
		assert.Equal(t, maptest.FitTransform(t, &UnitRows{}, x), maptest.FitTransform(t, &UnitRows{}, &scaled))
		for _, pair := range [][2]transformers.Transformer{{&StandardScaler{}, &StandardScaler{}}, {&RMSScaler{}, &RMSScaler{}}} {
			a, b := maptest.FitTransform(t, pair[0], x), maptest.FitTransform(t, pair[1], &scaled)
			_, d := x.Dims()
			for j := range d {
				if constant(mat.Col(nil, j, x)) {
					continue // its scale is 1 whatever the factor is
				}
				assert.Equal(t, mat.Col(nil, j, a), mat.Col(nil, j, b))
			}
		}
	})
}

func constant(column []float64) bool {
	for _, v := range column {
		if v != column[0] {
			return false
		}
	}
	return true
}

func TestScaledColumnsHaveUnitMoments(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := matrices(2).Draw(t, "x")
		n, d := x.Dims()
		standard, rms := maptest.FitTransform(t, &StandardScaler{}, x), maptest.FitTransform(t, &RMSScaler{}, x)
		for j := range d {
			column := mat.Col(nil, j, standard)
			sum := 0.0
			for _, v := range column {
				sum += v
			}
			assert.InDelta(t, 0, sum, 1e-8)
			if c := mat.Col(nil, j, x); !constant(c) {
				assert.InDelta(t, n-1, math.Pow(mat.Norm(mat.NewVecDense(n, column), 2), 2), 1e-8)
				assert.InDelta(t, n-1, math.Pow(mat.Norm(mat.NewVecDense(n, mat.Col(nil, j, rms)), 2), 2), 1e-8)
			}
		}
	})
}

func TestUnitRowsHaveLengthOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, d := rapid.IntRange(1, 5).Draw(t, "n"), rapid.IntRange(1, 5).Draw(t, "d")
		finite := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
		x := mat.NewDense(n, d, rapid.SliceOfN(finite, n*d, n*d).Draw(t, "x"))
		z := maptest.FitTransform(t, &UnitRows{}, x)
		for i := range n {
			want := 1.0
			if mat.Norm(x.RowView(i), math.Inf(1)) == 0 {
				want = 0
			}
			assert.InDelta(t, want, mat.Norm(z.RowView(i), 2), 1e-14)
		}
	})
}

// Every finite column has a usable scale, and no error occurs.
func TestEveryFiniteColumnScales(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 8).Draw(t, "n")
		finite := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
		x := mat.NewDense(n, 1, rapid.SliceOfN(finite, n, n).Draw(t, "x"))
		maptest.FitTransform(t, &StandardScaler{}, x)
		maptest.FitTransform(t, &RMSScaler{}, x)
	})
}

// A file of a hundred bytes may state that it has two thousand million columns. FeatureNames returns an error and allocates no
// names.
func TestFeatureNamesOfManyColumns(t *testing.T) {
	u := &UnitRows{}
	u.state.Fitted = &unitRowsModel{Width: math.MaxInt32}
	_, err := u.FeatureNames(nil)
	require.ErrorIs(t, err, fault.ErrTooLarge)
	assert.ErrorContains(t, err, "names of 2147483647 columns")
	u.state.Fitted = &unitRowsModel{Width: 1 << 16}
	names, err := u.FeatureNames(nil)
	require.NoError(t, err)
	assert.Equal(t, "x65535", names[1<<16-1])
}
