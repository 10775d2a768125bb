package stack

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

func read(t *testing.T, name string, into any) {
	data, err := os.ReadFile("testdata/" + name + ".json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(data, into))
}

// Shares agree with those of an independent solver.
func TestNumbersOfReference(t *testing.T) {
	for _, name := range []string{"numbers", "numbers_corner", "numbers_ridge"} {
		var want struct {
			Y, W        []float64
			LeaveOneOut [][]float64 `json:"leave_one_out"`
			Rho         float64
			G           [][]float64
			Theta       []float64
		}
		read(t, name, &want)
		e := make([][]float64, len(want.Theta))
		for k := range e {
			for i, row := range want.LeaveOneOut {
				e[k] = append(e[k], want.Y[i]-row[k])
			}
		}
		g := Errors(e, want.W)
		for k, row := range want.G {
			assert.InDeltaSlice(t, row, mat.Row(nil, k, g), 1e-12, name)
		}
		assert.InDeltaSlice(t, want.Theta, OfSquaredError(g, want.Rho), 1e-7, name)
	}
}

func TestClassesOfReference(t *testing.T) {
	for _, name := range []string{"classes", "classes_prior"} {
		var want struct {
			Y         []int
			W         []float64
			Pi        [][][]float64
			A         float64
			Theta     []float64
			Objective float64
		}
		read(t, name, &want)
		p := make([][]float64, len(want.Theta))
		for k := range p {
			for i, label := range want.Y {
				p[k] = append(p[k], want.Pi[i][k][label])
			}
		}
		got := OfLogLoss(p, want.W, want.A)
		value := 0.0
		for i := range want.Y {
			mixed := 0.0
			for k := range p {
				mixed += got[k] * p[k][i]
			}
			value += want.W[i] * math.Log(mixed)
		}
		for k := range got {
			if want.A > 1 {
				value += (want.A - 1) * math.Log(got[k])
			}
		}
		assert.InDelta(t, want.Objective, value, 1e-6, name)
		assert.InDeltaSlice(t, want.Theta, got, 1e-4, name)
	}
}

// No transfer of weight between two models lowers the error at the optimum, for any errors. These are the Karush-Kuhn-Tucker
// conditions, which suffice for a convex function.
func TestOptimumOfRandomErrors(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 400 {
		models, rows := 1+rng.IntN(20), 1+rng.IntN(40)
		e := make([][]float64, models)
		common := make([]float64, rows)
		for i := range common {
			common[i] = rng.NormFloat64()
		}
		for k := range e {
			for _, c := range common {
				e[k] = append(e[k], c+rng.NormFloat64()*math.Pow(10, float64(rng.IntN(4)-2)))
			}
			if k > 0 && rng.IntN(5) == 0 {
				e[k] = slices.Clone(e[k-1])
			}
		}
		rho := []float64{0, .01, 1}[trial%3]
		g := Errors(e, nil)
		theta := OfSquaredError(g, rho)
		require.InDelta(t, 1, floats.Sum(theta), 1e-12)
		slope, level, largest := make([]float64, models), math.Inf(1), rho
		for k := range theta {
			require.GreaterOrEqual(t, theta[k], 0.0)
			slope[k] = rho * theta[k]
			largest = max(largest, g.At(k, k))
			for l, v := range theta {
				slope[k] += g.At(k, l) * v
			}
			level = min(level, slope[k])
		}
		for k, v := range theta {
			if v > 1e-9 {
				require.InDelta(t, level, slope[k], 1e-10*largest, "trial %d, model %d of %d", trial, k, models)
			}
		}
	}
}

func TestSharesOfLittle(t *testing.T) {
	assert.Equal(t, []float64{.5, .5}, OfSquaredError(mat.NewSymDense(2, nil), 0), "no model errs")
	assert.Equal(t, []float64{1}, OfSquaredError(mat.NewSymDense(1, []float64{3}), 0))
	same := OfSquaredError(mat.NewSymDense(2, []float64{1, 1, 1, 1}), .1)
	assert.InDeltaSlice(t, []float64{.5, .5}, same, 1e-9)
	assert.Equal(t, []float64{.5, .5}, OfLogLoss([][]float64{{0, 0}, {0, 0}}, nil, 1), "no model is possible")
	assert.InDeltaSlice(t, []float64{1, 0}, OfLogLoss([][]float64{{.9, .8}, {.1, 0}}, nil, 1), 1e-6)
}

func TestPrune(t *testing.T) {
	theta := []float64{.01, .6, .39}
	Prune(theta, .02)
	assert.InDeltaSlice(t, []float64{0, .6 / .99, .39 / .99}, theta, 1e-15)
	theta = []float64{.3, .4, .3}
	Prune(theta, .5)
	assert.Equal(t, []float64{0, 1, 0}, theta)
}

func TestWeights(t *testing.T) {
	assert.Equal(t, []float64{1, 1, 1}, Weights(3, nil, nil))
	assert.Equal(t, []float64{.5, .5, .5, .5}, Weights(4, nil, []int{0, 1, 0, 1}), "two rows, each twice")
	assert.Equal(t, []float64{1, 1}, Weights(2, []float64{7, 7}, nil))
	for _, w := range []float64{1e-320, 1e300} {
		assert.InDeltaSlice(t, []float64{2. * 3 / 5, 1. * 3 / 5}, Weights(2, []float64{2 * w, w}, nil), 1e-3)
	}
	// A repeated row is equivalent to a row with twice the weight.
	twice, heavy := Weights(4, nil, []int{0, 0, 1, 2}), Weights(3, []float64{2, 1, 1}, nil)
	assert.InDelta(t, heavy[0], twice[0]+twice[1], 1e-15)
	assert.InDelta(t, heavy[1], twice[2], 1e-15)
	assert.InDelta(t, 16./6, floats.Sum(heavy), 1e-15)
}

// If errors are twice their standard deviations, the factor is 4, and the density is that of the normal distribution.
func TestVarianceFactorAndDensity(t *testing.T) {
	e, v := []float64{2, -2, 4, -4}, []float64{1, 1, 4, 4}
	w := []float64{1, 1, 1, 1}
	assert.InDelta(t, 4, VarianceFactor([][]float64{e}, [][]float64{v}, []float64{1}, w), 1e-12)
	// The mean of two models with opposite errors has no error, and the variance is that of the mixture.
	opposite := []float64{-2, 2, 0, 0}
	got := VarianceFactor([][]float64{e, opposite}, [][]float64{v, v}, []float64{.5, .5}, w)
	assert.InDelta(t, (0+0+4./(4+4)+4./(4+4))/4, got, 1e-12)
	assert.Zero(t, VarianceFactor([][]float64{e, e}, [][]float64{v, nil}, []float64{.5, .5}, w))
	density, mse := Density(e, v, w)
	assert.InDelta(t, 10, mse, 1e-12)
	want := 0.0
	for i, r := range e {
		want -= (math.Log(2*math.Pi*4*v[i]) + r*r/4/v[i]) / 2 / 4
	}
	assert.InDelta(t, want, density, 1e-12)
}
