package grids

import (
	"fmt"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
)

// numbered returns a grid with the row number in the feature "id".
func numbered(t testing.TB, n int) *base.DenseInstances {
	t.Helper()
	x := mat.NewDense(n, 1, nil)
	labels := make([]string, n)
	for i := range n {
		x.Set(i, 0, float64(i))
		labels[i] = fmt.Sprint(i % 10 / 9) // one in ten
	}
	g, err := LabelledGrid(x, []string{"id"}, "class", labels)
	require.NoError(t, err)
	return g
}

func ids(t testing.TB, g base.FixedDataGrid) []float64 {
	t.Helper()
	x, _, err := Matrix(g, nil)
	require.NoError(t, err)
	return mat.Col(nil, 0, x)
}

// Trap 8: golearn's split leaks on views, shuffles its input and is not reproducible.
func TestSplit(t *testing.T) {
	g := numbered(t, 100)
	before := ids(t, g)
	for name, grid := range map[string]base.FixedDataGrid{"dense": g, "view": base.NewInstancesViewFromAttrs(g, g.AllAttributes())} {
		t.Run(name, func(t *testing.T) {
			train, test, err := Split(grid, 0.3, 7)
			require.NoError(t, err)
			a, b := ids(t, train), ids(t, test)
			assert.Len(t, a, 70)
			assert.Len(t, b, 30)
			assert.ElementsMatch(t, before, append(append([]float64{}, a...), b...), "every row once")
			assert.NotEqual(t, before[:70], a, "in random order")
			for i, id := range b {
				assert.Equal(t, fmt.Sprint(int(id)%10/9), base.GetClass(test, i), "rows stay complete")
			}
			again, _, err := Split(grid, 0.3, 7)
			require.NoError(t, err)
			assert.Equal(t, a, ids(t, again))
			other, _, err := Split(grid, 0.3, 8)
			require.NoError(t, err)
			assert.NotEqual(t, a, ids(t, other))
			assert.Equal(t, before, ids(t, g), "the input is as it was")
			assert.Same(t, g.AllAttributes()[0], train.AllAttributes()[0])
			assert.Len(t, test.AllClassAttributes(), 1)
		})
	}
}

func TestStratifiedSplit(t *testing.T) {
	g := numbered(t, 100)
	train, test, err := StratifiedSplit(g, 0.3, 1)
	require.NoError(t, err)
	assert.Equal(t, map[string]int{"0": 27, "1": 3}, base.GetClassDistribution(test))
	assert.Equal(t, map[string]int{"0": 63, "1": 7}, base.GetClassDistribution(train))
	assert.ElementsMatch(t, ids(t, g), append(ids(t, train), ids(t, test)...))
}

func TestSplitsThatAreRefused(t *testing.T) {
	g := numbered(t, 10)
	for _, fraction := range []float64{0, 1, -1, 2, 0.01, 0.99} {
		_, _, err := Split(g, fraction, 1)
		require.ErrorIs(t, err, estimators.ErrParam, "%v", fraction)
	}
	_, _, err := Split(nil, 0.5, 1)
	require.ErrorIs(t, err, estimators.ErrParam)
	none, err := FeatureGrid(mat.NewDense(4, 1, nil), nil)
	require.NoError(t, err)
	_, _, err = StratifiedSplit(none, 0.5, 1)
	require.ErrorIs(t, err, estimators.ErrShape)
}
