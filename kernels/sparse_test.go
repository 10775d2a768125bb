package kernels_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// words is a matrix whose rows list their nonzero entries, like sparse.CSR of github.com/james-bowman/sparse. The test fails if
// another method is used to read an entry.
type words struct {
	t       testing.TB
	columns int
	of      []map[int]float64
}

func (w words) Dims() (int, int)    { return len(w.of), w.columns }
func (w words) T() mat.Matrix       { return mat.Transpose{Matrix: w} }
func (w words) At(i, j int) float64 { w.t.Errorf("At(%d, %d)", i, j); return w.of[i][j] }
func (w words) dense() *mat.Dense {
	out := mat.NewDense(len(w.of), w.columns, nil)
	for i, row := range w.of {
		for j, v := range row {
			out.Set(i, j, v)
		}
	}
	return out
}

func (w words) DoRowNonZero(i int, f func(i, j int, v float64)) {
	for j, v := range w.of[i] { // in no particular order
		f(i, j, v)
	}
}

// texts returns n rows with entries in a few of the columns, some of which are frequent. Two rows are equal, one is nearly equal to
// another, and one is empty.
func texts(t testing.TB, n, columns int, seed uint64) words {
	rng := rand.New(rand.NewPCG(seed, 4))
	z := rand.NewZipf(rng, 1.2, 2, uint64(columns-1))
	w := words{t: t, columns: columns}
	for range n {
		row := map[int]float64{}
		for range 1 + rng.IntN(8) {
			row[int(z.Uint64())] += .5 + rng.Float64()
		}
		w.of = append(w.of, row)
	}
	if n > 8 {
		near := map[int]float64{}
		for j, v := range w.of[1] {
			near[j] = v * (1 + 1e-9)
		}
		w.of[5], w.of[6], w.of[7] = w.of[1], near, map[int]float64{}
	}
	return w
}

var sparseCtx = context.Background()

var sparseKernels = []kernels.Kernel{
	kernels.Linear{}, kernels.Polynomial{Degree: 3, Gamma: .2, Coef0: 1}, kernels.Tanh{Gamma: .05, Coef0: .1}, kernels.RBF{Gamma: .3},
	kernels.Matern{Nu: 2.5, Length: 2}, kernels.RationalQuadratic{Alpha: .7, Length: 2}, kernels.ELM{Sigma: .5},
	kernels.Sum{kernels.RBF{Gamma: .3}, kernels.Linear{}}, kernels.Product{kernels.RBF{Gamma: .1}, kernels.Polynomial{Degree: 2, Coef0: 1}},
	kernels.Scaled{Kernel: kernels.RBF{Gamma: .2}, Factor: 3}, kernels.Normalized{Kernel: kernels.Polynomial{Degree: 2, Coef0: 1}},
	kernels.Normalized{Kernel: kernels.Linear{}}, kernels.Normalized{Kernel: kernels.Sum{kernels.ELM{}, kernels.Scaled{Kernel: kernels.Linear{}, Factor: 2}}},
}

// others lists kernels that need dense rows.
var others = []kernels.Kernel{
	kernels.Laplacian{Gamma: .3}, kernels.Columns{Of: []int{2, 0}, Kernel: kernels.RBF{Gamma: .5}}, kernels.Periodic{},
	kernels.Sum{kernels.RBF{Gamma: .3}, kernels.Laplacian{Gamma: 1}}, kernels.Normalized{Kernel: kernels.Scaled{Kernel: kernels.Laplacian{}, Factor: 2}},
}

func nearly(t *testing.T, want, got mat.Matrix, what string) {
	t.Helper()
	n, m := want.Dims()
	r, c := got.Dims()
	require.Equal(t, []int{n, m}, []int{r, c}, what)
	for i := range n {
		for j := range m {
			if w, g := want.At(i, j), got.At(i, j); !(math.Abs(w-g) <= 1e-12*max(1, math.Abs(w))) {
				t.Errorf("%s: [%d,%d] is %v, of dense rows %v", what, i, j, g, w)
				return
			}
		}
	}
}

// Matrices of sparse rows equal those of the dense rows. They are symmetric, and the same for any number of workers. Either side
// may be sparse, and only nonzero entries are read.
func TestSparseRows(t *testing.T) {
	x, z := texts(t, 150, 90, 1), texts(t, 70, 90, 2)
	xd, zd := x.dense(), z.dense()
	for _, k := range append(append([]kernels.Kernel{}, sparseKernels...), others...) {
		name := k.String()
		want, err := kernels.Matrix(sparseCtx, k, xd, nil)
		require.NoError(t, err, name)
		got, err := kernels.Matrix(sparseCtx, k, x, nil)
		require.NoError(t, err, name)
		nearly(t, want, got, name)
		for _, workers := range []int{1, 5} {
			again, err := kernels.Matrix(sparseCtx, k, x, &kernels.Options{Workers: workers})
			require.NoError(t, err)
			assert.True(t, mat.Equal(got, again), "%s: %d workers", name, workers)
		}
		cross, err := kernels.Cross(sparseCtx, k, xd, zd, nil)
		require.NoError(t, err)
		for side, pair := range map[string][2]mat.Matrix{"both": {x, z}, "x": {x, zd}, "z": {xd, z}} {
			got, err := kernels.Cross(sparseCtx, k, pair[0], pair[1], nil)
			require.NoError(t, err, name)
			nearly(t, cross, got, name+", sparse: "+side)
			p, err := kernels.Prepare(sparseCtx, k, pair[1], nil)
			require.NoError(t, err)
			into := mat.NewDense(150, 70, nil)
			require.NoError(t, p.CrossTo(sparseCtx, into, pair[0]))
			assert.True(t, mat.Equal(got, into), name)
		}
	}
	rbf, err := kernels.Matrix(sparseCtx, kernels.RBF{Gamma: .3}, x, nil)
	require.NoError(t, err)
	assert.Equal(t, 1.0, rbf.At(1, 5), "of equal rows")
	assert.Less(t, rbf.At(1, 6), 1.0+1e-15)
}

// A matrix with a billion columns costs no more than the columns that occur, and the median distance reads only nonzero entries.
func TestSparseRowsAreNeverDense(t *testing.T) {
	x := texts(t, 40, 1<<30, 3)
	for _, k := range sparseKernels {
		m, err := kernels.Matrix(sparseCtx, k, x, nil)
		require.NoError(t, err, k.String())
		c, err := kernels.Cross(sparseCtx, k, x, x, nil)
		require.NoError(t, err)
		assert.Equal(t, m.At(3, 17), c.At(3, 17))
	}
	_, err := kernels.Matrix(sparseCtx, kernels.Laplacian{}, texts(t, 40, 1<<28, 3), nil)
	assert.ErrorIs(t, err, estimators.ErrTooLarge)
	assert.ErrorContains(t, err, fmt.Sprintf("x as a dense matrix of 40×%d", 1<<28))
	_, err = kernels.Cross(sparseCtx, kernels.Laplacian{}, x, x, nil)
	assert.ErrorIs(t, err, estimators.ErrTooLarge)
	gamma, err := kernels.MedianRBF(sparseCtx, x, 1)
	require.NoError(t, err)
	assert.Positive(t, gamma.Gamma)
}

// The median distance of sparse rows equals that of the dense rows, also for a sample.
func TestMedianOfSparseRows(t *testing.T) {
	for _, n := range []int{1, 2, 50, 1100} {
		x := texts(t, n, 60, 5)
		want, err := kernels.MedianSquaredDistance(sparseCtx, x.dense(), 7)
		require.NoError(t, err)
		got, err := kernels.MedianSquaredDistance(sparseCtx, x, 7)
		require.NoError(t, err)
		assert.InDelta(t, want, got, 1e-12*max(1, want), "%d rows", n)
	}
}

func TestSparseErrors(t *testing.T) {
	x, z := texts(t, 20, 30, 1), texts(t, 10, 31, 2)
	k := kernels.RBF{}
	_, err := kernels.Cross(sparseCtx, k, x, z, nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "x has 30 columns")
	_, err = kernels.Cross(sparseCtx, k, z.dense(), x, nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = kernels.Cross(sparseCtx, k, z, x.dense(), nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	for _, small := range []func(o *kernels.Options) error{
		func(o *kernels.Options) error { _, err := kernels.Matrix(sparseCtx, k, x, o); return err },
		func(o *kernels.Options) error { _, err := kernels.Cross(sparseCtx, k, x, x, o); return err },
	} {
		assert.ErrorIs(t, small(&kernels.Options{MaxBytes: 100}), estimators.ErrTooLarge)
		assert.ErrorIs(t, small(&kernels.Options{MaxBytes: -1}), estimators.ErrParam)
	}
	_, err = kernels.Matrix(sparseCtx, kernels.RBF{Gamma: -1}, x, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = kernels.Matrix(sparseCtx, k, (*mat.BandDense)(nil), nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	p, err := kernels.Prepare(sparseCtx, k, x, nil)
	require.NoError(t, err)
	assert.ErrorIs(t, p.CrossTo(sparseCtx, nil, x), estimators.ErrShape)
	assert.ErrorIs(t, p.CrossTo(sparseCtx, mat.NewDense(3, 3, nil), x), estimators.ErrShape)
	_, err = p.Cross(sparseCtx, (*mat.BandDense)(nil))
	assert.ErrorIs(t, err, estimators.ErrShape)
	x.of[4][7] = math.NaN()
	_, err = kernels.Matrix(sparseCtx, k, x, nil)
	assert.ErrorContains(t, err, "x[4,7] is NaN")
	_, err = p.Cross(sparseCtx, x)
	assert.ErrorContains(t, err, "x[4,7] is NaN")
	x.of[4][7] = 1e200
	_, err = kernels.Matrix(sparseCtx, kernels.Linear{}, x, nil)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
}
