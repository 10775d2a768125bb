package landmarks

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

func denseOf(rows [][]float64) *mat.Dense {
	out := mat.NewDense(len(rows), len(rows[0]), nil)
	for i, r := range rows {
		out.SetRow(i, r)
	}
	return out
}

// ofPrecisions returns the kernel exp(-Σ θ (x - z)²).
func ofPrecisions(theta []float64) kernels.ARD {
	lengths := make([]float64, len(theta))
	for j, t := range theta {
		lengths[j] = 1 / math.Sqrt(t)
	}
	return kernels.ARD{Kernel: kernels.RBF{Gamma: 1}, Lengths: lengths}
}

// Values and gradients agree with the references, which were computed with 50 digits and without jitter.
func TestObjectivesReference(t *testing.T) {
	data, err := os.ReadFile("testdata/objectives.json")
	require.NoError(t, err)
	var file struct {
		X, Landmarks [][]float64
		Y            []float64
		Cases        []struct {
			Precisions  []float64 `json:"column_precisions"`
			Ridge       float64
			Intercept   bool
			Weights     []float64
			Effective   float64    `json:"effective_dimension"`
			Fit         float64    `json:"data_fit"`
			GCV         float64    `json:"gcv"`
			LeaveOneOut float64    `json:"loo_mean_square"`
			GradientLOO []float64  `json:"gradient_loo"`
			Noise       float64    `json:"noise_variance"`
			Trace       float64    `json:"trace"`
			Complexity  *float64   `json:"compreg"`
			Gradient    *[]float64 `json:"gradient_compreg"`
		}
	}
	require.NoError(t, json.Unmarshal(data, &file))
	require.NotEmpty(t, file.Cases)
	complexities, weighted := 0, 0
	for _, c := range file.Cases {
		p := &Problem{X: denseOf(file.X), Y: mat.NewDense(len(file.Y), 1, file.Y), Landmarks: denseOf(file.Landmarks), Weights: c.Weights, NoIntercept: !c.Intercept, Noise: c.Noise}
		gradient := make([]float64, len(c.GradientLOO))
		check := func(want float64, wanted []float64) {
			t.Helper()
			v, err := p.Value(ctx, ofPrecisions(c.Precisions), c.Ridge, gradient)
			require.NoError(t, err)
			assert.InEpsilon(t, want, v.F, 1e-9)
			for j := range c.Precisions { // p differentiates by ln ℓ, the reference by ln θ, and ℓ = θ^-½
				gradient[j] /= -2
			}
			assert.InDeltaSlice(t, wanted, gradient, 1e-8*floats.Norm(wanted, math.Inf(1)))
			assert.InEpsilon(t, c.Effective, v.Effective, 1e-9)
			assert.InEpsilon(t, c.Fit, v.Fit, 1e-9)
			assert.InEpsilon(t, c.GCV, v.GCV, 1e-9)
			if c.Complexity != nil {
				assert.InEpsilon(t, c.Trace, v.Trace, 1e-9)
			}
		}
		check(c.LeaveOneOut, c.GradientLOO)
		if c.Weights != nil {
			weighted++
		}
		if c.Complexity != nil {
			complexities++
			p.Kind = Complexity
			check(*c.Complexity, *c.Gradient)
		}
	}
	assert.Positive(t, complexities)
	assert.Positive(t, weighted)
}

// drawn returns a problem with n weighted rows and two targets. The first m rows are the landmarks.
func drawn(n, d, m int) *Problem {
	rng := rand.New(rand.NewPCG(1, 1))
	p := &Problem{X: mat.NewDense(n, d, nil), Y: mat.NewDense(n, 2, nil), Weights: make([]float64, n), Jitter: 1e-13}
	for i := range n {
		row := p.X.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		p.Y.Set(i, 0, math.Sin(2*row[0])+row[1]+.1*rng.NormFloat64())
		p.Y.Set(i, 1, row[0]*row[1]+.1*rng.NormFloat64())
		p.Weights[i] = .5 + rng.Float64()
	}
	p.Landmarks = mat.DenseCopyOf(p.X.Slice(0, m, 0, d))
	return p
}

// Gradients agree with finite differences. The kernels are of several kinds, and k(x, x) of one of them depends on a parameter.
func TestGradientsAreThoseOfTheValues(t *testing.T) {
	matern := kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{1.5, 2, 3}}
	for name, k := range map[string]kernels.Differentiable{
		"Matérn":    matern,
		"grouped":   kernels.ARD{Kernel: kernels.Matern{Nu: 1.5}, Lengths: []float64{1.5, 2}, Groups: []int{0, 1, 0}},
		"quadratic": kernels.ARD{Kernel: kernels.RationalQuadratic{Alpha: 1.5}, Lengths: []float64{1.5, 2, 3}},
		"scaled":    kernels.Scaled{Kernel: kernels.RBF{Gamma: .3}, Factor: 2},
	} {
		for _, kind := range []Kind{LeaveOneOut, Complexity} {
			for _, none := range []bool{false, true} {
				p := drawn(700, 3, 20)
				p.Kind, p.NoIntercept, p.Noise = kind, none, .02
				if kind == Complexity {
					p.Weights = nil
				}
				theta := append(kernels.LogParams(k), math.Log(.3))
				at := func(theta, gradient []float64) float64 {
					last := len(theta) - 1
					v, err := p.Value(ctx, kernels.WithLogParams(k, theta[:last]), math.Exp(theta[last]), gradient)
					require.NoError(t, err)
					return v.F
				}
				gradient := make([]float64, len(theta))
				at(theta, gradient)
				for j := range theta {
					const step = 1e-4
					side := func(by float64) float64 {
						moved := append([]float64{}, theta...)
						moved[j] += by
						return at(moved, nil)
					}
					difference := (8*(side(step)-side(-step)) - side(2*step) + side(-2*step)) / (12 * step)
					assert.InDelta(t, difference, gradient[j], 1e-6*floats.Norm(gradient, math.Inf(1)), "%s, %v, %v, %d", name, kind, none, j)
				}
			}
		}
	}
}

// The results are bit-identical for any number of workers, since sums are added by blocks in the order of the rows.
func TestWorkersChangeNothing(t *testing.T) {
	var want []float64
	for _, workers := range []int{1, 2, 3, 7} {
		p := drawn(2500, 3, 30)
		p.Workers = workers
		got := make([]float64, 4)
		v, err := p.Value(ctx, kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{1.5, 2, 3}}, .3, got)
		require.NoError(t, err)
		got = append(got, v.F, v.GCV, v.Trace)
		if want == nil {
			want = got
		}
		assert.Equal(t, want, got, "%d workers", workers)
	}
}

// AtRidges returns the same result for a ridge as Value does.
func TestAtRidges(t *testing.T) {
	p := drawn(700, 3, 20)
	k := kernels.ARD{Kernel: kernels.Matern{Nu: 1.5}, Lengths: []float64{1, 2, 3}}
	ridges := []float64{1e-3, .1, 10}
	values, err := p.AtRidges(ctx, k, ridges)
	require.NoError(t, err)
	for i, ridge := range ridges {
		alone, err := p.Value(ctx, k, ridge, nil)
		require.NoError(t, err)
		assert.Equal(t, alone, values[i])
	}
	assert.Greater(t, values[0].Effective, values[2].Effective)
}

// For an indefinite kernel the value is +Inf. A kernel that cannot be computed is an error.
func TestNoValue(t *testing.T) {
	p := drawn(100, 3, 20)
	v, err := p.Value(ctx, kernels.Tanh{Gamma: 1, Coef0: -3}, 1, make([]float64, 3))
	require.NoError(t, err)
	assert.True(t, math.IsInf(v.F, 1))
	values, err := p.AtRidges(ctx, kernels.Tanh{Gamma: 1, Coef0: -3}, []float64{1, 2})
	require.NoError(t, err)
	assert.True(t, math.IsInf(values[1].F, 1))
	_, err = p.Value(ctx, kernels.ARD{Kernel: kernels.RBF{Gamma: 1}, Lengths: []float64{1, 1}}, 1, nil)
	require.Error(t, err, "another number of columns")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = p.Value(ended, kernels.RBF{Gamma: 1}, 1, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// Results with stored features agree with those with recomputed features, up to rounding.
func TestKeptFeatures(t *testing.T) {
	k := kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{1, 2, 3}}
	for _, kind := range []Kind{LeaveOneOut, Complexity} {
		for _, noIntercept := range []bool{false, true} {
			p := drawn(1300, 3, 40) // three blocks
			p.Kind, p.NoIntercept, p.Noise = kind, noIntercept, .1
			if kind == LeaveOneOut {
				p.Weights = make([]float64, 1300)
				for i := range p.Weights {
					p.Weights[i] = 1 + float64(i%3)
				}
			}
			kept, anew := make([]float64, 4), make([]float64, 4)
			a, err := p.Value(ctx, k, .5, kept)
			require.NoError(t, err)
			p.anew = true
			b, err := p.Value(ctx, k, .5, anew)
			require.NoError(t, err)
			assert.InEpsilon(t, b.F, a.F, 1e-10)
			for j := range anew {
				assert.InDelta(t, anew[j], kept[j], 1e-8*floats.Norm(anew, 2))
			}
		}
	}
}
