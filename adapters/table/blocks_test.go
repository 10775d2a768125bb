package table

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
)

// source returns a source that reads a CSV file with these lines.
func source(lines ...string) Source {
	return Source{Name: "f.csv", Open: func() (io.ReadCloser, error) {
		return io.NopCloser(strings.NewReader(strings.Join(lines, "\n"))), nil
	}}
}

// Learn returns the same schema as ReadCSV does for the same rows in memory.
func TestLearnIsReadCSV(t *testing.T) {
	ctx := context.Background()
	for _, o := range []Options{
		{Target: "y", Weight: "weight"},
		{Target: "class", Group: "colour", Kinds: map[string]Kind{"y": Category}},
		{Drop: []string{"class"}},
	} {
		got, err := source(line(200)...).Learn(ctx, &o)
		require.NoError(t, err)
		assert.Equal(t, parsed(t, &o, line(200)...).Schema, got)
	}
	path := filepath.Join(t.TempDir(), "f")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(houses, "\n")), 0o600))
	got, err := File(path).Learn(ctx, &Options{Target: "price"})
	require.NoError(t, err)
	assert.Equal(t, parsed(t, &Options{Target: "price"}, houses...).Schema, got)
}

func TestBlocks(t *testing.T) {
	ctx := context.Background()
	lines := line(25)
	all := parsed(t, &Options{Target: "y", Weight: "weight"}, lines...)
	var x, y, w []float64
	var sizes []int
	for b, err := range Blocks[float64](ctx, source(lines...), all.Schema, 10) {
		require.NoError(t, err)
		rows, _ := b.X.Dims()
		sizes = append(sizes, rows)
		x, y, w = append(x, b.X.RawMatrix().Data...), append(y, b.Y...), append(w, b.Weights...)
	}
	assert.Equal(t, []int{10, 10, 5}, sizes)
	assert.Equal(t, all.X.RawMatrix().Data, x)
	assert.Equal(t, all.Targets, y)
	assert.Equal(t, all.Weights, w)
	for b, err := range Blocks[streaming.None](ctx, source(lines...), all.Schema, 0) {
		require.NoError(t, err)
		assert.Nil(t, b.Weights)
		break
	}
	classes := parsed(t, &Options{Target: "class"}, lines...)
	var labels []int
	for b, err := range Blocks[int](ctx, source(lines...), classes.Schema, 7) {
		require.NoError(t, err)
		labels = append(labels, b.Y...)
	}
	assert.Equal(t, classes.Labels, labels)
}

func TestRefusedBlocks(t *testing.T) {
	ctx := context.Background()
	last := func(seq func(func(streaming.Block[float64], error) bool)) (err error) {
		for _, e := range seq {
			err = e
		}
		return err
	}
	numbers := parsed(t, &Options{Target: "y", Weight: "weight"}, line(9)...).Schema
	classes := parsed(t, &Options{Target: "class"}, line(9)...).Schema
	require.ErrorIs(t, last(Blocks[float64](ctx, source(line(9)...), nil, 0)), estimators.ErrParam)
	require.ErrorIs(t, last(Blocks[float64](ctx, source(line(9)...), numbers, -1)), estimators.ErrParam)
	require.ErrorContains(t, last(Blocks[float64](ctx, source(line(9)...), classes, 0)), "Task")
	for _, err := range Blocks[int](ctx, source(line(9)...), numbers, 0) {
		require.ErrorContains(t, err, "Task")
	}
	for _, err := range Blocks[int](ctx, source(append(line(9), "1,red,1,1,medium")...), classes, 0) {
		require.ErrorContains(t, err, `f.csv:11: column "class"`)
	}
	require.ErrorContains(t, last(Blocks[float64](ctx, source(append(line(9), "1,red,1,,low")...), numbers, 0)), `f.csv:11: column "y"`)
	require.ErrorContains(t, last(Blocks[float64](ctx, source(append(line(9), "1,red,,1,low")...), numbers, 0)), `column = "weight"`)
	require.ErrorContains(t, last(Blocks[float64](ctx, source(append(line(9), "x,red,1,1,low")...), numbers, 0)), `f.csv:11: column "a" = "x"`)
	require.ErrorContains(t, last(Blocks[float64](ctx, source("a,colour,weight,class", "1,red,1,low"), numbers, 0)), `"y", which is missing`)
	require.ErrorIs(t, last(Blocks[float64](ctx, source("a,colour,weight,class"), numbers, 0)), estimators.ErrShape)
	require.ErrorIs(t, last(Blocks[float64](ctx, Source{}, numbers, 0)), estimators.ErrParam)
	failed := errors.New("no file")
	broken := Source{Name: "f.csv", Open: func() (io.ReadCloser, error) { return nil, failed }}
	require.ErrorIs(t, last(Blocks[float64](ctx, broken, numbers, 0)), failed)
	panics := Source{Name: "f.csv", Open: func() (io.ReadCloser, error) { panic("disk") }}
	require.ErrorContains(t, last(Blocks[float64](ctx, panics, numbers, 0)), "disk")
	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, last(Blocks[float64](ended, source(line(9)...), numbers, 0)), context.Canceled)
	_, err := source(line(9)...).Learn(ended, nil)
	require.ErrorIs(t, err, context.Canceled)
	_, err = source(line(9)...).Learn(ctx, &Options{Schema: numbers})
	require.ErrorIs(t, err, estimators.ErrParam)
	_, err = source("a,b", "x,1", "y,2").Learn(ctx, &Options{Kinds: map[string]Kind{"a": Number}})
	require.ErrorContains(t, err, `column "a"`)
}

func TestModelOfBlocks(t *testing.T) {
	ctx := context.Background()
	s, err := source(line(300)...).Learn(ctx, &Options{Target: "y", Drop: []string{"class", "weight"}})
	require.NoError(t, err)
	m := &Model{Regressor: &falkon.Regressor{Kernel: kernels.RBF{Gamma: .01}, Ridge: 1e-9}}
	require.NoError(t, m.FitBlocks(ctx, source(line(300)...), s))
	p, err := m.PredictRow("7,red,1,0,low")
	require.NoError(t, err)
	assert.InDelta(t, 24, p.Number, .1)
	before := m.Fitted()
	require.ErrorIs(t, (&Model{}).FitBlocks(ctx, source(line(30)...), s), errors.ErrUnsupported)
	require.ErrorIs(t, m.FitBlocks(ctx, source(line(30)...), nil), estimators.ErrParam)
	require.ErrorIs(t, m.FitBlocks(ctx, source(line(30)...), &Schema{}), estimators.ErrParam)
	require.Error(t, m.FitBlocks(ctx, source(slices.Concat(line(30), []string{"x,red,1,1,low"})...), s))
	assert.Same(t, before, m.Fitted())
}
