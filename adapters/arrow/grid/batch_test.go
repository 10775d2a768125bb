package grid_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/arrow"
	"github.com/kernelearn/kernelearn/adapters/arrow/grid"
	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

var ctx = context.Background()

const flowers = "width,color,species\n1.5,red,b\n,blue,a\n2.5,,b\n3.5,red,a\n"

// cells returns the texts of an attribute's column.
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

// A grid that is written and read again is the same, including gaps and categories.
func TestRoundTrip(t *testing.T) {
	want, err := grids.ParseCSV("a.csv", bytes.NewReader([]byte(flowers)), nil)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "a.parquet")
	require.NoError(t, grid.Write(want, path))
	rows, err := arrow.Source(arrow.Files(path)...).Table(ctx, &table.Options{Target: "species"})
	require.NoError(t, err)
	got, err := grids.FromTable(rows)
	require.NoError(t, err)
	assert.Equal(t, "species", got.AllClassAttributes()[0].GetName())
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

// This example writes a grid to a Parquet file, and fits golearn code to it.
func ExampleWrite() {
	written, err := grids.ParseCSV("flowers", strings.NewReader("length,width,species\n1,1,a\n1.2,1,a\n.9,1.1,a\n3,3,b\n3.1,2.9,b\n2.8,3,b\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	folder, err := os.MkdirTemp("", "grid")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "flowers.parquet")
	if err := grid.Write(written, path); err != nil {
		fmt.Println(err)
		return
	}
	rows, err := arrow.Source(arrow.Files(path)...).Table(ctx, &table.Options{Target: "species"})
	if err != nil {
		fmt.Println(err)
		return
	}
	instances, err := grids.FromTable(rows)
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
