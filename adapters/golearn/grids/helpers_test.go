package grids

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

var speciesNames = []string{"setosa", "versicolor", "virginica"}

// flowers returns n random rows of three well-separated classes in four features.
func flowers(n int, seed uint64) (*mat.Dense, []string) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(n, 4, nil)
	labels := make([]string, n)
	for i := range n {
		k := i % 3
		labels[i] = speciesNames[k]
		for j := range 4 {
			x.Set(i, j, float64(4*k)*math.Cos(float64(j))+float64(k*j)+rng.NormFloat64())
		}
	}
	return x, labels
}

var flowerColumns = []string{"sepal length", "sepal width", "petal length", "petal width"}

// csvGridOf parses rows with default options.
func csvGridOf(tb testing.TB, lines ...string) *base.DenseInstances {
	tb.Helper()
	g, err := ParseCSV("data.csv", strings.NewReader(strings.Join(lines, "\n")), nil)
	require.NoError(tb, err)
	return g
}

// classTexts returns the printed class of each row.
func classTexts(tb testing.TB, g base.FixedDataGrid) []string {
	tb.Helper()
	_, rows := g.Size()
	out := make([]string, rows)
	for i := range out {
		out[i] = base.GetClass(g, i)
	}
	return out
}
