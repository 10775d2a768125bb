package sparse_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/sparse"
)

// entries is a matrix that says what it has, in any order.
type entries struct {
	rows, columns int
	of            map[int][]entry
}

type entry struct {
	column int
	value  float64
}

func (e entries) Dims() (int, int) { return e.rows, e.columns }
func (e entries) T() mat.Matrix    { return mat.Transpose{Matrix: e} }
func (e entries) At(i, j int) (sum float64) {
	for _, at := range e.of[i] {
		if at.column == j {
			sum += at.value
		}
	}
	return sum
}

func (e entries) DoRowNonZero(i int, f func(i, j int, v float64)) {
	for _, at := range e.of[i] {
		f(i, at.column, at.value)
	}
}

func random(n, d int, seed uint64) entries {
	rng := rand.New(rand.NewPCG(seed, 1))
	e := entries{n, d, map[int][]entry{}}
	for i := range n {
		for range rng.IntN(6) { // some of them in one place
			e.of[i] = append(e.of[i], entry{rng.IntN(d), rng.NormFloat64()})
		}
	}
	return e
}

func TestOf(t *testing.T) {
	e := random(40, 9, 1)
	want := mat.DenseCopyOf(e)
	assert.True(t, sparse.Is(e))
	assert.False(t, sparse.Is(want))
	assert.False(t, sparse.Is((*mat.BandDense)(nil)))
	assert.True(t, sparse.Is(mat.NewBandDense(3, 3, 1, 1, nil)))
	for name, x := range map[string]mat.Matrix{"entries": e, "dense": want, "transposed": mat.DenseCopyOf(want.T()).T()} {
		r, err := sparse.NewRows("x", x)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(want, r.Dense(), 1e-15), name)
		for i := range 40 {
			columns, values := r.Row(i)
			assert.IsIncreasing(t, append([]int{-1}, columns...))
			assert.Len(t, values, len(columns))
		}
		assert.True(t, mat.EqualApprox(want.Slice(7, 19, 0, 9), r.Slice(7, 19).Dense(), 1e-15))
		picked := r.Pick([]int{5, 0, 5}).Dense()
		for k, i := range []int{5, 0, 5} {
			assert.InDeltaSlice(t, want.RawRowView(i), picked.RawRowView(k), 1e-15)
		}
		means, norms := r.Means(), r.SquaredNorms()
		for j, m := range means {
			assert.InDelta(t, mat.Sum(want.ColView(j))/40, m, 1e-14)
		}
		for i, s := range norms {
			assert.InDelta(t, mat.Dot(want.RowView(i), want.RowView(i)), s, 1e-14)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct {
		x    mat.Matrix
		want error
		says string
	}{
		{entries{0, 3, nil}, fault.ErrShape, "x has 0 rows"},
		{entries{3, 0, nil}, fault.ErrShape, "x has 0 columns"},
		{entries{2, 3, map[int][]entry{1: {{3, 1}}}}, fault.ErrShape, "x has an entry in column 3"},
		{entries{2, 3, map[int][]entry{1: {{-1, 1}}}}, fault.ErrShape, "x has an entry in column -1"},
		{entries{2, 3, map[int][]entry{1: {{2, math.NaN()}}}}, fault.ErrNotFinite, "x[1,2] is NaN"},
		{entries{2, 3, map[int][]entry{1: {{2, 1.5e308}, {2, 1.5e308}}}}, fault.ErrNotFinite, "x[1,2] is +Inf"},
		{nil, fault.ErrShape, "x is nil"},
		{mat.NewDense(1, 1, []float64{math.Inf(-1)}), fault.ErrNotFinite, "x[0,0]"},
	} {
		_, err := sparse.NewRows("x", c.x)
		assert.ErrorIs(t, err, c.want)
		assert.ErrorContains(t, err, c.says)
	}
}

// Products and distances are those of the dense rows, of any part, and the same in either order.
func TestProducts(t *testing.T) {
	x, z := random(12, 30, 2), random(17, 30, 3)
	xs, err := sparse.NewRows("x", x)
	require.NoError(t, err)
	zs, err := sparse.NewRows("z", z)
	require.NoError(t, err)
	xd, zd := xs.Dense(), zs.Dense()
	there, back := mat.NewDense(12, 17, nil), mat.NewDense(17, 12, nil)
	for i := range 12 {
		columns, values := xs.Row(i)
		zs.ByColumns().Products(there.RawRowView(i), columns, values)
		part := make([]float64, 6)
		zs.ByColumns().Tail(8).Tail(3).Products(part, columns, values)
		assert.Equal(t, there.RawRowView(i)[11:], part)
		inner := make([]float64, 5)
		zs.Slice(4, 9).ByColumns().Products(inner, columns, values)
		assert.Equal(t, there.RawRowView(i)[4:9], inner)
	}
	for j := range 17 {
		columns, values := zs.Row(j)
		xs.ByColumns().Products(back.RawRowView(j), columns, values)
	}
	assert.True(t, mat.Equal(there, back.T()))
	// The same among many more columns than there are entries.
	wide := &sparse.Rows{N: zs.N, D: 1 << 30, Start: zs.Start, Column: zs.Column, Value: zs.Value}
	for i := range 12 {
		columns, values := xs.Row(i)
		got := make([]float64, 17)
		wide.ByColumns().Products(got, columns, values)
		assert.Equal(t, there.RawRowView(i), got)
	}
	for i := range 12 {
		for j := range 17 {
			assert.InDelta(t, mat.Dot(xd.RowView(i), zd.RowView(j)), there.At(i, j), 1e-14)
			var diff mat.VecDense
			diff.SubVec(xd.RowView(i), zd.RowView(j))
			assert.InDelta(t, mat.Dot(&diff, &diff), xs.SquaredDistance(i, zs, j), 1e-14)
			assert.Equal(t, xs.SquaredDistance(i, zs, j), zs.SquaredDistance(j, xs, i))
		}
		assert.Zero(t, xs.SquaredDistance(i, xs, i))
	}
}
