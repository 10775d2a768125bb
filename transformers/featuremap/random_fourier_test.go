package featuremap

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

// gram returns ZZ'.
func gram(z *mat.Dense) *mat.Dense {
	var out mat.Dense
	out.Mul(z, z.T())
	return &out
}

func kernelOf(t testing.TB, k kernels.Kernel, x *mat.Dense) *mat.SymDense {
	out, err := kernels.Matrix(context.Background(), k, x, nil)
	require.NoError(t, err)
	return out
}

// meanSquare returns the mean of the squared differences.
func meanSquare(a, b mat.Matrix) float64 {
	var d mat.Dense
	d.Sub(a, b)
	n, m := d.Dims()
	f := mat.Norm(&d, 2)
	return f * f / float64(n*m)
}

// For given frequencies, the features agree with their definition, with pairs and with phases.
func TestFourierDefinition(t *testing.T) {
	x, w := maptest.NormalRows(150, 3, 1), maptest.NormalRows(210, 3, 2)
	x.Scale(100, x)
	for _, phase := range []bool{false, true} {
		r := &RandomFourier{Kernel: kernels.Scaled{Kernel: kernels.RBF{}, Factor: 3}, Frequencies: w, RandomPhase: phase, Seed: 3}
		z := maptest.FitTransform(t, r, x)
		frequencies, b := r.ChosenFrequencies()
		assert.True(t, mat.Equal(w, frequencies))
		assert.Equal(t, phase, b != nil)
		worst := 0.0
		for i := range 150 {
			for j := range 210 {
				p := floats.Dot(x.RawRowView(i), w.RawRowView(j))
				if phase {
					worst = max(worst, math.Abs(math.Sqrt(6.0/210)*math.Cos(p+b[j])-z.At(i, j)))
					continue
				}
				worst = max(worst, math.Abs(math.Sqrt(6.0/420)*math.Cos(p)-z.At(i, 2*j)), math.Abs(math.Sqrt(6.0/420)*math.Sin(p)-z.At(i, 2*j+1)))
			}
		}
		assert.Less(t, worst, 1e-13)
	}
}

var fourierKernels = []kernels.Kernel{
	kernels.RBF{Gamma: 0.2}, kernels.Laplacian{Gamma: 0.2}, kernels.Matern{Length: 2}, kernels.Matern{Nu: 2.5, Length: 2},
	kernels.Product{kernels.RBF{Gamma: 0.1}, kernels.Laplacian{Gamma: 0.1}}, kernels.Scaled{Kernel: kernels.Product{kernels.Matern{Length: 3}, kernels.RBF{Gamma: 0.1}}, Factor: 2},
}

// The error agrees with theory. For independent frequencies, D·E(error²) over the pairs of rows is E(1 + k(2δ) - 2k(δ)²) of one
// pair of features. The other samplings have no larger error.
func TestFourierApproximatesItsKernel(t *testing.T) {
	x := maptest.NormalRows(60, 4, 1)
	n, _ := x.Dims()
	var double mat.Dense
	double.Scale(2, x)
	for _, k := range fourierKernels {
		spectrum, err := kernels.SpectralDensityOf(k)
		require.NoError(t, err)
		exact, doubled := kernelOf(t, k, x), kernelOf(t, k, &double)
		c := exact.At(0, 0)
		theory := 0.0 // for one pair
		for i := range n {
			for j := range n {
				v := exact.At(i, j) / c
				theory += c * c * (1 + doubled.At(i, j)/c - 2*v*v) / 2 / float64(n*n)
			}
		}
		for _, s := range []Sampling{AutomaticSampling, Independent, Orthogonal, QuasiMonteCarlo} {
			if s == Orthogonal && !spectrum.RotationInvariant {
				continue
			}
			total := 0.0
			const repeats, features = 40, 256
			for seed := range uint64(repeats) {
				z := maptest.FitTransform(t, &RandomFourier{Kernel: k, Components: features, Sampling: s, Seed: seed}, x)
				for i := range 5 { // cos² + sin² of each pair is constant
					assert.InDelta(t, c, mat.Dot(z.RowView(i), z.RowView(i)), 1e-12)
				}
				total += meanSquare(exact, gram(z)) / repeats
			}
			ratio := total / (theory / (features / 2))
			if s == Independent {
				assert.InDelta(t, 1, ratio, 0.25, "%v", k)
			} else {
				assert.Less(t, ratio, 1.0, "%v %v", k, s)
			}
		}
		phase := 0.0
		for seed := range uint64(20) {
			phase += meanSquare(exact, gram(maptest.FitTransform(t, &RandomFourier{Kernel: k, Components: 256, RandomPhase: true, Seed: seed}, x))) / 20
		}
		assert.InDelta(t, 0, phase, c*c*3.0/256, "%v with phases", k)
	}
}

// The mean squared error decreases as 1/D.
func TestFourierSlope(t *testing.T) {
	x, k := maptest.NormalRows(50, 5, 2), kernels.RBF{Gamma: 0.15}
	exact := kernelOf(t, k, x)
	for _, s := range []Sampling{Independent, Orthogonal, QuasiMonteCarlo} {
		var errors [2]float64
		for i, features := range []int{64, 1024} {
			for seed := range uint64(20) {
				errors[i] += meanSquare(exact, gram(maptest.FitTransform(t, &RandomFourier{Kernel: k, Components: features, Sampling: s, Seed: seed}, x)))
			}
		}
		slope := math.Log(errors[1]/errors[0]) / math.Log(16)
		assert.Less(t, slope, -0.85, "%v", s)
	}
}

// Orthogonal frequencies are orthogonal within a block, and their directions are uniform: no axis is preferred.
func TestOrthogonalFrequencies(t *testing.T) {
	const d = 4
	r := &RandomFourier{Kernel: kernels.RBF{Gamma: 0.5}, Components: 2 * 4002, Sampling: Orthogonal}
	maptest.FitTransform(t, r, maptest.NormalRows(3, d, 1))
	w, _ := r.ChosenFrequencies()
	for first := 0; first+d <= 40; first += d {
		g := gram(w.Slice(first, first+d, 0, d).(*mat.Dense))
		for i := range d {
			for j := range i {
				assert.InDelta(t, 0, g.At(i, j), 1e-12)
			}
		}
	}
	means, squares := make([]float64, d), make([]float64, d)
	for i := range 4002 {
		for j, v := range w.RawRowView(i) {
			means[j] += v / 4002
			squares[j] += v * v / 4002
		}
	}
	for j := range d { // standard normal
		assert.InDelta(t, 0, means[j], 0.08)
		assert.InDelta(t, 1, squares[j], 0.1)
	}
}

func TestAutomaticSampling(t *testing.T) {
	for _, c := range []struct {
		kernel kernels.Kernel
		d      int
		want   Sampling
	}{{kernels.RBF{}, quasiColumns, QuasiMonteCarlo}, {kernels.RBF{}, quasiColumns + 1, Orthogonal}, {kernels.Laplacian{}, 60, QuasiMonteCarlo}} {
		x := maptest.NormalRows(5, c.d, 1)
		got := maptest.FitTransform(t, &RandomFourier{Kernel: c.kernel}, x)
		assert.Equal(t, maptest.FitTransform(t, &RandomFourier{Kernel: c.kernel, Sampling: c.want}, x), got, "%v, %d", c.kernel, c.d)
	}
}

// With fewer than quasiColumns columns, quasi-Monte Carlo has a smaller error than orthogonal frequencies. With more columns, the
// latter have the smaller error.
func TestQuasiColumns(t *testing.T) {
	for _, d := range []int{1, 3, 5, quasiColumns, 20, 40} {
		x := maptest.NormalRows(100, d, 1)
		for _, k := range []kernels.Kernel{kernels.RBF{Gamma: 0.5 / float64(d)}, kernels.Matern{Length: float64(d) / 2}} {
			exact := kernelOf(t, k, x)
			errors := map[Sampling]float64{}
			for s := Independent; s <= QuasiMonteCarlo; s++ {
				for seed := range uint64(6) {
					errors[s] += meanSquare(exact, gram(maptest.FitTransform(t, &RandomFourier{Kernel: k, Components: 512, Sampling: s, Seed: seed}, x)))
				}
			}
			orthogonal, quasi := errors[Orthogonal]/errors[Independent], errors[QuasiMonteCarlo]/errors[Independent]
			t.Logf("%d columns, %v: of the error of independent frequencies orthogonal ones have %.3f, quasi-Monte Carlo %.3f", d, k, orthogonal, quasi)
			if d < quasiColumns {
				assert.Less(t, quasi, 0.8*orthogonal, "%d columns, %v", d, k)
			}
			if d > quasiColumns {
				assert.Less(t, orthogonal, 0.9*quasi, "%d columns, %v", d, k)
			}
		}
	}
}

// For each coordinate of the sequence, each of b^k equal intervals contains one of the first b^k points.
func TestHaltonIsEven(t *testing.T) {
	for j, c := range newHalton(7, 5) {
		base := []int{2, 3, 5, 7, 11, 13, 17}[j]
		n := base * base
		seen := map[int]bool{}
		for i := range n {
			u := c.coefficient(i)
			assert.True(t, u >= 0 && u < 1)
			seen[int(u*float64(n))] = true
		}
		assert.Len(t, seen, n, "base %d", base)
	}
	assert.NotEqual(t, newHalton(1, 1)[0].coefficient(1), newHalton(1, 2)[0].coefficient(1))
	assert.Equal(t, 0x1p-54, open(0))
	assert.Less(t, open(1), 1.0)
}

// With the same seed, the features of a smaller map are the first features of a larger one, except for the scale 1/√Components.
// This holds for every sampling.
func TestFourierMapsAreNested(t *testing.T) {
	x := maptest.NormalRows(20, 3, 1)
	for _, k := range []kernels.Kernel{nil, kernels.Laplacian{}} {
		for _, phase := range []bool{false, true} {
			large := maptest.FitTransform(t, &RandomFourier{Kernel: k, Components: 100, RandomPhase: phase, Seed: 4}, x)
			small := maptest.FitTransform(t, &RandomFourier{Kernel: k, Components: 50, RandomPhase: phase, Seed: 4}, x)
			small.Scale(math.Sqrt(0.5), small)
			assert.True(t, mat.EqualApprox(large.Slice(0, 20, 0, 50), small, 1e-13))
			other := maptest.FitTransform(t, &RandomFourier{Kernel: k, Components: 50, RandomPhase: phase, Seed: 5}, x)
			assert.False(t, mat.EqualApprox(other, small, 1e-3))
		}
	}
}

// A shift of all rows changes no inner product, also far from the origin.
func TestFourierIsShiftInvariant(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		x := maptest.NormalRows(8, 3, rapid.Uint64().Draw(rt, "seed"))
		shift := rapid.Float64Range(-1e6, 1e6).Draw(rt, "shift")
		moved := mat.DenseCopyOf(x)
		moved.Apply(func(_, _ int, v float64) float64 { return v + shift }, moved)
		r := &RandomFourier{Kernel: kernels.RBF{}, Components: 40}
		a, b := gram(maptest.FitTransform(t, r, x)), gram(maptest.FitTransform(t, r, moved))
		if !mat.EqualApprox(a, b, 1e-8) {
			rt.Fatalf("%v\n%v", mat.Formatted(a), mat.Formatted(b))
		}
	})
}

func TestFourierErrors(t *testing.T) {
	x := maptest.NormalRows(4, 2, 1)
	for want, r := range map[string]*RandomFourier{
		"RandomFourier: Components = 3, want even": {Components: 3},
		"Components = -1, want >= 1":               {Components: -1, RandomPhase: true},
		"Sampling = 9, want":                       {Sampling: 9},
		"Linear, want a kernel with a spectral":    {Kernel: kernels.Linear{}},
		"Sampling = Orthogonal, want another: the spectral density of Laplacian(gamma=1)": {Kernel: kernels.Laplacian{}, Sampling: Orthogonal},
		"Gamma = -1": {Kernel: kernels.RBF{Gamma: -1}},
		"= 4 and AutomaticSampling, want 0 with given Frequencies": {Components: 4, Frequencies: mat.NewDense(1, 2, nil)},
	} {
		err := r.Fit(context.Background(), x)
		assert.ErrorIs(t, err, fault.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	assert.EqualError(t, (&RandomFourier{Frequencies: mat.NewDense(1, 3, nil)}).Fit(context.Background(), x), "featuremap: RandomFourier: Frequencies has 3 columns, x has 2")
	assert.ErrorIs(t, (&RandomFourier{Frequencies: mat.NewDense(1, 2, []float64{1, math.NaN()})}).Fit(context.Background(), x), fault.ErrNotFinite)
	r := &RandomFourier{Frequencies: mat.NewDense(1, 2, []float64{1e200, 1})}
	w, b := r.ChosenFrequencies()
	assert.Nil(t, w)
	assert.Nil(t, b)
	maptest.FitTransform(t, r, x)
	_, err := r.Transform(mat.NewDense(2, 2, []float64{1, 1, 1e200, 1}))
	assert.EqualError(t, err, "featuremap: RandomFourier: result[1,0] is NaN")
	assert.Equal(t, "AutomaticSampling Independent Orthogonal QuasiMonteCarlo Sampling(7)",
		fmt.Sprint(AutomaticSampling, Independent, Orthogonal, QuasiMonteCarlo, Sampling(7)))
	z := maptest.FitTransform(t, &RandomFourier{}, x)
	_, width := z.Dims()
	assert.Equal(t, defaultComponents, width)
}

// mapOf has the methods that the three maps have in common.
type mapOf interface {
	maptest.Marshaller
	transformers.TransformerTo
}

func maps() map[string]mapOf {
	return map[string]mapOf{
		"RandomFourier":            &RandomFourier{Components: 10},
		"LocallyStationaryFourier": &LocallyStationaryFourier{Components: 10},
		"Nystroem":                 &Nystroem{Components: 10},
	}
}

func TestTransformTo(t *testing.T) {
	x := maptest.NormalRows(300, 3, 1)
	for name, m := range maps() {
		require.ErrorIs(t, m.TransformTo(&mat.Dense{}, x), fault.ErrNotFitted, name)
		want := maptest.FitTransform(t, m, x)
		wide := mat.NewDense(300, 14, nil)
		require.NoError(t, m.TransformTo(wide.Slice(0, 300, 2, 12).(*mat.Dense), x))
		assert.True(t, mat.Equal(want, wide.Slice(0, 300, 2, 12)), name)
		assert.Zero(t, mat.Norm(wide.Slice(0, 300, 12, 14), 1)+mat.Norm(wide.Slice(0, 300, 0, 2), 1), name)
		assert.ErrorContains(t, m.TransformTo(mat.NewDense(300, 5, nil), x), ": dst has 5 columns, want 300 rows of 10, dst has 300 rows", name)
		assert.ErrorIs(t, m.TransformTo(&mat.Dense{}, maptest.NormalRows(2, 4, 1)), fault.ErrShape, name)
	}
}

func TestBlocks(t *testing.T) {
	x := maptest.NormalRows(300, 3, 1)
	r, l, n := &RandomFourier{Components: 10}, &LocallyStationaryFourier{Components: 10}, &Nystroem{Components: 10}
	for range r.Blocks(x, 7) {
		break
	}
	for _, err := range r.Blocks(x, 7) {
		assert.ErrorIs(t, err, fault.ErrNotFitted)
	}
	for _, rows := range []int{1, 64, 128, 299, 300, 1000} {
		for _, c := range []struct {
			all    *mat.Dense
			blocks func(yield func(*mat.Dense, error) bool)
		}{{maptest.FitTransform(t, r, x), r.Blocks(x, rows)}, {maptest.FitTransform(t, l, x), l.Blocks(x, rows)}, {maptest.FitTransform(t, n, x), n.Blocks(x, rows)}} {
			first := 0
			for z, err := range c.blocks {
				require.NoError(t, err)
				k, _ := z.Dims()
				assert.True(t, mat.EqualApprox(c.all.Slice(first, first+k, 0, 10), z, 1e-12))
				first += k
			}
			assert.Equal(t, 300, first)
		}
	}
	for _, err := range n.Blocks(x, 0) {
		assert.ErrorIs(t, err, fault.ErrParam)
	}
	for _, err := range n.Blocks(nil, 3) {
		assert.ErrorIs(t, err, fault.ErrShape)
	}
	// The error states the row of x.
	x.Set(200, 1, 1e200)
	r.Frequencies, r.Components = mat.NewDense(1, 3, []float64{0, 1e200, 0}), 0
	require.NoError(t, r.Fit(context.Background(), x))
	count := 0
	for z, err := range r.Blocks(x, 64) {
		if count++; count == 4 {
			assert.Nil(t, z)
			assert.EqualError(t, err, "featuremap: RandomFourier: result[200,0] is NaN")
		}
	}
	assert.Equal(t, 4, count)
}
