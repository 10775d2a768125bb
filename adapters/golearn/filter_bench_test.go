package golearn

import (
	"math/rand/v2"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/filters"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
)

// binnedGrid returns a grid with the given number of rows and features, and golearn's binning filter for all of its features.
func binnedGrid(b *testing.B, rows, cols int) (*base.DenseInstances, base.Filter) {
	b.Helper()
	rng := rand.New(rand.NewPCG(1, 5))
	x := mat.NewDense(rows, cols, nil)
	labels := make([]string, rows)
	for i := range rows {
		for j := range cols {
			x.Set(i, j, rng.Float64())
		}
		labels[i] = speciesNames[i%3]
	}
	g, err := grids.LabelledGrid(x, nil, "species", labels)
	require.NoError(b, err)
	f := filters.NewBinningFilter(g, 8)
	for _, a := range base.NonClassAttributes(g) {
		require.NoError(b, f.AddAttribute(a))
	}
	require.NoError(b, f.Train())
	return g, f
}

// In golearn's lazily filtered grids, each read of a cell searches a list for the attribute, so that the cost of a cell grows with
// the number of attributes.
func BenchmarkMatrixFromLazilyFilteredInstances(b *testing.B) {
	const rows, cols = 1000, 20
	g, f := binnedGrid(b, rows, cols)
	lazy := base.NewLazilyFilteredInstances(g, f)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := grids.Matrix(lazy, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(rows*cols), "ns/cell")
}

func BenchmarkFilterStep(b *testing.B) {
	const rows, cols = 1000, 20
	g, _ := binnedGrid(b, rows, cols)
	t, err := gridtable.ReadTraining(g)
	require.NoError(b, err)
	step, _, err := binning(8).fit(b.Context(), t, false)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		t, err := gridtable.Read(g)
		require.NoError(b, err)
		out, err := step.apply(t)
		require.NoError(b, err)
		if _, err := out.WithClass(gridtable.Zeros(gridtable.Column{Name: "species", Kind: gridtable.FloatKind})).Grid(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(rows*cols), "ns/cell")
}
