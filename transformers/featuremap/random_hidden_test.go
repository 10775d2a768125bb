package featuremap

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

func TestHiddenReference(t *testing.T) {
	for name, activation := range map[string]Activation{
		"eem_sig_small.json": Sigmoid, "eem_nsig_small.json": NormalizedSigmoid, "eem_rbf_small.json": RandomRBF, "eem_tanh_gauss.json": Tanh,
	} {
		var c struct {
			X, W, H, Xt, Ht [][]float64
			B               []float64
		}
		golden.Load(t, name, &c)
		r := &RandomHidden{}
		r.state.Fitted = &hiddenModel{Activation: activation, W: codec.FromDense(golden.Dense(c.W)), B: c.B}
		h, err := r.Transform(golden.Dense(c.X))
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(golden.Dense(c.H), h, 1e-9), name)
		h, err = r.Transform(golden.Dense(c.Xt))
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(golden.Dense(c.Ht), h, 1e-9), name)
	}
}

func TestHiddenLayersAreNested(t *testing.T) {
	x := golden.Dense([][]float64{{0, 1}, {1, 1}, {2, 0}, {1, 3}, {4, 4}, {2, 2}})
	for a := DataRBF; a <= Tanh; a++ {
		large := maptest.FitTransform(t, &RandomHidden{Units: 6, Activation: a, Seed: 4}, x)
		small := maptest.FitTransform(t, &RandomHidden{Units: 4, Activation: a, Seed: 4}, x)
		assert.True(t, mat.EqualApprox(large.Slice(0, 6, 0, 4), small, 1e-14), "%v", a)
		other := maptest.FitTransform(t, &RandomHidden{Units: 4, Activation: a, Seed: 5}, x)
		assert.False(t, mat.Equal(other, small), "%v", a)
	}
}

// The weights of the units have the distribution that the activation requires.
func TestHiddenDraws(t *testing.T) {
	x := mat.NewDense(400, 2, nil)
	x.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(3*i+j)) * float64(1+j) }, x)
	r := &RandomHidden{Units: 300}
	maptest.FitTransform(t, r, x)
	w, b := r.UnitWeights()
	median := 0.0
	for i := range 300 {
		found := false
		for k := 0; k < 400 && !found; k++ {
			found = mat.Equal(w.RowView(i), x.RowView(k))
		}
		assert.True(t, found, "unit %d sits on a row", i)
		median += math.Log10(b[i]) / 300
	}
	least, most := b[0], b[0]
	for _, v := range b {
		least, most = min(least, v), max(most, v)
	}
	assert.InDelta(t, 2, math.Log10(most/least), 0.1, "two decades of widths")

	r = &RandomHidden{Units: 5000, Activation: Tanh}
	maptest.FitTransform(t, r, x)
	w, b = r.UnitWeights()
	squares, biases := 0.0, 0.0
	for i, v := range b {
		biases += v * v / 5000
		squares += w.At(i, 0) * w.At(i, 0) / 5000
	}
	assert.InDelta(t, 4.5, squares, 0.3, "9/d")
	assert.InDelta(t, 1, biases, 0.1)

	r = &RandomHidden{Units: 2000, Activation: Sigmoid}
	maptest.FitTransform(t, r, x)
	w, b = r.UnitWeights()
	assert.True(t, mat.Min(w) >= 0 && mat.Max(w) <= 1)
	assert.InDelta(t, 0.5, mat.Sum(w)/4000, 0.02)
	assert.InDelta(t, 0.5, mat.Sum(mat.NewVecDense(2000, b))/2000, 0.03)
}

func TestHiddenDefaultsAndErrors(t *testing.T) {
	r := &RandomHidden{}
	w, b := r.UnitWeights()
	assert.Nil(t, w)
	assert.Nil(t, b)
	z := maptest.FitTransform(t, r, mat.NewDense(3, 2, []float64{0, 1, 1, 1, 2, 0}))
	_, h := z.Dims()
	assert.Equal(t, 3, h, "as many units as rows")
	z = maptest.FitTransform(t, &RandomHidden{Activation: Tanh}, mat.NewDense(3, 2, []float64{0, 1, 1, 1, 2, 0}))
	_, h = z.Dims()
	assert.Equal(t, defaultUnits, h)
	maptest.FitTransform(t, r, mat.NewDense(3, 2, nil)) // all rows are equal

	assert.EqualError(t, (&RandomHidden{Units: -1}).Fit(context.Background(), maptest.Table), "featuremap: RandomHidden: Units = -1, want >= 1, or 0 for 250")
	assert.ErrorIs(t, (&RandomHidden{Activation: 9}).Fit(context.Background(), maptest.Table), fault.ErrParam)
	assert.Equal(t, "DataRBF Sigmoid NormalizedSigmoid RandomRBF Tanh Activation(7)",
		DataRBF.String()+" "+Sigmoid.String()+" "+NormalizedSigmoid.String()+" "+RandomRBF.String()+" "+Tanh.String()+" "+Activation(7).String())
}

// The activations agree with their definition, row by row, also far from the origin.
func TestHiddenDefinition(t *testing.T) {
	for _, offset := range []float64{0, 1e6} {
		x := mat.NewDense(150, 3, nil)
		x.Apply(func(i, j int, _ float64) float64 { return offset + math.Sin(float64(7*i*i+j)) }, x)
		for a := DataRBF; a <= Tanh; a++ {
			r := &RandomHidden{Units: 210, Activation: a, Seed: 2}
			h := maptest.FitTransform(t, r, x)
			w, b := r.UnitWeights()
			units, _ := w.Dims()
			worst := 0.0
			for i := range 150 {
				for k := range units {
					products, squares := 0.0, 0.0
					for j := range 3 {
						v, u := x.At(i, j), w.At(k, j)
						products += v * u
						squares += (v - u) * (v - u)
					}
					want := math.Exp(-b[k] * squares)
					switch a {
					case Sigmoid:
						want = 1 / (1 + math.Exp(b[k]-products))
					case NormalizedSigmoid:
						want = 1 / (1 + math.Exp(b[k]-products/3))
					case Tanh:
						want = math.Tanh(products + b[k])
					}
					worst = max(worst, math.Abs(want-h.At(i, k)))
				}
			}
			if offset == 0 {
				assert.Less(t, worst, 1e-14, "%v", a)
			} else { // for |x| near 1e6, a product is accurate to 1e-10
				assert.Less(t, worst, 1e-9, "%v", a)
			}
		}
	}
}

func TestHiddenTransformTo(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{0, 1, 3, 2, 5, 1})
	r := &RandomHidden{Units: 4, Activation: Tanh}
	require.ErrorIs(t, r.TransformTo(&mat.Dense{}, x), fault.ErrNotFitted)
	want := maptest.FitTransform(t, r, x)
	dst := mat.NewDense(3, 4, []float64{9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9})
	require.NoError(t, r.TransformTo(dst, x))
	assert.True(t, mat.Equal(want, dst))
	assert.EqualError(t, r.TransformTo(mat.NewDense(3, 5, nil), x), "featuremap: RandomHidden: dst has 5 columns, want 3 rows of 4, dst has 3 rows")
	require.ErrorIs(t, r.TransformTo(mat.NewDense(2, 4, nil), x), fault.ErrShape)

	units := mat.NewDense(4, 3, nil)
	require.NoError(t, r.UnitsTo(units, x))
	assert.True(t, mat.Equal(want.T(), units))
	assert.EqualError(t, r.UnitsTo(mat.NewDense(3, 4, nil), x), "dst has 3 rows, want 4 of 3 columns, dst has 4 columns")
	require.ErrorIs(t, r.UnitsTo(units, mat.NewDense(3, 1, nil)), fault.ErrShape)
	require.ErrorIs(t, (&RandomHidden{}).UnitsTo(units, x), fault.ErrNotFitted)
}

func TestHiddenFirst(t *testing.T) {
	x := mat.NewDense(9, 2, []float64{0, 1, 3, 2, 5, 1, 7, 2, 4, 4, 2, 1, 0, 3, 8, 2, 9, 9})
	r := &RandomHidden{Units: 7}
	_, err := r.Truncate(2)
	require.ErrorIs(t, err, fault.ErrNotFitted)
	all := maptest.FitTransform(t, r, x)
	some, err := r.Truncate(4)
	require.NoError(t, err)
	z, err := some.Transform(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(all.Slice(0, 9, 0, 4), z, 1e-14))
	assert.True(t, mat.EqualApprox(maptest.FitTransform(t, &RandomHidden{Units: 4}, x), z, 1e-14))
	more, err := r.Truncate(70)
	require.NoError(t, err)
	w, _ := more.UnitWeights()
	units, _ := w.Dims()
	assert.Equal(t, 7, units)
	_, err = r.Truncate(0)
	require.ErrorIs(t, err, fault.ErrParam)
}

func BenchmarkHidden(b *testing.B) {
	x := mat.NewDense(4096, 20, nil)
	x.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(7*i*i + j)) }, x)
	for a := DataRBF; a <= Tanh; a++ {
		r := &RandomHidden{Units: 500, Activation: a, Workers: 1}
		if err := r.Fit(context.Background(), x); err != nil {
			b.Fatal(err)
		}
		b.Run(a.String(), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Transform(x); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/4096/500, "ns/activation")
		})
	}
}
