package featuremap_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// words is a matrix whose rows list their nonzero entries. The test fails if an entry is read through any other method.
type words struct {
	t       testing.TB
	columns int
	of      []map[int]float64
}

func (w words) Dims() (int, int)    { return len(w.of), w.columns }
func (w words) T() mat.Matrix       { return mat.Transpose{Matrix: w} }
func (w words) At(i, j int) float64 { w.t.Errorf("At(%d, %d)", i, j); return w.of[i][j] }
func (w words) DoRowNonZero(i int, f func(i, j int, v float64)) {
	for j, v := range w.of[i] {
		f(i, j, v)
	}
}

func drawWords(t testing.TB, n, columns int) (w words, dense *mat.Dense) {
	rng := rand.New(rand.NewPCG(9, uint64(n)))
	w = words{t: t, columns: columns}
	dense = mat.NewDense(n, columns, nil)
	for i := range n {
		row := map[int]float64{}
		for range rng.IntN(6) {
			row[rng.IntN(columns)] = rng.NormFloat64()
		}
		for j, v := range row {
			dense.Set(i, j, v)
		}
		w.of = append(w.of, row)
	}
	return w, dense
}

// The features of sparse rows equal those of the dense rows, for many rows and for a few. Only nonzero entries are read.
func TestRandomFourierOfSparseRows(t *testing.T) {
	ctx := context.Background()
	x, xd := drawWords(t, 200, 40)
	few, fewd := drawWords(t, 5, 40)
	for name, build := range map[string]func() *featuremap.RandomFourier{
		"median": func() *featuremap.RandomFourier { return &featuremap.RandomFourier{Components: 60} },
		"phases": func() *featuremap.RandomFourier {
			return &featuremap.RandomFourier{Kernel: kernels.Laplacian{Gamma: .2}, Components: 31, RandomPhase: true}
		},
		"given": func() *featuremap.RandomFourier {
			_, w := drawWords(t, 7, 40)
			return &featuremap.RandomFourier{Kernel: kernels.RBF{}, Frequencies: w}
		},
	} {
		want, got := build(), build()
		require.NoError(t, want.Fit(ctx, xd), name)
		require.NoError(t, got.Fit(ctx, x), name)
		for _, rows := range []struct {
			sparse mat.Matrix
			dense  *mat.Dense
		}{{x, xd}, {few, fewd}} {
			a, err := want.Transform(rows.dense)
			require.NoError(t, err)
			b, err := got.Transform(rows.sparse)
			require.NoError(t, err)
			assert.True(t, mat.EqualApprox(a, b, 1e-12), name)
			n, width := a.Dims()
			into := mat.NewDense(n, width, nil)
			require.NoError(t, got.TransformTo(into, rows.sparse))
			assert.True(t, mat.Equal(b, into))
			one := build()
			one.Workers = 1
			require.NoError(t, one.Fit(ctx, x))
			alone, err := one.Transform(rows.sparse)
			require.NoError(t, err)
			assert.True(t, mat.Equal(b, alone), "one worker")
		}
	}
}

// Text has a column for each word. For rows of this width no rotation is computed by default, and Orthogonal returns an error if
// the rotation does not fit into memory.
func TestRandomFourierOfManyColumns(t *testing.T) {
	ctx := context.Background()
	x := words{t: t, columns: 50000, of: []map[int]float64{{3: 1, 49999: 2}, {7: 1}, {3: 2}}}
	f := &featuremap.RandomFourier{Components: 100}
	require.NoError(t, f.Fit(ctx, x))
	z, err := f.Transform(x)
	require.NoError(t, err)
	k, err := kernels.MedianRBF(ctx, x, 0)
	require.NoError(t, err)
	want, err := kernels.Matrix(ctx, k, x, nil)
	require.NoError(t, err)
	for i := range 3 {
		assert.InDelta(t, 1, mat.Dot(z.RowView(i), z.RowView(i)), 1e-12)
		for j := range i {
			assert.InDelta(t, want.At(i, j), mat.Dot(z.RowView(i), z.RowView(j)), 4.5/math.Sqrt(50)) // 50 frequencies
		}
	}
	f.Sampling = featuremap.Orthogonal
	err = f.Fit(ctx, x)
	assert.ErrorIs(t, err, estimators.ErrTooLarge)
	assert.ErrorContains(t, err, "a rotation of 50000 columns")
}

func TestRandomFourierSparseErrors(t *testing.T) {
	ctx := context.Background()
	x, _ := drawWords(t, 20, 10)
	wide, _ := drawWords(t, 20, 11)
	f := &featuremap.RandomFourier{Components: 8}
	_, err := f.Transform(x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, f.Fit(ctx, x))
	_, err = f.Transform(wide)
	assert.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "x has 11 columns")
	assert.ErrorIs(t, f.TransformTo(mat.NewDense(2, 2, nil), x), estimators.ErrShape)
	assert.ErrorIs(t, f.TransformTo(nil, x), estimators.ErrShape)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, f.Fit(cancelled, x), context.Canceled)
	x.of[3][4] = math.Inf(1)
	_, err = f.Transform(x)
	assert.ErrorContains(t, err, "x[3,4] is +Inf")
	assert.ErrorContains(t, f.Fit(ctx, x), "x[3,4] is +Inf")
}
