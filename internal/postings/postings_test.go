package postings

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/sparse"
)

// random returns n rows of up to six entries in d columns.
func random(t *testing.T, n, d int, seed uint64) *sparse.Rows {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, d, nil)
	for i := range n {
		for range rng.IntN(6) {
			x.Set(i, rng.IntN(d), rng.NormFloat64())
		}
	}
	out, err := sparse.From("x", x)
	require.NoError(t, err)
	return out
}

// wide returns the same entries among more columns.
func wide(t *testing.T, r *sparse.Rows, d int) *sparse.Rows {
	n, _ := r.Dims()
	start, column, value := []int{0}, []int(nil), []float64(nil)
	for i := range n {
		columns, values := r.Row(i)
		column, value = append(column, columns...), append(value, values...)
		start = append(start, len(column))
	}
	out, err := sparse.NewRows(d, start, column, value)
	require.NoError(t, err)
	return out
}

// Products equal those of the dense rows, for all rows and for a slice of them, in either order, and in a matrix with more columns.
func TestProducts(t *testing.T) {
	x, z := random(t, 12, 30, 2), random(t, 17, 30, 3)
	xd, zd := x.Dense(), z.Dense()
	there, back := mat.NewDense(12, 17, nil), mat.NewDense(17, 12, nil)
	many := New(wide(t, z, 1<<30))
	for i := range 12 {
		columns, values := x.Row(i)
		New(z).Products(there.RawRowView(i), columns, values)
		part := make([]float64, 4)
		New(z).Slice(8, 17).Slice(3, 7).Products(part, columns, values)
		assert.Equal(t, there.RawRowView(i)[11:15], part)
		inner := make([]float64, 5)
		New(z.Slice(4, 9)).Products(inner, columns, values)
		assert.Equal(t, there.RawRowView(i)[4:9], inner)
		got := make([]float64, 17)
		many.Products(got, columns, values)
		assert.Equal(t, there.RawRowView(i), got)
		for j := range 17 {
			assert.InDelta(t, mat.Dot(xd.RowView(i), zd.RowView(j)), there.At(i, j), 1e-14)
		}
	}
	for j := range 17 {
		columns, values := z.Row(j)
		New(x).Products(back.RawRowView(j), columns, values)
	}
	assert.True(t, mat.Equal(there, back.T()))
}
