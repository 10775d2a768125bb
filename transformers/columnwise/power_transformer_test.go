package columnwise

import (
	"context"
	"fmt"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/internal/columnstats"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// gappy is a list of numbers in JSON, in which null stands for NaN.
type gappy []*float64

func (g gappy) floats() []float64 {
	out := make([]float64, len(g))
	for i, v := range g {
		out[i] = math.NaN()
		if v != nil {
			out[i] = *v
		}
	}
	return out
}

type yeoJohnsonColumn struct {
	Name                                       string
	X, Transformed, Standardised, Test_x       gappy
	Test_standardised, Inverse_z, Inverse_x    gappy
	Standardised_exact                         gappy
	Lambda, Lambda_sklearn, Lambda_tol, Loglik *float64
	Sd                                         float64
}

func yeoJohnsonReference(t *testing.T) (columns []yeoJohnsonColumn, grid [][]*float64) {
	var ref struct {
		Columns []yeoJohnsonColumn
		Grid    [][]*float64
	}
	golden.Load(t, "yeo_johnson.json", &ref)
	require.Len(t, ref.Columns, 17)
	return ref.Columns, ref.Grid
}

// present removes the gaps.
func present(v []float64) []float64 { return slices.DeleteFunc(slices.Clone(v), math.IsNaN) }

// atLambda returns a fitted model for one column with the given λ.
func atLambda(column []float64, lambda float64, raw bool) *PowerTransformer {
	one := func() codec.Floats { return make(codec.Floats, 1) }
	m := &powerModel{Raw: raw, Gaps: true, Lambdas: one(), Least: one(), Largest: one(), Shifts: one(), Means: one(), Scales: one()}
	m.scale(0, present(column), lambda)
	out := &PowerTransformer{}
	out.state.Fitted = m
	return out
}

func TestYeoJohnsonGrid(t *testing.T) {
	_, grid := yeoJohnsonReference(t)
	require.Len(t, grid, 192)
	beyond := 0
	for _, g := range grid {
		got := yeoJohnson(*g[0], *g[1])
		if g[2] == nil {
			beyond++
			assert.True(t, math.IsInf(got, 0) && math.Signbit(got) == math.Signbit(*g[0]), "ψ(%v) of λ = %v is %v", *g[0], *g[1], got)
			continue
		}
		assert.LessOrEqual(t, math.Abs(got-*g[2]), 1e-14*math.Abs(*g[2]), "ψ(%v) of λ = %v", *g[0], *g[1])
		// The inverse is less accurate where ψ is flat.
		slope := math.Exp((*g[1] - 1) * math.Copysign(math.Log1p(math.Abs(*g[0])), *g[0]))
		slack := 1e-14*math.Abs(*g[0]) + 1e-15*math.Abs(*g[2])/slope
		if back := inverseYeoJohnson(got, *g[1]); slack < math.Abs(*g[0]) {
			assert.InDelta(t, *g[0], back, 100*slack, "the inverse of ψ(%v) of λ = %v", *g[0], *g[1])
		}
	}
	assert.Greater(t, len(grid)/2, beyond)
}

// λ agrees with an optimum that was computed with 220 digits.
func TestYeoJohnsonLambdas(t *testing.T) {
	columns, _ := yeoJohnsonReference(t)
	compared := 0
	for _, c := range columns {
		if c.Lambda == nil {
			continue
		}
		compared++
		x := present(c.X.floats())
		l := newLikelihood(x, slices.Min(x), slices.Max(x))
		got, err := l.maximise(context.Background())
		require.NoError(t, err)
		assert.InDelta(t, *c.Lambda, got, *c.Lambda_tol, c.Name)
		if c.Standardised_exact != nil {
			continue // the direct formula of ψ overflows or cancels
		}
		// The likelihood equals that of the reference up to a constant.
		n := float64(len(x))
		other := *c.Lambda + 1
		assert.InDelta(t, naiveLikelihood(x, other)-*c.Loglik, n*(l.evaluate(other)-l.evaluate(*c.Lambda)), 1e-6*math.Max(1, math.Abs(*c.Loglik)), c.Name)
	}
	assert.Equal(t, 14, compared)
}

// naiveLikelihood computes the likelihood directly from its formula, for columns and λ for which nothing overflows or cancels.
func naiveLikelihood(x []float64, lambda float64) float64 {
	n := float64(len(x))
	psi, logs := make([]float64, len(x)), 0.0
	for i, v := range x {
		psi[i] = yeoJohnson(v, lambda)
		logs += math.Copysign(math.Log1p(math.Abs(v)), v)
	}
	mean, squares := 0.0, 0.0
	for _, v := range psi {
		mean += v / n
	}
	for _, v := range psi {
		squares += (v - mean) * (v - mean) / n
	}
	return -n/2*math.Log(squares) + (lambda-1)*logs
}

func TestYeoJohnsonValues(t *testing.T) {
	columns, _ := yeoJohnsonReference(t)
	for _, c := range columns {
		if c.Standardised == nil {
			continue
		}
		tolerance := 1e-12
		if c.Name == "big_scale" || c.Name == "small_scale" {
			tolerance = 1e-10
		}
		x := c.X.floats()
		raw, standardised := atLambda(x, *c.Lambda_sklearn, true), atLambda(x, *c.Lambda_sklearn, false)
		for what, v := range map[string]struct {
			of         *PowerTransformer
			from, want []float64
			unit       float64
		}{
			"transformed":  {raw, x, c.Transformed.floats(), c.Sd},
			"standardised": {standardised, x, c.Standardised.floats(), 1},
			"test":         {standardised, c.Test_x.floats(), c.Test_standardised.floats(), 1},
		} {
			got := make([]float64, 1)
			for i, from := range v.from {
				v.of.state.Fitted.MapRow(got, []float64{from})
				if math.IsNaN(v.want[i]) {
					assert.True(t, math.IsNaN(from) == math.IsNaN(got[0]) && got[0]-got[0] != 0, "%s: %s of %v is %v", c.Name, what, from, got[0])
					continue
				}
				assert.InDelta(t, v.want[i], got[0], tolerance*v.unit*math.Max(1, math.Abs(v.want[i]/v.unit)), "%s: %s of %v", c.Name, what, from)
			}
		}
		for i, z := range c.Inverse_z.floats() {
			got, want := make([]float64, 1), c.Inverse_x.floats()[i]
			standardised.state.Fitted.InvertRow(got, []float64{z})
			if math.IsNaN(want) {
				assert.True(t, math.IsInf(got[0], 0), "%s: no x has z = %v, and not %v", c.Name, z, got[0])
				continue
			}
			assert.InDelta(t, want, got[0], 1e-10*math.Max(math.Abs(want), 1e-3), "%s: inverse of %v", c.Name, z)
		}
	}
}

// The results for columns far from 0 compared with their spread keep the digits that scikit-learn 1.2.1 loses.
func TestPowerTransformerFarFromZero(t *testing.T) {
	columns, _ := yeoJohnsonReference(t)
	for _, c := range columns {
		tr := &PowerTransformer{Gaps: true}
		x := c.X.floats()
		z := maptest.FitTransform(t, tr, maptest.AsColumn(x))
		v := present(z.RawMatrix().Data)
		switch c.Name {
		case "constant", "zeros":
			assert.Equal(t, make([]float64, len(x)), v, c.Name)
			assert.Equal(t, []float64{1}, tr.Lambdas(), c.Name)
			continue
		case "two_values":
			assert.Equal(t, []float64{1}, tr.Lambdas(), "there is nothing to make even")
			assert.InDeltaSlice(t, c.Standardised.floats(), v, 1e-12, "but the same two values for any λ")
		}
		if c.Standardised_exact != nil {
			assert.InDeltaSlice(t, c.Standardised_exact.floats(), v, 1e-6, c.Name)
		}
		evenAndMonotone(t, c.Name, present(x), v)
	}
}

// evenAndMonotone checks that z has mean 0, standard deviation 1 and the order of x.
func evenAndMonotone(t *testing.T, name string, x, z []float64) {
	mean, squares := 0.0, 0.0
	for _, v := range z {
		mean += v / float64(len(z))
		squares += v * v / float64(len(z))
	}
	assert.InDelta(t, 0, mean, 1e-12, name)
	assert.InDelta(t, 1, squares, 1e-12, name)
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	sort.Slice(order, func(a, b int) bool { return x[order[a]] < x[order[b]] })
	for k, i := range order[1:] {
		before := order[k]
		assert.True(t, x[i] == x[before] && z[i] == z[before] || x[i] > x[before] && z[i] > z[before], "%s: %v and %v became %v and %v", name, x[before], x[i], z[before], z[i])
	}
}

// For these 400 longitudes and this λ, all values of ψ are equal in float64.
func TestPowerTransformerLongitudes(t *testing.T) {
	var ref struct {
		X      []float64
		Lambda float64
	}
	golden.Load(t, "longitudes.json", &ref)
	require.Len(t, ref.X, 400)
	tr := &PowerTransformer{}
	z := maptest.FitTransform(t, tr, maptest.AsColumn(ref.X))
	assert.InDelta(t, ref.Lambda, tr.Lambdas()[0], 1e-4)
	evenAndMonotone(t, "longitudes", ref.X, z.RawMatrix().Data)
	back, err := tr.InverseTransform(z)
	require.NoError(t, err)
	assert.InDeltaSlice(t, ref.X, back.RawMatrix().Data, 1e-9)
}

// The results for huge, tiny and mixed numbers are finite and in the right order.
func TestPowerTransformerAnyColumn(t *testing.T) {
	for name, x := range map[string][]float64{
		"largest":          {math.MaxFloat64, math.MaxFloat64 / 2, 1, 0},
		"both ends":        {-math.MaxFloat64, 0, math.MaxFloat64, 5},
		"negative":         {-math.MaxFloat64, -1, -2, -1e-300},
		"denormal":         {5e-324, 1e-323, 4e-323, 0},
		"denormal, signed": {-5e-324, 1e-323, 4e-323, 0},
		"tiny and huge":    {1e-300, 1e-200, 1, 1e300},
		"one far away":     {1, 1 + 1e-12, 1 + 2e-12, 1e15},
		"neighbours":       {1e9, math.Nextafter(1e9, 2e9), math.Nextafter(1e9, 0), 1e9},
	} {
		tr := &PowerTransformer{}
		z := maptest.FitTransform(t, tr, maptest.AsColumn(x)).RawMatrix().Data
		mean, squares := 0.0, 0.0
		for _, v := range z {
			mean += v / 4
			squares += v * v / 4
		}
		if !strings.HasPrefix(name, "denormal") { // its mean lies between two floating-point numbers
			assert.InDelta(t, 0, mean, 1e-9, name)
			assert.InDelta(t, 1, squares, 1e-9, name)
		}
		for i := range x {
			for k := range x {
				assert.False(t, x[i] < x[k] && z[i] > z[k], "%s: %v and %v became %v and %v", name, x[i], x[k], z[i], z[k])
			}
		}
		assert.LessOrEqual(t, math.Abs(tr.Lambdas()[0]), 1000.0, name)
	}
}

// For any column, the results for any new values have the order of these values. A result may be infinite, but it is never NaN,
// which would be considered a gap. Every result has an inverse.
func TestWarpIsNeverNaN(t *testing.T) {
	sizes := []float64{0, 5e-324, 1e-300, 1e-9, 0.5, 1, 100, 1e6, 1e300, math.MaxFloat64}
	var values []float64
	for _, v := range sizes {
		values = append([]float64{-v}, append(values, v)...)
	}
	slices.Sort(values)
	for _, lambda := range []float64{-1000, -3, -1e-9, 0, 1e-300, 0.5, 1, 2, 3, 1000} {
		for i, least := range values {
			for _, largest := range values[i:] {
				w := newWarp(lambda, least, largest, shiftOf(lambda, least, largest))
				before := math.Inf(-1)
				for _, x := range values {
					v := w.transform(x)
					require.False(t, math.IsNaN(v), "v(%v) of λ = %v, %v to %v", x, lambda, least, largest)
					require.True(t, before <= v || before-v < 1e-9*math.Abs(v), "v(%v) of λ = %v, %v to %v", x, lambda, least, largest)
					before = v
					back := w.inverse(x)
					require.False(t, math.IsNaN(back), "the x of %v of λ = %v, %v to %v", x, lambda, least, largest)
				}
			}
		}
	}
}

// The likelihood in its stable forms agrees with its formula where the formula can be computed directly.
func TestLikelihoodDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-3, 5), 5, 20).Draw(t, "x")
		x = append(x, 0.5, 1.5, -1) // three values
		switch rapid.IntRange(0, 2).Draw(t, "signs") {
		case 1:
			for i, v := range x {
				x[i] = math.Abs(v)
			}
		case 2:
			for i, v := range x {
				x[i] = -1e-3 - math.Abs(v)
			}
		}
		l := newLikelihood(x, slices.Min(x), slices.Max(x))
		n := float64(len(x))
		constant := naiveLikelihood(x, 1) - n*l.evaluate(1)
		for _, lambda := range []float64{-6, -2, -1e-3, -1e-17, 0, 1e-9, 0.5, 1, 2, 2 + 1e-12, 3, 7} {
			if got, want := n*l.evaluate(lambda)+constant, naiveLikelihood(x, lambda); math.Abs(got-want) > 1e-8*math.Max(1, math.Abs(want)) {
				t.Fatalf("λ = %v: %v, want %v", lambda, got, want)
			}
		}
	})
}

func TestPowerTransformerClips(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 1e4}
	plain, clip, raw := &PowerTransformer{}, &PowerTransformer{Clip: true}, &PowerTransformer{Clip: true, NoStandardize: true}
	z := maptest.FitTransform(t, plain, maptest.AsColumn(x))
	assert.True(t, mat.Equal(z, maptest.FitTransform(t, clip, maptest.AsColumn(x))), "the rows of Fit lie within")
	maptest.FitTransform(t, raw, maptest.AsColumn(x))
	for name, tr := range map[string]*PowerTransformer{"standardised": clip, "raw": raw} {
		out, err := tr.Transform(maptest.AsColumn([]float64{-1e9, 1, 1e9, 1e4}))
		require.NoError(t, err)
		assert.Equal(t, out.At(1, 0), out.At(0, 0), name)
		assert.Equal(t, out.At(3, 0), out.At(2, 0), name)
		back, err := tr.InverseTransform(maptest.AsColumn([]float64{-1e9, 1e9}))
		require.NoError(t, err)
		assert.Equal(t, []float64{1, 1e4}, back.RawMatrix().Data, name)
	}
	// A column with two values is not transformed, but is limited to five standard deviations.
	maptest.FitTransform(t, clip, maptest.AsColumn([]float64{0, 1, 0, 1}))
	out, err := clip.Transform(maptest.AsColumn([]float64{2, 100, -100}))
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{3, 5, -5}, out.RawMatrix().Data, 1e-15)

	// Without Clip, a z that no x reaches is an error that states its position.
	long := make([]float64, 50)
	for i := range long {
		long[i] = math.Exp(math.Exp(float64(i) / 20))
	}
	maptest.FitTransform(t, plain, maptest.AsColumn(long))
	require.Negative(t, plain.Lambdas()[0])
	_, err = plain.InverseTransform(maptest.AsColumn([]float64{0, 50}))
	assert.EqualError(t, err, "columnwise: PowerTransformer: result[1,0] is +Inf")
	require.ErrorIs(t, err, fault.ErrNotFinite)
}

func TestPowerTransformerGaps(t *testing.T) {
	nan := math.NaN()
	x := mat.NewDense(4, 2, []float64{1, nan, nan, nan, 3, nan, 9, nan})
	assert.EqualError(t, (&PowerTransformer{}).Fit(context.Background(), x), "columnwise: PowerTransformer: x[0,1] is NaN (counted from 0): fill gaps with columnwise.Imputer")
	tr := &PowerTransformer{Gaps: true}
	z := maptest.FitTransform(t, tr, x)
	assert.InDeltaSlice(t, maptest.FitTransform(t, &PowerTransformer{}, maptest.AsColumn([]float64{1, 3, 9})).RawMatrix().Data, present(mat.Col(nil, 0, z)), 1e-15)
	assert.True(t, math.IsNaN(z.At(1, 0)) && math.IsNaN(z.At(0, 1)))
	back, err := tr.InverseTransform(z)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(back.At(1, 0)))
	assert.InDelta(t, 9, back.At(3, 0), 1e-12)
	out, err := tr.Transform(mat.NewDense(1, 2, []float64{nan, 7}))
	require.NoError(t, err)
	assert.Equal(t, 7.0, out.At(0, 1), "nothing is known of a column of gaps")
}

// The result is bit-identical for any number of workers, and each λ equals that of a fit to the single column.
func TestPowerTransformerColumns(t *testing.T) {
	x := mat.NewDense(60, 5, nil)
	x.Apply(func(i, j int, _ float64) float64 {
		return math.Pow(1+math.Sin(float64(3*i+j)), float64(j)) - float64(j%2)
	}, x)
	one, many := &PowerTransformer{Workers: 1}, &PowerTransformer{Workers: 4}
	assert.True(t, mat.Equal(maptest.FitTransform(t, one, x), maptest.FitTransform(t, many, x)))
	for j := range 5 {
		alone := &PowerTransformer{}
		maptest.FitTransform(t, alone, maptest.AsColumn(mat.Col(nil, j, x)))
		assert.Equal(t, alone.Lambdas()[0], many.Lambdas()[j])
	}
	assert.Nil(t, (&PowerTransformer{}).Lambdas())
}

// BenchmarkPowerTransformerFit compares the transformer with the scaler, which also reads the columns.
func BenchmarkPowerTransformerFit(b *testing.B) {
	for _, n := range []int{1000, 1000000} {
		x := mat.NewDense(n, 2, nil)
		x.Apply(func(i, j int, _ float64) float64 { return math.Exp(2*math.Sin(float64(i*i%1000003))) - float64(j) }, x)
		for _, tr := range []transformers.Transformer{&scalers.StandardScaler{}, &PowerTransformer{Workers: 1}, &PowerTransformer{Workers: 2}, &QuantileTransformer{Workers: 1}, &QuantileTransformer{Workers: 2}} {
			workers := ""
			switch v := tr.(type) {
			case *PowerTransformer:
				workers = fmt.Sprintf("-%d", v.Workers)
			case *QuantileTransformer:
				workers = fmt.Sprintf("-%d", v.Workers)
			}
			b.Run(fmt.Sprintf("%dx2/%T%s", n, tr, workers), func(b *testing.B) {
				for b.Loop() {
					if err := tr.Fit(context.Background(), x); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// The λ of a long stream is close to that of Fit: the likelihoods per row differ by at most 10⁻⁸.
func TestFitBlocksPower(t *testing.T) {
	const n = 100_000
	x := maptest.MixedRows(n, false)
	want, got := &PowerTransformer{}, &PowerTransformer{}
	require.NoError(t, want.Fit(context.Background(), x))
	times := 0
	require.NoError(t, got.FitBlocks(context.Background(), maptest.InBlocks(x, 10_000, &times)))
	for _, j := range []int{0, 1, 3, 2, 4, 5, 6, 7} {
		column := mat.Col(nil, j, x)
		l := newLikelihood(column, slices.Min(column), slices.Max(column))
		assert.InDelta(t, l.evaluate(want.Lambdas()[j]), l.evaluate(got.Lambdas()[j]), 1e-8, "column %d", j)
		assert.InDelta(t, want.Lambdas()[j], got.Lambdas()[j], 1e-4*max(1, math.Abs(want.Lambdas()[j])), "column %d", j)
		t.Log(want.Lambdas()[j], got.Lambdas()[j]-want.Lambdas()[j])
	}
	z, err := got.Transform(x)
	require.NoError(t, err)
	for j := range 4 {
		mean, deviation := columnstats.MeanAndDeviation(mat.Col(nil, j, z))
		assert.InDelta(t, 0, mean, 1e-9)
		assert.InDelta(t, 1, deviation, 1e-5)
	}
}

// powered returns a valid model of one column after an invalid change.
func powered(change func(m *powerModel)) powerModel {
	f := func(v float64) codec.Floats { return codec.Floats{v} }
	m := powerModel{Lambdas: f(0), Least: f(0), Largest: f(1), Shifts: f(0), Means: f(0), Scales: f(1)}
	change(&m)
	return m
}
