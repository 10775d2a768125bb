package grid_test

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/arrow"
	"github.com/kernelearn/kernelearn/adapters/arrow/grid"
	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

var ctx = context.Background()

func shard(content string) arrow.Shard {
	return arrow.Shard{Name: "a.csv", Open: func(context.Context) (arrow.Input, error) { return bytes.NewReader([]byte(content)), nil }}
}

const flowers = "width,color,species\n1.5,red,b\n,blue,a\n2.5,,b\n3.5,red,a\n"

func table(t *testing.T, c arrow.Columns, content string) *arrow.Table {
	t.Helper()
	s, err := c.Learn(ctx, shard(content))
	require.NoError(t, err)
	return &arrow.Table{Schema: s, Shards: []arrow.Shard{shard(content)}}
}

// cells are the texts of an attribute's column.
func cells(t *testing.T, g base.FixedDataGrid, name string) (out []string) {
	t.Helper()
	spec, err := g.GetAttribute(base.GetAttributeByName(g, name))
	require.NoError(t, err)
	_, n := g.Size()
	for i := range n {
		out = append(out, spec.GetAttribute().GetStringFromSysVal(g.Get(spec, i)))
	}
	return out
}

func TestRead(t *testing.T) {
	g, err := grid.Read(ctx, table(t, arrow.Columns{Label: "species"}, flowers))
	require.NoError(t, err)
	assert.Equal(t, []string{"red", "blue", "?", "red"}, cells(t, g, "color"))
	assert.Equal(t, []string{"b", "a", "b", "a"}, cells(t, g, "species"))
	y, labels, err := grids.Labels(g)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 0, 1, 0}, y)
	assert.Equal(t, []string{"a", "b"}, labels)
	x, columns, err := grids.Matrix(g, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"width", "color=blue", "color=red", "color=?"}, columns)
	assert.True(t, math.IsNaN(x.At(1, 0)))
	assert.Equal(t, []float64{0, 1, 0, 0, 0, 1}, []float64{x.At(1, 2), x.At(1, 1), x.At(2, 1), x.At(2, 2), x.At(1, 3), x.At(2, 3)})

	g, err = grid.Read(ctx, table(t, arrow.Columns{Target: "y"}, "x,y,w\n1,2,3\n4,5,6\n"))
	require.NoError(t, err)
	targets, err := grids.Targets(g)
	require.NoError(t, err)
	assert.Equal(t, []float64{2, 5}, targets)
	g, err = grid.Read(ctx, table(t, arrow.Columns{Weight: "w"}, "x,w\n1,3\n4,6\n"))
	require.NoError(t, err)
	assert.Empty(t, g.AllClassAttributes())
	assert.Len(t, g.AllAttributes(), 1)
}

func TestReadErrors(t *testing.T) {
	_, err := grid.Read(ctx, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	both := table(t, arrow.Columns{Target: "width", Label: "species"}, flowers)
	_, err = grid.Read(ctx, both)
	assert.ErrorIs(t, err, estimators.ErrParam)
	lacks := table(t, arrow.Columns{Label: "species"}, flowers)
	lacks.Shards = append(lacks.Shards, shard("width\n1\n"))
	_, err = grid.Read(ctx, lacks)
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "color")
	little := table(t, arrow.Columns{}, flowers)
	little.BlockRows, little.MaxBytes = 2, 200
	_, err = grid.Read(ctx, little)
	assert.ErrorIs(t, err, estimators.ErrTooLarge)
}

// A grid that is written and read again is the same, gaps and categories included.
func TestRoundTrip(t *testing.T) {
	want, err := grids.ParseCSV("a.csv", bytes.NewReader([]byte(flowers)), nil)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.parquet")
	require.NoError(t, grid.Write(want, path))
	s, err := arrow.Columns{Label: "species"}.Learn(ctx, arrow.Files(path)...)
	require.NoError(t, err)
	got, err := grid.Read(ctx, &arrow.Table{Schema: s, Shards: arrow.Files(path)})
	require.NoError(t, err)
	for _, name := range []string{"color", "species"} {
		assert.Equal(t, cells(t, want, name), cells(t, got, name))
	}
	width := func(g base.FixedDataGrid) string {
		x, _, err := grids.Matrix(g, []base.Attribute{base.GetAttributeByName(g, "width")})
		require.NoError(t, err)
		return fmt.Sprint(mat.Col(nil, 0, x))
	}
	assert.Equal(t, "[1.5 NaN 2.5 3.5]", width(got))
	assert.Equal(t, width(want), width(got))
}

func TestBatch(t *testing.T) {
	g := base.NewDenseInstances()
	flag := base.NewBinaryAttribute("flag")
	spec := g.AddAttribute(flag)
	require.NoError(t, g.Extend(2))
	g.Set(spec, 1, []byte{1})
	batch, err := grid.Batch(g)
	require.NoError(t, err)
	defer batch.Release()
	assert.Equal(t, "[false true]", batch.Column(0).String())
	_, err = grid.Batch(nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorIs(t, grid.Write(g, filepath.Join(t.TempDir(), "none", "a.parquet")), os.ErrNotExist)
}

// Golearn code learns from Parquet files.
func ExampleRead() {
	rows := arrow.Shard{Name: "flowers.csv", Open: func(context.Context) (arrow.Input, error) {
		return bytes.NewReader([]byte("length,width,species\n1,1,a\n1.2,1,a\n.9,1.1,a\n3,3,b\n3.1,2.9,b\n2.8,3,b\n")), nil
	}}
	schema, err := arrow.Columns{Label: "species"}.Learn(ctx, rows)
	if err != nil {
		fmt.Println(err)
		return
	}
	instances, err := grid.Read(ctx, &arrow.Table{Schema: schema, Shards: []arrow.Shard{rows}})
	if err != nil {
		fmt.Println(err)
		return
	}
	model := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := model.Fit(instances); err != nil {
		fmt.Println(err)
		return
	}
	predictions, err := model.Predict(instances)
	fmt.Println(base.GetClass(predictions, 0), base.GetClass(predictions, 5), err)
	// Output: a b <nil>
}
