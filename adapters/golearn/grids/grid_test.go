package grids

import (
	"math"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/estimators"
)

func TestMatrixThereAndBack(t *testing.T) {
	x, labels := flowers(30, 1)
	g, err := LabelledGrid(x, flowerColumns, "species", labels)
	require.NoError(t, err)
	cols, rows := g.Size()
	assert.Equal(t, []int{5, 30}, []int{cols, rows})
	got, names, err := Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, flowerColumns, names)
	assert.True(t, mat.Equal(x, got))
	// Cells are read with Get, as golearn reads them.
	spec, err := g.GetAttribute(base.NewFloatAttribute("petal length"))
	require.NoError(t, err)
	assert.Equal(t, x.At(7, 2), base.UnpackBytesToFloat(g.Get(spec, 7)))
	assert.Equal(t, labels, classTexts(t, g))
	y, back, err := Labels(g)
	require.NoError(t, err)
	assert.Equal(t, speciesNames, back)
	assert.Equal(t, []int{0, 1, 2, 0}, y[:4])
	// x.T() is read with transposed indices, and has a gap.
	x.Set(0, 0, math.NaN())
	g, err = FeatureGrid(x.T(), nil)
	require.NoError(t, err)
	got, names, err = Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, "x29", names[29])
	assert.True(t, math.IsNaN(got.At(0, 0)))
	assert.Equal(t, x.At(3, 1), got.At(1, 3))
}

func TestMatrixOfChosenAttributes(t *testing.T) {
	g := csvGridOf(t, "a,colour,b,class", "1,red,2,x", "3,blue,4,y")
	x, names, err := Matrix(g, []base.Attribute{base.NewFloatAttribute("b"), gridtable.NewCategorical("colour", []string{"blue"})})
	require.NoError(t, err)
	assert.Equal(t, []string{"b", "colour=blue", "colour=red"}, names)
	assert.True(t, mat.Equal(mat.NewDense(2, 3, []float64{2, 0, 1, 4, 1, 0}), x))
	_, _, err = Matrix(g, []base.Attribute{base.NewFloatAttribute("c")})
	require.ErrorIs(t, err, estimators.ErrShape)
	_, _, err = Matrix(nil, nil)
	require.ErrorIs(t, err, estimators.ErrParam)
	_, _, err = Matrix(g, []base.Attribute{})
	require.ErrorIs(t, err, estimators.ErrShape)
	empty := base.NewInstancesViewFromVisible(g, nil, g.AllAttributes())
	x, _, err = Matrix(empty, nil)
	require.NoError(t, err)
	assert.True(t, x.IsEmpty())
}

// Trap 3: a request for a class that is missing must not panic.
func TestLabelsAndTargetsRefuse(t *testing.T) {
	g, err := FeatureGrid(mat.NewDense(2, 1, nil), nil)
	require.NoError(t, err)
	_, _, err = Labels(g)
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = Targets(g)
	require.ErrorIs(t, err, estimators.ErrShape)
	_, err = Targets(nil)
	require.ErrorIs(t, err, estimators.ErrParam)
	line, err := TargetGrid(mat.NewDense(2, 1, []float64{0, 1}), nil, "response", []float64{1, 3.1})
	require.NoError(t, err)
	_, _, err = Labels(line)
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = Targets(csvGridOf(t, "a,class", "1,x", "2,y"))
	require.ErrorIs(t, err, estimators.ErrParam)
}

func TestGridsThatAreRefused(t *testing.T) {
	x := mat.NewDense(2, 2, nil)
	var none *mat.Dense
	for _, f := range []func() (*base.DenseInstances, error){
		func() (*base.DenseInstances, error) { return FeatureGrid(nil, nil) },
		func() (*base.DenseInstances, error) { return FeatureGrid(none, nil) },
		func() (*base.DenseInstances, error) { return FeatureGrid(&mat.Dense{}, nil) },
		func() (*base.DenseInstances, error) { return FeatureGrid(x, []string{"a"}) },
		func() (*base.DenseInstances, error) { return FeatureGrid(x, []string{"a", "a"}) },
		func() (*base.DenseInstances, error) { return LabelledGrid(x, nil, "x1", []string{"a", "b"}) },
		func() (*base.DenseInstances, error) { return LabelledGrid(x, nil, "c", []string{"a"}) },
		func() (*base.DenseInstances, error) { return TargetGrid(x, nil, "c", make([]float64, 3)) },
	} {
		g, err := f()
		require.Error(t, err)
		assert.Nil(t, g)
	}
}

const benchRows, benchCols = 10_000, 100

func BenchmarkMatrixFromDenseInstances(b *testing.B) {
	g, err := FeatureGrid(mat.NewDense(benchRows, benchCols, nil), nil)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Matrix(g, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(benchRows*benchCols), "ns/cell")
}

func BenchmarkMatrixFromView(b *testing.B) {
	g, err := FeatureGrid(mat.NewDense(benchRows, benchCols, nil), nil)
	require.NoError(b, err)
	view := base.NewInstancesViewFromAttrs(g, g.AllAttributes())
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := Matrix(view, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(benchRows*benchCols), "ns/cell")
}

func BenchmarkGridFromMatrix(b *testing.B) {
	x := mat.NewDense(benchRows, benchCols, nil)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := FeatureGrid(x, nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(benchRows*benchCols), "ns/cell")
}

// golearn cannot distinguish two attributes with the same name, and returns the first one for both. Matrix returns an error.
func TestMatrixOfTwoOfAName(t *testing.T) {
	g := base.NewDenseInstances()
	for range 2 {
		g.AddAttribute(base.NewFloatAttribute("a"))
	}
	g.AddAttribute(base.NewFloatAttribute("b"))
	require.NoError(t, g.Extend(2))
	_, _, err := Matrix(g, nil)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, `"a" twice`)
	_, _, err = Matrix(g, []base.Attribute{base.NewFloatAttribute("a")})
	require.ErrorIs(t, err, estimators.ErrParam)
	_, names, err := Matrix(g, []base.Attribute{base.NewFloatAttribute("b")})
	require.NoError(t, err)
	assert.Equal(t, []string{"b"}, names)
}
