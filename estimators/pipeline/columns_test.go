package pipeline_test

import (
	"context"
	"errors"
	"iter"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var nan = math.NaN()

// cars has the columns price, make, age (with gaps), and a number that stays unchanged.
var cars = golden.Dense([][]float64{{10, 1, 3, 7}, {20, 2, nan, 8}, {30, 1, 5, 9}, {60, 3, 4, 7}})

func columns() *pipeline.ColumnTransformer {
	return &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{
		{Columns: []int{2, 0}, Of: &pipeline.Transformer{Steps: []transformers.Transformer{&columnwise.Imputer{Indicators: true}, &scalers.MinMaxScaler{}}}},
		{Columns: []int{1}, Of: &columnwise.OneHot{}},
		{Columns: []int{0}},
	}}
}

// The result consists of the results of each part's transformer, side by side.
func TestColumnTransformer(t *testing.T) {
	ctx := context.Background()
	c := columns()
	require.NoError(t, c.Fit(ctx, cars))
	z, err := c.Transform(cars)
	require.NoError(t, err)
	want := golden.Dense([][]float64{
		{0, 0, 0, 1, 0, 0, 10, 7},
		{.5, .2, 1, 0, 1, 0, 20, 8},
		{1, .4, 0, 1, 0, 0, 30, 9},
		{.5, 1, 0, 0, 0, 1, 60, 7},
	})
	assert.True(t, mat.EqualApprox(want, z, 1e-12), "%v", mat.Formatted(z))
	names, err := c.FeatureNames([]string{"price", "make", "age", "doors"})
	require.NoError(t, err)
	assert.Equal(t, []string{"age", "price", "age missing", "make=1", "make=2", "make=3", "price", "doors"}, names)
	_, err = c.FeatureNames([]string{"price"})
	assert.ErrorIs(t, err, estimators.ErrShape)
	own, err := transformers.NamesOf(c, nil)
	require.NoError(t, err)
	assert.Equal(t, []string{"x2", "x0", "x2 missing", "x1=1", "x1=2", "x1=3", "x0", "x3"}, own)
	assert.Len(t, c.FittedParts(), 4)

	var dst mat.Dense
	require.NoError(t, c.TransformTo(&dst, cars))
	assert.True(t, mat.EqualApprox(want, &dst, 1e-12))
	assert.ErrorIs(t, c.TransformTo(mat.NewDense(4, 7, nil), cars), estimators.ErrShape)
	assert.ErrorIs(t, c.TransformTo(nil, cars), estimators.ErrShape)

	dropped := columns()
	dropped.DropRest = true
	require.NoError(t, dropped.Fit(ctx, cars))
	z, err = dropped.Transform(cars)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want.Slice(0, 4, 0, 7), z, 1e-12))

	// Without parts, all columns are unchanged.
	all := &pipeline.ColumnTransformer{Gaps: true}
	require.NoError(t, all.Fit(ctx, cars))
	z, err = all.Transform(cars)
	require.NoError(t, err)
	assert.Equal(t, 60., z.At(3, 0))
	assert.True(t, math.IsNaN(z.At(1, 2)))
}

// Rest transforms all columns that belong to no part. If there are none, there is no fitted part for it.
func TestRestOfColumns(t *testing.T) {
	ctx := context.Background()
	c := &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{1}}}, Rest: &columnwise.Imputer{Indicators: true}}
	require.NoError(t, c.Fit(ctx, cars))
	z, err := c.Transform(cars)
	require.NoError(t, err)
	assert.True(t, mat.Equal(golden.Dense([][]float64{{1, 10, 3, 7, 0}, {2, 20, 4, 8, 1}, {1, 30, 5, 9, 0}, {3, 60, 4, 7, 0}}), z), "%v", mat.Formatted(z))
	assert.Contains(t, c.String(), "rest: columnwise.Imputer")
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	read := &pipeline.ColumnTransformer{Parts: c.Parts, Rest: &columnwise.Imputer{Indicators: true}}
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.Transform(cars)
	require.NoError(t, err)
	assert.True(t, mat.Equal(z, again))
	assert.ErrorIs(t, (&pipeline.ColumnTransformer{Parts: c.Parts}).UnmarshalBinary(data), estimators.ErrBadModel)

	all := &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{0, 1}}}, Rest: &scalers.StandardScaler{}}
	require.NoError(t, all.Fit(ctx, cars.Slice(0, 4, 0, 2)))
	z, err = all.Transform(cars.Slice(0, 4, 0, 2))
	require.NoError(t, err)
	assert.True(t, mat.Equal(cars.Slice(0, 4, 0, 2), z))
	assert.ErrorContains(t, (&pipeline.ColumnTransformer{Rest: &scalers.StandardScaler{}, DropRest: true}).Fit(ctx, cars), "Rest = ")
}

// A fit to a stream equals a fit to the rows in memory.
func TestColumnTransformerBlocks(t *testing.T) {
	want, got := columns(), columns()
	require.NoError(t, want.Fit(context.Background(), cars))
	stream := func(size int) iter.Seq2[streaming.Block[streaming.None], error] {
		return func(yield func(streaming.Block[streaming.None], error) bool) {
			for from := 0; from < 4; from += size {
				if !yield(streaming.Rows(cars.Slice(from, min(from+size, 4), 0, 4).(*mat.Dense)), nil) {
					return
				}
			}
		}
	}
	for _, size := range []int{1, 3, 4} {
		require.NoError(t, got.FitBlocks(context.Background(), stream(size)))
		a, err := want.MarshalBinary()
		require.NoError(t, err)
		b, err := got.MarshalBinary()
		require.NoError(t, err)
		assert.Equal(t, a, b)
	}
	rest := &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{0}, Of: &scalers.StandardScaler{}}}}
	err := rest.FitBlocks(context.Background(), stream(1))
	assert.EqualError(t, err, "pipeline: ColumnTransformer: the block after 1 rows: x[1,2] is NaN (counted from 0): fill gaps with columnwise.Imputer")
	gone := errors.New("the disk is gone")
	assert.ErrorIs(t, got.FitBlocks(context.Background(), func(yield func(streaming.Block[streaming.None], error) bool) { yield(streaming.Rows(nil), gone) }), gone)
	assert.ErrorIs(t, got.FitBlocks(context.Background(), nil), estimators.ErrParam)
	assert.ErrorIs(t, got.FitBlocks(context.Background(), func(func(streaming.Block[streaming.None], error) bool) {}), estimators.ErrShape)
	plain := &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{0}, Of: &featuremap.KernelMap{}}}}
	assert.ErrorIs(t, plain.FitBlocks(context.Background(), stream(1)), errors.ErrUnsupported)
	assert.False(t, plain.Supports(estimators.Blocks))
	assert.True(t, rest.Supports(estimators.Blocks))
	assert.True(t, plain.Supports(estimators.Marshalling))
	assert.False(t, rest.Supports(estimators.Mergeable))
}

func TestColumnTransformerErrors(t *testing.T) {
	ctx := context.Background()
	scaler := &scalers.StandardScaler{}
	for name, c := range map[string]struct {
		parts []pipeline.ColumnPart
		want  error
		says  string
	}{
		"none":     {[]pipeline.ColumnPart{{Of: scaler}}, estimators.ErrParam, "Parts[0].Columns"},
		"negative": {[]pipeline.ColumnPart{{Columns: []int{-1}, Of: scaler}}, estimators.ErrParam, "Parts[0].Columns"},
		"twice":    {[]pipeline.ColumnPart{{Columns: []int{0}}, {Columns: []int{1, 1}, Of: scaler}}, estimators.ErrParam, "Parts[1].Columns"},
		"too many": {[]pipeline.ColumnPart{{Columns: []int{4}, Of: scaler}}, estimators.ErrShape, "Parts[0].Columns has column 4"},
		"nil":      {[]pipeline.ColumnPart{{Columns: []int{0}, Of: (*columnwise.OneHot)(nil)}}, estimators.ErrParam, "Parts[0].Of"},
		"a gap":    {[]pipeline.ColumnPart{{Columns: []int{0, 2}, Of: scaler}}, estimators.ErrNotFinite, "part 0 (StandardScaler of columns [0 2]): x[1,2] is NaN"},
		"the rest": {[]pipeline.ColumnPart{{Columns: []int{0}, Of: scaler}}, estimators.ErrNotFinite, "ColumnTransformer: x[1,2] is NaN"},
	} {
		err := (&pipeline.ColumnTransformer{Parts: c.parts}).Fit(ctx, cars)
		require.ErrorIs(t, err, c.want, name)
		assert.ErrorContains(t, err, c.says, name)
	}
	assert.ErrorIs(t, (&pipeline.ColumnTransformer{DropRest: true}).Fit(ctx, cars), estimators.ErrParam)
	c := columns()
	_, err := c.Transform(cars)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	_, err = c.FeatureNames(nil)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, c.Fit(ctx, cars))
	_, err = c.Transform(cars.Slice(0, 4, 0, 3))
	assert.ErrorIs(t, err, estimators.ErrShape)
	bad := mat.DenseCopyOf(cars)
	bad.Set(1, 3, nan)
	_, err = c.Transform(bad)
	assert.EqualError(t, err, "pipeline: ColumnTransformer: x[1,3] is NaN (counted from 0): fill gaps with columnwise.Imputer")
	unnamed := &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: []int{0}, Of: plainStep{&scalers.UnitRows{}}}}}
	require.NoError(t, unnamed.Fit(ctx, cars.Slice(0, 1, 0, 4)))
	_, err = unnamed.FeatureNames(nil)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = unnamed.MarshalBinary()
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}

// A file can be decoded only into a ColumnTransformer with the same parts.
func TestColumnTransformerFiles(t *testing.T) {
	ctx := context.Background()
	c := columns()
	require.NoError(t, c.Fit(ctx, cars))
	want, err := c.Transform(cars)
	require.NoError(t, err)
	data := golden.Model(t, "ColumnTransformer-v1.keln", c.MarshalBinary)
	read := columns()
	require.NoError(t, read.UnmarshalBinary(data))
	got, err := read.Transform(cars)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-12))
	fewer, other, moved := columns(), columns(), columns()
	fewer.Parts = fewer.Parts[:2]
	other.Parts[1].Of = &scalers.StandardScaler{}
	moved.Parts[1].Columns = []int{3}
	dropping, far := columns(), columns()
	dropping.DropRest = true
	far.Parts[0].Columns = []int{9}
	for name, o := range map[string]*pipeline.ColumnTransformer{"fewer": fewer, "other": other, "moved": moved, "dropping": dropping, "far": far} {
		require.ErrorIs(t, o.UnmarshalBinary(data), estimators.ErrBadModel, name)
		_, err := o.Transform(cars)
		assert.ErrorIs(t, err, estimators.ErrNotFitted, name)
	}
}
