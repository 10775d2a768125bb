package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// symmetric returns a symmetric matrix of normal numbers.
func symmetric(n int, seed uint64) *mat.SymDense {
	rng := rand.New(rand.NewPCG(seed, 3))
	w := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			w.SetSym(i, j, rng.NormFloat64())
		}
	}
	return w
}

// differentiables are kernels of three columns.
func differentiables() []Differentiable {
	l := []float64{0.7, 2, 5}
	return []Differentiable{
		RBF{Gamma: 0.3}, Matern{Nu: 0.5, Length: 2}, Matern{Length: 2}, Matern{Nu: 2.5}, RationalQuadratic{Alpha: 0.6, Length: 2}, Linear{},
		ARD{Kernel: RBF{}, Lengths: l}, ARD{Kernel: Matern{Nu: 0.5}, Lengths: l}, ARD{Kernel: Matern{Nu: 2.5, Length: 0.5}, Lengths: l},
		ARD{Kernel: RationalQuadratic{Alpha: 2}, Lengths: l}, ARD{Kernel: Linear{}, Lengths: l},
		ARD{Kernel: Matern{}, Lengths: l[:2], Groups: []int{1, 0, 1}},
		Laplacian{Gamma: 0.4}, ARD{Kernel: Laplacian{Gamma: 0.4}, Lengths: l},
		Periodic{Periods: []float64{3, 2, 4}, Lengths: l}, Periodic{Periods: []float64{3}}, ARD{Kernel: Periodic{Lengths: []float64{0.8}}, Lengths: l},
		Columns{Of: []int{2, 0}, Kernel: ARD{Kernel: Matern{}, Lengths: l[:2]}}, ARD{Kernel: Columns{Of: []int{1}, Kernel: RBF{}}, Lengths: l},
		Additive{Kernel: Matern{}, Lengths: l}, Additive{Kernel: RationalQuadratic{Alpha: 2}, Lengths: l, Variances: []float64{1, 0.5, 3}},
		ARD{Kernel: Additive{Kernel: RBF{}, Lengths: l}, Lengths: l},
		ARD{Kernel: Polynomial{Degree: 2, Coef0: 1}, Lengths: l}, ARD{Kernel: Tanh{Gamma: 0.1}, Lengths: l},
		Product{ARD{Kernel: Matern{Nu: 2.5}, Lengths: l}, Columns{Of: []int{0}, Kernel: Periodic{}}},
		Sum{Scaled{Kernel: ARD{Kernel: RBF{}, Lengths: l}, Factor: 2}, Linear{}, Matern{}},
		Product{ARD{Kernel: RBF{}, Lengths: l}, Scaled{Kernel: RationalQuadratic{}, Factor: 3}, Matern{}},
		ARD{Kernel: Sum{RBF{Gamma: 0.2}, Product{Matern{}, Scaled{Kernel: RationalQuadratic{}, Factor: 2}}}, Lengths: l},
	}
}

// The derivatives of a sum over all pairs, in blocks, are those of central differences of it,
// and the sum of those of each pair.
func TestGradient(t *testing.T) {
	x := random(stripe+20, 3, 1)
	x.SetRow(3, x.RawRowView(70))
	n, _ := x.Dims()
	w := symmetric(n, 2)
	of := func(k Kernel) (f float64) {
		m, err := Matrix(ctx, k, x, nil)
		require.NoError(t, err)
		for i := range n {
			for j := range n {
				f += w.At(i, j) * m.At(i, j)
			}
		}
		return f
	}
	d, err := NewDerivatives(x, nil)
	require.NoError(t, err)
	var m mat.SymDense
	for _, k := range differentiables() {
		require.NoError(t, d.MatrixTo(ctx, &m, k), k.String())
		want, err := Matrix(ctx, k, x, nil)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(want, &m, 1e-13), k.String())
		theta := LogParams(k)
		got := make([]float64, len(theta))
		require.NoError(t, d.Gradient(ctx, got, w), k.String())
		pairs, pair := make([]float64, len(theta)), make([]float64, len(theta))
		for i := range n {
			for j := range n {
				k.EvalGradient(pair, x.RawRowView(i), x.RawRowView(j))
				for p, v := range pair {
					pairs[p] += v * w.At(i, j)
				}
			}
		}
		for p, at := range theta {
			const h = 1e-4
			differences := 0.0
			for _, s := range []struct{ step, weight float64 }{{h, 8}, {-h, -8}, {2 * h, -1}, {-2 * h, 1}} {
				theta[p] = at + s.step
				differences += s.weight * of(WithLogParams(k, theta)) / (12 * h)
			}
			theta[p] = at
			scale := math.Max(1, math.Abs(pairs[p]))
			assert.InDelta(t, differences, pairs[p], 1e-8*scale, "%v: %v", k, k.Params()[p].Name)
			assert.InDelta(t, pairs[p], got[p], 1e-11*scale, "%v: %v", k, k.Params()[p].Name)
		}
	}
}
