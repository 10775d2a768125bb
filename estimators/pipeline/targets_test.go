package pipeline_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	given "github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// places returns transformers that contain e, which is fitted to the targets: e itself, a chain and a ColumnTransformer.
func places(e *columnwise.TargetEncoder) map[string]transformers.Transformer {
	of := *e
	of.Columns = nil
	return map[string]transformers.Transformer{
		"a step":             e,
		"in a chain":         &pipeline.Transformer{Steps: []transformers.Transformer{e}},
		"of certain columns": &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{{Columns: e.Columns, Of: &of}}},
	}
}

func levels(n, levels int, seed uint64) (x *mat.Dense, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y = mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		level := rng.IntN(levels)
		x.SetRow(i, []float64{float64(level), rng.NormFloat64()})
		y[i] = float64(level*7%levels) + x.At(i, 1)
	}
	return x, y
}

// The final estimator is fitted to the encoder's FitTransformTargets of the training rows, and new rows are transformed by
// Transform.
func TestStepsGetTheTargets(t *testing.T) {
	ctx := context.Background()
	x, y := levels(60, 6, 1)
	xNew, _ := levels(5, 6, 2)
	for name, step := range places(&columnwise.TargetEncoder{Columns: []int{0}}) {
		e := &columnwise.TargetEncoder{Columns: []int{0}}
		z, err := e.FitTransformTargets(ctx, x, mat.NewDense(len(y), 1, y))
		require.NoError(t, err)
		zNew, err := e.Transform(xNew)
		require.NoError(t, err)
		want := &ridge.Regressor{Ridge: .1}
		require.NoError(t, want.Fit(ctx, z, y))
		p := &pipeline.Regressor{Steps: []transformers.Transformer{step}, Final: &ridge.Regressor{Ridge: .1}}
		require.NoError(t, p.Fit(ctx, x, y), name)
		wantY, err := want.Predict(zNew)
		require.NoError(t, err)
		got, err := p.Predict(xNew)
		require.NoError(t, err)
		assert.Equal(t, wantY, got, name)

		m := &pipeline.MultiRegressor{Steps: []transformers.Transformer{step}, Final: &ridge.MultiRegressor{Ridge: .1}}
		require.NoError(t, m.Fit(ctx, x, mat.NewDense(len(y), 1, y)), name)
		several, err := m.Predict(xNew)
		require.NoError(t, err)
		assert.InDeltaSlice(t, wantY, mat.Col(nil, 0, several), 1e-9, name)
	}
}

// A TargetEncoder returns one column for two classes, and three columns for three.
func TestStepsGetTheClasses(t *testing.T) {
	ctx := context.Background()
	x, y := levels(80, 6, 3)
	want := map[int][]string{2: {"level=mean", "number"}, 3: {"level=mean 0", "level=mean 1", "level=mean 2", "number"}}
	for _, classes := range []int{2, 3} {
		labels := make([]int, len(y))
		for i := range y {
			labels[i] = 10 * (int(x.At(i, 0)) % classes)
		}
		for name, step := range places(&columnwise.TargetEncoder{Columns: []int{0}}) {
			p := &pipeline.Classifier{Steps: []transformers.Transformer{step, &scalers.StandardScaler{}}, Final: &lssvm.Classifier{}}
			require.NoError(t, p.Fit(ctx, x, labels), name)
			got, err := p.Predict(x)
			require.NoError(t, err)
			assert.Equal(t, labels, got, name)
			names, err := p.FeatureNames([]string{"level", "number"})
			require.NoError(t, err)
			assert.Equal(t, want[classes], names, name)
		}
		z, err := (&columnwise.TargetEncoder{Columns: []int{0}}).FitTransformTargets(ctx, x, given.Matrix(labels))
		require.NoError(t, err)
		assert.InDelta(t, 1, mat.Max(z.Slice(0, len(y), 0, len(want[classes])-1)), .2, "a share of the rows of a class")
	}
}

// In PartialFit, a step receives the targets of the first chunk. Streams and statistics provide no targets for steps, and a step
// that needs targets returns an error.
func TestStepsThatNeedTargets(t *testing.T) {
	ctx := context.Background()
	x, y := levels(40, 5, 4)
	labels := make([]int, len(y))
	for i := range y {
		labels[i] = int(x.At(i, 0)) % 2
	}
	c := &pipeline.Classifier{Steps: []transformers.Transformer{&columnwise.TargetEncoder{Columns: []int{0}}}, Final: &eem.Classifier{}}
	require.NoError(t, c.PartialFit(ctx, x, labels))
	require.NoError(t, c.PartialFit(ctx, x, labels))
	got, err := c.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, labels, got)

	assert.False(t, estimators.Supports(c, estimators.Blocks))
	_, err = c.NewStages()
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	for name, step := range places(&columnwise.TargetEncoder{Columns: []int{0}}) {
		err := step.Fit(ctx, x)
		assert.ErrorIs(t, err, errors.ErrUnsupported, name)
		p := &pipeline.Regressor{Steps: []transformers.Transformer{step}, Final: &ridge.Regressor{}}
		assert.ErrorIs(t, p.Fit(ctx, x, y[:7]), estimators.ErrShape, name)
	}
}
