package basis

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

// Columns that were kept equal columns that are evaluated again. They have unit norm, and are centred if requested. Products holds
// the products of these columns.
func TestColumnsKeptAndNot(t *testing.T) {
	const n = 300
	x := mat.NewDense(n, 1, nil)
	v, counts := make([]float64, n), make([]float64, n)
	for i := range n {
		x.Set(i, 0, float64(i)/50)
		v[i], counts[i] = float64(i%7)-3, 1+float64(i%3)
	}
	d := NewDesign(&distinct.Rows{X: x}, Dictionary{kernels.RBF{Gamma: 1}, kernels.RBF{Gamma: 9}}, x, nil)
	require.Equal(t, 2*n, d.M)
	ctx := context.Background()
	c := weights.NewCounts(counts, n)
	for _, centre := range []bool{true, false} {
		kept, err := New(ctx, d.Raw, c, n, d.M+1, centre, !centre, 1<<30, 2)
		require.NoError(t, err)
		evaluated, err := New(ctx, d.Raw, c, n, d.M+1, centre, !centre, 0, 2)
		require.NoError(t, err)
		require.NoError(t, kept.KeepProducts(ctx, 1<<30))
		require.NoError(t, evaluated.KeepProducts(ctx, 0))
		assert.Nil(t, evaluated.Products)
		products, err := kept.Correlate(ctx, v)
		require.NoError(t, err)
		again, err := evaluated.Correlate(ctx, v)
		require.NoError(t, err)
		assert.InDeltaSlice(t, products, again, 1e-9)
		for _, j := range []int{0, 5, 250, 2*n - 1} {
			column, err := kept.Column(ctx, j)
			require.NoError(t, err)
			other, err := evaluated.Column(ctx, j)
			require.NoError(t, err)
			assert.InDeltaSlice(t, column, other, 1e-12)
			assert.InDelta(t, 1, linalg.Dot(column, column), 1e-12)
			assert.InDelta(t, products[j], linalg.Dot(column, v), 1e-9)
			assert.InDelta(t, 1, kept.Products.At(j, j), 1e-12)
			if centre {
				sum := 0.0
				for i, a := range column {
					sum += c.Root(i) * a
				}
				assert.InDelta(t, 0, sum, 1e-9)
			}
		}
	}
}

// The design of a subset of the rows has the columns whose centres are in the subset.
func TestSubset(t *testing.T) {
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	d := NewDesign(&distinct.Rows{X: x}, Dictionary{kernels.RBF{Gamma: 1}}, linalg.Rows(x, []int{1, 3}), []int{1, 3})
	part := d.Subset([]int{0, 3})
	assert.Equal(t, 2, part.N)
	assert.Equal(t, 1, part.M)
	assert.Equal(t, []int{3}, d.Support([]int{1}).Indices())
	assert.Equal(t, []int{3}, part.Support([]int{0}).Indices(), "rows keep their numbers")
}
