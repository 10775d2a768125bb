package pipeline_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var both = mat.NewDense(6, 2, []float64{1, 9e3, 2, 7e3, 3, 8e3, 4, 2e3, 5, 4e3, 9, -1e3})

func multi() *pipeline.MultiRegressor {
	return &pipeline.MultiRegressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &ridge.MultiRegressor{Ridge: .5}}
}

// Each target has the same predictions as a Regressor for that target alone. The variance includes the part of the kernel that the
// steps leave out.
func TestMultiIsThePipelineOfEachTarget(t *testing.T) {
	k := kernels.RBF{Gamma: .3}
	for name, steps := range map[string][]transformers.Transformer{
		"scaler": {&scalers.StandardScaler{}}, "none": nil,
		"Nystroem": {&scalers.StandardScaler{}, &featuremap.Nystroem{Kernel: k, Components: 3}},
	} {
		p := &pipeline.MultiRegressor{Steps: steps, Final: &ridge.MultiRegressor{Ridge: .5}}
		require.NoError(t, p.FitWeighted(ctx, x, both, ones))
		assert.Equal(t, 2, p.Targets())
		mean, variance, err := p.PredictVariance(x)
		require.NoError(t, err)
		low, high, err := p.PredictInterval(x, .8)
		require.NoError(t, err)
		for j := range 2 {
			one := &pipeline.Regressor{Steps: steps, Final: &ridge.Regressor{Ridge: .5}}
			require.NoError(t, one.Fit(ctx, x, mat.Col(nil, j, both)))
			wantMean, wantVariance, err := one.PredictVariance(x)
			require.NoError(t, err)
			wantLow, wantHigh, err := one.PredictInterval(x, .8)
			require.NoError(t, err)
			assert.InEpsilonSlice(t, wantMean, mat.Col(nil, j, mean), 1e-9, name)
			assert.InEpsilonSlice(t, wantVariance, mat.Col(nil, j, variance), 1e-9, name)
			assert.InEpsilonSlice(t, wantLow, mat.Col(nil, j, low), 1e-8, name)
			assert.InEpsilonSlice(t, wantHigh, mat.Col(nil, j, high), 1e-8, name)
		}
		assert.Len(t, p.FittedSteps(), len(steps))
		assert.Equal(t, 2, p.FittedFinal().Targets())
		assert.True(t, p.Report().Converged)
	}
}

// noMore hides all methods of a MultiRegressor except those of the interface.
type noMore struct{ estimators.MultiRegressor }

func TestMultiErrors(t *testing.T) {
	p := &pipeline.MultiRegressor{}
	assert.EqualError(t, p.Fit(ctx, x, both), "pipeline: MultiRegressor: Final = <nil>, want an estimator")
	p = multi()
	assert.Nil(t, p.FittedSteps())
	assert.Nil(t, p.FittedFinal())
	assert.Zero(t, p.Targets())
	assert.Zero(t, p.Report())
	_, _, err := p.PredictVariance(x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	for says, err := range map[string]error{"y has 5 rows, x has 6 rows": p.Fit(ctx, x, both.Slice(0, 5, 0, 2)), "weights has 5 entries": p.FitWeighted(ctx, x, both, ones[1:])} {
		assert.ErrorContains(t, err, "pipeline: MultiRegressor: final (ridge.MultiRegressor): ")
		assert.ErrorContains(t, err, says)
	}
	require.NoError(t, p.Fit(ctx, x, both))
	_, _, err = p.PredictInterval(x, 2)
	assert.ErrorIs(t, err, estimators.ErrParam)

	least := &pipeline.MultiRegressor{Final: noMore{&ridge.MultiRegressor{}}}
	require.NoError(t, least.Fit(ctx, x, both))
	_, err = least.Predict(x)
	require.NoError(t, err)
	into := mat.NewDense(6, 2, nil)
	require.NoError(t, least.PredictTo(into, x))
	assert.ErrorIs(t, least.PredictTo(mat.NewDense(5, 2, nil), x), estimators.ErrShape)
	_, _, err = least.PredictVariance(x)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	assert.ErrorIs(t, least.FitWeighted(ctx, x, both, ones), errors.ErrUnsupported)
	_, err = least.MarshalBinary()
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	for _, c := range []estimators.Capability{estimators.Variance, estimators.Interval, estimators.Weighted, estimators.Marshalling} {
		assert.True(t, p.Supports(c), c)
		assert.False(t, least.Supports(c), c)
	}
}

func TestMultiGoldenFile(t *testing.T) {
	fitted := multi()
	require.NoError(t, fitted.Fit(ctx, x, both))
	data, read := golden.Model(t, "MultiRegressor-v1.keln", fitted.MarshalBinary), multi()
	require.NoError(t, read.UnmarshalBinary(data))
	want, err := fitted.Predict(x)
	require.NoError(t, err)
	got, err := read.Predict(x)
	require.NoError(t, err)
	assert.InEpsilonSlice(t, want.RawMatrix().Data, got.RawMatrix().Data, 1e-9)
	other := &pipeline.MultiRegressor{Final: &ridge.MultiRegressor{}}
	assert.ErrorIs(t, other.UnmarshalBinary(data), estimators.ErrBadModel)
	assert.ErrorIs(t, (&pipeline.Regressor{Final: &ridge.Regressor{}}).UnmarshalBinary(data), estimators.ErrBadModel)
}
