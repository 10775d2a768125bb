package featuremap

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/internal/maptest"
)

func TestLocallyStationaryReference(t *testing.T) {
	var c struct {
		X, Omega, V, Psi, Gram [][]float64
	}
	golden.Load(t, "locally_stationary_map.json", &c)
	x := golden.Dense(c.X)
	_, d := x.Dims()
	z := maptest.FitTransform(t, &LocallyStationaryFourier{
		AllPairs: true, LocalFrequencies: golden.Dense(c.V), Frequencies: golden.Dense(c.Omega), Origin: make([]float64, d),
	}, x)
	maptest.EqualRows(t, c.Psi, z, "features")
	maptest.EqualRows(t, c.Gram, gram(z), "inner products")
}

// trueKernel computes the matrix of the documented kernel.
func trueKernel(k1, k2 kernels.Kernel, x *mat.Dense, origin []float64) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n, n, nil)
	zero, half, sum := make([]float64, d), make([]float64, d), make([]float64, d)
	out.Apply(func(i, j int, _ float64) float64 {
		a, b := x.RawRowView(i), x.RawRowView(j)
		for c := range d {
			half[c], sum[c] = (a[c]-b[c])/2, (a[c]+b[c])/2-origin[c]
		}
		return (k1.Eval(sum, zero) + k1.Eval(half, zero)) / 2 * k2.Eval(a, b)
	}, out)
	return out
}

// The error decreases like that of a mean of independent pairs, for both kinds of sampling. The kernel differs from the stationary
// kernel.
func TestLocallyStationaryApproximatesItsKernel(t *testing.T) {
	x := maptest.NormalRows(40, 3, 3)
	x.Apply(func(_, j int, v float64) float64 { return v + float64(j) }, x)
	k1, k2 := kernels.RBF{Gamma: 0.4}, kernels.Laplacian{Gamma: 0.2}
	want := trueKernel(k1, k2, x, columnMeans(x))
	assert.Greater(t, meanSquare(want, kernelOf(t, k2, x)), 0.01)
	for _, s := range []Sampling{AutomaticSampling, Independent, QuasiMonteCarlo} {
		var errors [2]float64
		for i, features := range []int{128, 2048} {
			for seed := range uint64(10) {
				z := maptest.FitTransform(t, &LocallyStationaryFourier{Local: k1, Stationary: k2, Components: features, Sampling: s, Seed: seed}, x)
				errors[i] += meanSquare(want, gram(z)) / 10
			}
		}
		assert.Less(t, errors[1], 1.5/2048, "%v", s)
		assert.Less(t, math.Log(errors[1]/errors[0])/math.Log(16), -0.8, "%v", s)
	}
	z := maptest.FitTransform(t, &LocallyStationaryFourier{Local: k1, Stationary: k2, Components: 2 * 60 * 60, AllPairs: true}, x)
	assert.Less(t, meanSquare(want, gram(z)), 0.02)
	// Scaled kernels scale the features.
	z = maptest.FitTransform(t, &LocallyStationaryFourier{Local: kernels.Scaled{Kernel: k1, Factor: 2}, Stationary: kernels.Scaled{Kernel: k2, Factor: 3}, Components: 4096}, x)
	want.Scale(6, want)
	assert.Less(t, meanSquare(want, gram(z)), 36*1.5/4096)
}

// With v = 0 the map is that of the stationary kernel. The frequencies v and w are not copies of each other.
func TestLocallyStationaryWithoutPlace(t *testing.T) {
	x, w := maptest.NormalRows(9, 2, 1), maptest.NormalRows(5, 2, 2)
	z := maptest.FitTransform(t, &LocallyStationaryFourier{LocalFrequencies: mat.NewDense(5, 2, nil), Frequencies: w, Origin: []float64{0, 0}}, x)
	want := maptest.FitTransform(t, &RandomFourier{Frequencies: w}, x)
	assert.True(t, mat.EqualApprox(want, z, 1e-14))
	for _, s := range []Sampling{Independent, Orthogonal, QuasiMonteCarlo} {
		l := &LocallyStationaryFourier{Local: kernels.RBF{}, Stationary: kernels.RBF{}, Components: 4000, Sampling: s}
		maptest.FitTransform(t, l, x)
		v, w := l.ChosenFrequencies()
		a, b := mat.Col(nil, 0, v), mat.Col(nil, 0, w)
		correlation := floats.Dot(a, b) / floats.Norm(a, 2) / floats.Norm(b, 2)
		assert.Less(t, math.Abs(correlation), 0.1, "%v", s)
	}
}

func TestLocallyStationaryErrors(t *testing.T) {
	x := maptest.NormalRows(4, 2, 1)
	two := mat.NewDense(2, 2, nil)
	for want, l := range map[string]*LocallyStationaryFourier{
		"Components = 3, want even":                   {Components: 3},
		"= one of them, want both or none":            {Frequencies: two},
		"= 2 and AutomaticSampling, want 0":           {Components: 2, Frequencies: two, LocalFrequencies: two},
		"Linear, want a kernel with a spectral":       {Local: kernels.Linear{}},
		"ELM(sigma=1), want a kernel with a spectral": {Stationary: kernels.ELM{}},
		"features = 18000000, want <= 4194304":        {AllPairs: true, Frequencies: mat.NewDense(3000, 2, nil), LocalFrequencies: mat.NewDense(3000, 2, nil)},
	} {
		err := l.Fit(context.Background(), x)
		assert.ErrorIs(t, err, fault.ErrParam, want)
		assert.ErrorContains(t, err, want)
	}
	for want, l := range map[string]*LocallyStationaryFourier{
		"LocalFrequencies has 2 rows, Frequencies has 1": {Frequencies: mat.NewDense(1, 2, nil), LocalFrequencies: two},
		"LocalFrequencies has 1 columns, x has 2":        {Frequencies: two, LocalFrequencies: mat.NewDense(2, 1, nil)},
		"Origin has 3 entries, x has 2 columns":          {Origin: []float64{1, 2, 3}},
	} {
		err := l.Fit(context.Background(), x)
		require.ErrorIs(t, err, fault.ErrShape, want)
		assert.ErrorContains(t, err, want)
	}
	assert.ErrorIs(t, (&LocallyStationaryFourier{Origin: []float64{1, math.NaN()}}).Fit(context.Background(), x), fault.ErrNotFinite)
	v, w := (&LocallyStationaryFourier{}).ChosenFrequencies()
	assert.Nil(t, v)
	assert.Nil(t, w)
	_, width := maptest.FitTransform(t, &LocallyStationaryFourier{AllPairs: true}, x).Dims()
	assert.Equal(t, 2*15*15, width, "the largest square of pairs within 500 features")
}
