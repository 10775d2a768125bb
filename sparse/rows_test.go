package sparse_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/sparse"
)

// entries is a matrix that stores its entries in any order.
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
		for range rng.IntN(6) { // some entries have the same position
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
		r, err := sparse.From("x", x)
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
		_, err := sparse.From("x", c.x)
		assert.ErrorIs(t, err, c.want)
		assert.ErrorContains(t, err, c.says)
	}
}

// Distances equal those of the dense rows.
func TestSquaredDistance(t *testing.T) {
	x, z := random(12, 30, 2), random(17, 30, 3)
	xs, err := sparse.From("x", x)
	require.NoError(t, err)
	zs, err := sparse.From("z", z)
	require.NoError(t, err)
	xd, zd := xs.Dense(), zs.Dense()
	for i := range 12 {
		for j := range 17 {
			var diff mat.VecDense
			diff.SubVec(xd.RowView(i), zd.RowView(j))
			assert.InDelta(t, mat.Dot(&diff, &diff), xs.SquaredDistance(i, zs, j), 1e-14)
			assert.Equal(t, xs.SquaredDistance(i, zs, j), zs.SquaredDistance(j, xs, i))
		}
	}
}

// Every gonum function that reads a matrix reads the same numbers from Rows as from their dense copy.
func TestRowsAreAMatrix(t *testing.T) {
	rows, err := sparse.From("x", random(12, 30, 2))
	require.NoError(t, err)
	dense := rows.Dense()
	assert.True(t, mat.Equal(dense, rows))
	assert.True(t, mat.Equal(dense.T(), rows.T()))
	same, err := sparse.From("x", rows)
	require.NoError(t, err)
	assert.Same(t, rows, same)
	entries := 0
	for i := range 12 {
		rows.DoRowNonZero(i, func(k, j int, v float64) {
			assert.Equal(t, i, k)
			assert.Equal(t, dense.At(i, j), v)
			entries++
		})
	}
	assert.Equal(t, entries, rows.Entries())
	assert.Zero(t, new(sparse.Rows).Entries())

	twice, err := rows.Slice(3, 9).Map("twice", func(dst []float64, _ []int, values []float64) {
		for i, v := range values {
			dst[i] = 2 * v
		}
	})
	require.NoError(t, err)
	var want mat.Dense
	want.Scale(2, dense.Slice(3, 9, 0, 30))
	assert.True(t, mat.Equal(&want, twice))
	_, err = rows.Map("rows", func(dst []float64, _ []int, _ []float64) {
		if len(dst) > 0 {
			dst[0] = math.Inf(1)
		}
	})
	assert.ErrorIs(t, err, fault.ErrNotFinite)
}

func TestNewRows(t *testing.T) {
	rows, err := sparse.NewRows(4, []int{0, 2, 2, 3}, []int{0, 3, 1}, []float64{1, 2, 3})
	require.NoError(t, err)
	assert.True(t, mat.Equal(mat.NewDense(3, 4, []float64{1, 0, 0, 2, 0, 0, 0, 0, 0, 3, 0, 0}), rows))
	for _, c := range []struct {
		name          string
		d             int
		start, column []int
		value         []float64
		want          error
	}{
		{"columns", 0, []int{0, 1}, []int{0}, []float64{1}, fault.ErrShape},
		{"no start", 2, nil, nil, nil, fault.ErrShape},
		{"last start", 2, []int{0, 2}, []int{0}, []float64{1}, fault.ErrShape},
		{"first start", 2, []int{1, 1}, []int{0}, []float64{1}, fault.ErrShape},
		{"falling start", 2, []int{0, 1, 0, 1}, []int{0}, []float64{1}, fault.ErrShape},
		{"lengths", 2, []int{0, 1}, []int{0, 1}, []float64{1}, fault.ErrShape},
		{"a column too large", 2, []int{0, 1}, []int{2}, []float64{1}, fault.ErrShape},
		{"a negative column", 2, []int{0, 1}, []int{-1}, []float64{1}, fault.ErrShape},
		{"a column twice", 2, []int{0, 2}, []int{1, 1}, []float64{1, 1}, fault.ErrShape},
		{"NaN", 2, []int{0, 1}, []int{1}, []float64{math.NaN()}, fault.ErrNotFinite},
	} {
		_, err := sparse.NewRows(c.d, c.start, c.column, c.value)
		assert.ErrorIs(t, err, c.want, c.name)
	}
}
