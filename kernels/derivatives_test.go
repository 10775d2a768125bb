package kernels

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
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

// differentiables returns kernels for three columns.
func differentiables() []Differentiable {
	l := []float64{0.7, 2, 5}
	return []Differentiable{
		RBF{Gamma: 0.3}, Matern{Nu: 0.5, Length: 2}, Matern{Length: 2}, Matern{Nu: 2.5}, RationalQuadratic{Alpha: 0.6, Length: 2}, Linear{},
		ARD{Kernel: RBF{}, Lengths: l}, ARD{Kernel: Matern{Nu: 0.5}, Lengths: l}, ARD{Kernel: Matern{Nu: 2.5, Length: 0.5}, Lengths: l},
		ARD{Kernel: RationalQuadratic{Alpha: 2}, Lengths: l}, ARD{Kernel: Linear{}, Lengths: l},
		ARD{Kernel: Matern{}, Lengths: l[:2], Groups: []int{1, 0, 1}},
		ARD{Kernel: Matern{Nu: 2.5}, Lengths: l, Categories: []int{1}}, ARD{Kernel: RationalQuadratic{Alpha: 2}, Lengths: l[:2], Groups: []int{1, 0, 1}, Categories: []int{1, 2}},
		ARD{Kernel: ARD{Kernel: Laplacian{}, Lengths: l, Categories: []int{1}}, Lengths: l},
		Laplacian{Gamma: 0.4}, ARD{Kernel: Laplacian{Gamma: 0.4}, Lengths: l},
		Periodic{Periods: []float64{3, 2, 4}, Lengths: l}, Periodic{Periods: []float64{3}}, ARD{Kernel: Periodic{Lengths: []float64{0.8}}, Lengths: l},
		Columns{Of: []int{2, 0}, Kernel: ARD{Kernel: Matern{}, Lengths: l[:2]}}, ARD{Kernel: Columns{Of: []int{1}, Kernel: RBF{}}, Lengths: l},
		ARD{Kernel: Laplacian{Gamma: .4}, Lengths: l, Categories: []int{0, 1}}, ARD{Kernel: Matern{Nu: .5}, Lengths: l, Categories: []int{0, 1, 2}},
		Columns{Of: []int{2, 1}, Kernel: ARD{Kernel: Product{Matern{}, Scaled{Kernel: Laplacian{}, Factor: 2}}, Lengths: l[:2], Categories: []int{1}}},
		Additive{Kernel: Matern{}, Lengths: l}, Additive{Kernel: RationalQuadratic{Alpha: 2}, Lengths: l, Variances: []float64{1, 0.5, 3}},
		ARD{Kernel: Additive{Kernel: RBF{}, Lengths: l}, Lengths: l},
		ARD{Kernel: Polynomial{Degree: 2, Coef0: 1}, Lengths: l}, ARD{Kernel: Tanh{Gamma: 0.1}, Lengths: l},
		Product{ARD{Kernel: Matern{Nu: 2.5}, Lengths: l}, Columns{Of: []int{0}, Kernel: Periodic{}}},
		Sum{Scaled{Kernel: ARD{Kernel: RBF{}, Lengths: l}, Factor: 2}, Linear{}, Matern{}},
		Product{ARD{Kernel: RBF{}, Lengths: l}, Scaled{Kernel: RationalQuadratic{}, Factor: 3}, Matern{}},
		ARD{Kernel: Sum{RBF{Gamma: 0.2}, Product{Matern{}, Scaled{Kernel: RationalQuadratic{}, Factor: 2}}}, Lengths: l},
	}
}

// The derivatives of a sum over all pairs, computed in blocks, equal its central differences. Package kerneltest checks the
// derivatives of each pair.
func TestGradient(t *testing.T) {
	x := random(blocks.Stripe+20, 3, 1)
	x.SetRow(3, x.RawRowView(70))
	for i := range x.RawMatrix().Rows { // a column of categories
		x.Set(i, 1, math.Round(x.At(i, 1)))
	}
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
		for p, at := range theta {
			const h = 1e-4
			differences := 0.0
			for _, s := range []struct{ step, weight float64 }{{h, 8}, {-h, -8}, {2 * h, -1}, {-2 * h, 1}} {
				theta[p] = at + s.step
				differences += s.weight * of(WithLogParams(k, theta)) / (12 * h)
			}
			theta[p] = at
			assert.InDelta(t, differences, got[p], 1e-8*math.Max(1, math.Abs(got[p])), "%v: %v", k, k.Params()[p].Name)
		}
	}
}

// Stored distances change no result. Kernels with lengths for columns alternate with other kernels for the same rows, so that each
// call finds the stored values of another kernel.
func TestDerivativesAgain(t *testing.T) {
	x, w := random(blocks.Stripe+9, 3, 1), symmetric(blocks.Stripe+9, 2)
	kept, err := NewDerivatives(x, nil)
	require.NoError(t, err)
	var m, again mat.SymDense
	for range 2 {
		for _, k := range differentiables() {
			fresh, err := NewDerivatives(x, &Options{Workers: 1})
			require.NoError(t, err)
			want, got := make([]float64, len(k.Params())), make([]float64, len(k.Params()))
			require.NoError(t, fresh.MatrixTo(ctx, &m, k))
			require.NoError(t, fresh.Gradient(ctx, want, w))
			require.NoError(t, kept.MatrixTo(ctx, &again, k))
			require.NoError(t, kept.Gradient(ctx, got, w))
			assert.True(t, mat.Equal(&m, &again), k.String())
			assert.Equal(t, want, got, k.String())
		}
	}
}

// The derivative for a constant column is exactly 0, whatever its value.
func TestGradientOfConstantColumn(t *testing.T) {
	x, w := random(blocks.Stripe+9, 3, 1), symmetric(blocks.Stripe+9, 2)
	for i := range blocks.Stripe + 9 {
		x.Set(i, 1, 0.1)
	}
	l := []float64{0.7, 0.3, 5}
	d, err := NewDerivatives(x, nil)
	require.NoError(t, err)
	for _, k := range []Differentiable{
		ARD{Kernel: RBF{}, Lengths: l}, ARD{Kernel: Matern{Nu: 0.5}, Lengths: l}, ARD{Kernel: Laplacian{}, Lengths: l},
		Periodic{Periods: l, Lengths: l}, Additive{Kernel: Matern{}, Lengths: l}, ARD{Kernel: ARD{Kernel: Matern{}, Lengths: l}, Lengths: l},
		Product{ARD{Kernel: RationalQuadratic{}, Lengths: l}, ARD{Kernel: RBF{}, Lengths: l}},
	} {
		var m mat.SymDense
		require.NoError(t, d.MatrixTo(ctx, &m, k))
		got := make([]float64, len(k.Params()))
		require.NoError(t, d.Gradient(ctx, got, w))
		for p, q := range k.Params() {
			constant := len(q.Columns) == 1 && q.Columns[0] == 1 && q.Kind != KindVariance
			assert.Equal(t, constant, got[p] == 0, "%v: %s is %v", k, q.Name, got[p])
		}
	}
}

func TestDerivativesErrors(t *testing.T) {
	x := random(4, 2, 1)
	_, err := NewDerivatives(nil, nil)
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = NewDerivatives(x, &Options{MaxBytes: 4*4*8 - 1})
	require.ErrorIs(t, err, fault.ErrTooLarge)
	d, err := NewDerivatives(x, &Options{MaxBytes: 4 * 4 * 8 * 3 / 2})
	require.NoError(t, err)
	var m mat.SymDense
	w, dst := symmetric(4, 1), make([]float64, 1)
	assert.ErrorIs(t, d.Gradient(ctx, dst, w), fault.ErrParam, "no kernel yet")
	for want, k := range map[string]Kernel{
		"a kernel with its own methods":       Normalized{Kernel: RBF{}},
		"Gamma = -1":                          RBF{Gamma: -1},
		"whose derivatives in the columns":    ARD{Kernel: ELM{}, Lengths: []float64{1, 1}},
		"a kernel that is RadialSlopes":       Additive{Kernel: plainRadial{}, Lengths: []float64{1, 1}},
		"rows have 2 columns, ARD has":        ARD{Kernel: RBF{}, Lengths: []float64{1, 1, 1}},
		"distances for its derivatives":       Sum{RBF{}, ARD{Kernel: RBF{}, Lengths: []float64{1, 1}}},
		"kernel 1: rows have 2 columns, Peri": Sum{RBF{}, Periodic{Periods: []float64{1, 2, 3}}},
	} {
		assert.ErrorContains(t, d.MatrixTo(ctx, &m, k), want)
		assert.ErrorIs(t, d.Gradient(ctx, dst, w), fault.ErrParam, "the kernel was refused")
	}
	require.ErrorIs(t, d.MatrixTo(ctx, nil, RBF{}), fault.ErrShape)
	require.ErrorIs(t, d.MatrixTo(ctx, symmetric(3, 1), RBF{}), fault.ErrShape)
	require.NoError(t, d.MatrixTo(ctx, &m, RBF{}))
	assert.ErrorIs(t, d.Gradient(ctx, nil, w), fault.ErrParam)
	assert.ErrorIs(t, d.Gradient(ctx, dst, nil), fault.ErrShape)
	assert.ErrorIs(t, d.Gradient(ctx, dst, symmetric(3, 1)), fault.ErrShape)
	canceled, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, d.Gradient(canceled, dst, w), context.Canceled)
	w.SetSym(1, 2, math.NaN())
	assert.EqualError(t, d.Gradient(ctx, dst, w), "kernels: Derivatives: w[1,2] is NaN")
	w.SetSym(1, 2, math.MaxFloat64)
	require.NoError(t, d.MatrixTo(ctx, &m, Scaled{Kernel: Linear{}, Factor: 1e300}))
	assert.ErrorContains(t, d.Gradient(ctx, dst, w), "the derivatives of Scaled(1e+300, Linear)[0] is ")
}

// plainRadial has no slopes.
type plainRadial struct{}

func (plainRadial) Eval(x, z []float64) float64               { return RBF{}.Eval(x, z) }
func (plainRadial) String() string                            { return "plainRadial" }
func (plainRadial) OfSquaredDistances(dst, squared []float64) { RBF{}.OfSquaredDistances(dst, squared) }
