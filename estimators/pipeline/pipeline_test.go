package pipeline_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Package estimatortest runs the conformance suite on the pipelines. The tests in this package check properties that the suite does
// not.

var (
	ctx     = context.Background()
	x       = mat.NewDense(6, 2, []float64{1, 40, 2, 10, 3, 30, 4, 20, 5, 60, 7, 50})
	targets = []float64{1, 2, 3, 4, 5, 9}
	labels  = []int{0, 0, 0, 7, 7, 7}
	ones    = []float64{1, 1, 1, 1, 1, 1}
)

func regressor() *pipeline.Regressor {
	return &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.UnitRows{}, &scalers.StandardScaler{}},
		Final: &toy.Ridge{Penalty: 0.5},
	}
}

func classifier() *pipeline.Classifier {
	return &pipeline.Classifier{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}, &scalers.UnitRows{}},
		Final: &toy.Centroid{Sharpness: 2},
	}
}

func TestPredictIsTheStepsThenTheFinal(t *testing.T) {
	p := regressor()
	require.NoError(t, p.Fit(ctx, x, targets))

	var unit scalers.UnitRows
	var scaler scalers.StandardScaler
	require.NoError(t, unit.Fit(ctx, x))
	u, err := unit.Transform(x)
	require.NoError(t, err)
	require.NoError(t, scaler.Fit(ctx, u))
	z, err := scaler.Transform(u)
	require.NoError(t, err)
	final := &toy.Ridge{Penalty: 0.5}
	require.NoError(t, final.Fit(ctx, z, targets))
	want, wantVariance, err := final.PredictVariance(z)
	require.NoError(t, err)

	got, err := p.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	mean, variance, err := p.PredictVariance(x)
	require.NoError(t, err)
	assert.Equal(t, want, mean)
	assert.Equal(t, wantVariance, variance)
	assert.Equal(t, final.Report(), p.Report())
}

func TestNoSteps(t *testing.T) {
	p, final := &pipeline.Classifier{Final: &toy.Centroid{}}, &toy.Centroid{}
	require.NoError(t, p.Fit(ctx, x, labels))
	require.NoError(t, final.Fit(ctx, x, labels))
	got, err := p.PredictProba(x)
	require.NoError(t, err)
	want, err := final.PredictProba(x)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

func TestFitLeavesTheConfigurationAlone(t *testing.T) {
	p := classifier()
	assert.Nil(t, p.FittedSteps())
	assert.Nil(t, p.FittedFinal())
	require.NoError(t, p.Fit(ctx, x, labels))
	assert.Nil(t, p.Steps[0].(*scalers.StandardScaler).Means())
	assert.Nil(t, p.Final.Classes())
	assert.Equal(t, []float64{22.0 / 6, 35}, p.FittedSteps()[0].(*scalers.StandardScaler).Means())
	assert.Equal(t, []int{0, 7}, p.FittedFinal().Classes())

	want, err := p.Decision(x)
	require.NoError(t, err)
	p.FittedSteps()[0] = nil
	p.Steps[0], p.Final = nil, nil
	got, err := p.Decision(x)
	require.NoError(t, err)
	assert.Equal(t, want, got, "the fitted model does not depend on the configuration")
}

func TestCloneIsDeep(t *testing.T) {
	p := regressor()
	c := estimators.Clone(p)
	c.Final.(*toy.Ridge).Penalty = 3
	c.Steps[0] = nil
	assert.Equal(t, 0.5, p.Final.(*toy.Ridge).Penalty)
	assert.NotNil(t, p.Steps[0])
}

func TestErrorsNameTheStep(t *testing.T) {
	bad := mat.DenseCopyOf(x)
	bad.Set(3, 1, math.Inf(-1))
	for _, c := range []struct {
		err  error
		is   error
		text string
	}{
		{regressor().Fit(ctx, bad, targets), estimators.ErrNotFinite, "pipeline: Regressor: step 0 (UnitRows): x[3,1] is -Inf"},
		{regressor().Fit(ctx, x, targets[:5]), estimators.ErrShape, "pipeline: Regressor: final (toy.Ridge): y has 5 entries, x has 6 rows"},
		{(&pipeline.Regressor{}).Fit(ctx, x, targets), estimators.ErrParam, "pipeline: Regressor: Final = <nil>, want an estimator"},
		{(&pipeline.Regressor{Final: (*toy.Ridge)(nil)}).Fit(ctx, x, targets), estimators.ErrParam, "pipeline: Regressor: Final = <nil>, want an estimator"},
		{(&pipeline.Regressor{}).FitWeighted(ctx, x, targets, ones), estimators.ErrParam, "pipeline: Regressor: Final = <nil>, want an estimator"},
		{
			(&pipeline.Classifier{Steps: []transformers.Transformer{&scalers.UnitRows{}, nil}, Final: &toy.Centroid{}}).Fit(ctx, x, labels),
			estimators.ErrParam, "pipeline: Classifier: Steps[1] = <nil>, want a transformer",
		},
		{
			(&pipeline.Regressor{Final: &toy.Ridge{Penalty: -1}}).Fit(ctx, x, targets),
			estimators.ErrParam, "pipeline: Regressor: final (toy.Ridge): toy: Ridge: Penalty = -1, want >= 0 and finite",
		},
	} {
		require.ErrorIs(t, c.err, c.is)
		assert.EqualError(t, c.err, c.text)
	}
	p := regressor()
	require.NoError(t, p.Fit(ctx, x, targets))
	_, err := p.Predict(mat.NewDense(1, 3, nil))
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.EqualError(t, err, "pipeline: Regressor: step 0 (UnitRows): x has 3 columns, fitted on 2")
}

// plainStep, plainRegressor and plainClassifier have no capabilities.
type plainStep struct{ transformers.Transformer }
type plainRegressor struct{ estimators.Regressor }
type plainClassifier struct{ estimators.Classifier }

func TestUnsupportedCapabilities(t *testing.T) {
	r := &pipeline.Regressor{Final: plainRegressor{&toy.Ridge{}}}
	c := &pipeline.Classifier{Final: plainClassifier{&toy.Centroid{}}}
	for _, fit := range []bool{false, true} {
		if fit {
			require.NoError(t, r.Fit(ctx, x, targets))
			require.NoError(t, c.Fit(ctx, x, labels))
			_, err := r.MarshalBinary()
			require.ErrorIs(t, err, errors.ErrUnsupported)
			_, err = c.MarshalBinary()
			require.ErrorIs(t, err, errors.ErrUnsupported)
		}
		_, _, err := r.PredictVariance(x)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		_, _, err = r.PredictInterval(x, 0.9)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		_, err = c.PredictProba(x)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		_, err = c.Decision(x)
		require.ErrorIs(t, err, errors.ErrUnsupported)
		require.ErrorIs(t, r.FitWeighted(ctx, x, targets, ones), errors.ErrUnsupported)
		require.ErrorIs(t, c.FitWeighted(ctx, x, labels, ones), errors.ErrUnsupported)
		assert.Zero(t, r.Report())
		assert.Zero(t, c.Report())
	}
	for _, whole := range []bool{false, true} {
		var a estimators.Regressor = r
		var b estimators.Classifier = c
		if whole {
			a, b = regressor(), classifier()
		}
		// Every capability depends on the final estimator, except Naming, and PredictTo, which falls back to Predict.
		for _, capability := range estimators.Capabilities() {
			if slices.Contains([]estimators.Capability{estimators.Partial, estimators.KernelMatrix, estimators.LeaveOneOut, estimators.Inverting, estimators.Blocks, estimators.Smoothing, estimators.Sets, estimators.Mergeable, estimators.Continuing, estimators.PValues, estimators.Grouping, estimators.Categorizing, estimators.Expanding}, capability) {
				assert.False(t, estimators.Supports(a, capability) || estimators.Supports(b, capability), capability)
				continue
			}
			isRegressors := capability != estimators.Proba && capability != estimators.Decision && capability != estimators.DecisionTo && capability != estimators.ProbaTo
			isClassifiers := capability != estimators.Variance && capability != estimators.Interval
			want := whole || capability == estimators.PredictTo || capability == estimators.Naming
			assert.Equal(t, want && isRegressors, estimators.Supports(a, capability), "Regressor %v", capability)
			assert.Equal(t, want && isClassifiers, estimators.Supports(b, capability), "Classifier %v", capability)
		}
	}
}

func TestUnmarshalIntoAnotherConfiguration(t *testing.T) {
	p := regressor()
	require.NoError(t, p.Fit(ctx, x, targets))
	data, err := p.MarshalBinary()
	require.NoError(t, err)
	for _, c := range []struct {
		into *pipeline.Regressor
		text string
	}{
		{&pipeline.Regressor{Final: &toy.Ridge{}}, "the data holds 2 steps, configured are 0"},
		{
			&pipeline.Regressor{Steps: []transformers.Transformer{&scalers.UnitRows{}, &scalers.RMSScaler{}}, Final: &toy.Ridge{}},
			"step 1 was a transformers.StandardScaler, this value has a transformers.RMSScaler",
		},
		{&pipeline.Regressor{Steps: regressor().Steps, Final: plainRegressor{&toy.Ridge{}}}, "final was a toy.Ridge, this value has a pipeline_test.plainRegressor"},
	} {
		err := c.into.UnmarshalBinary(data)
		require.ErrorIs(t, err, estimators.ErrBadModel)
		assert.True(t, strings.HasSuffix(err.Error(), c.text), err.Error())
	}
	require.ErrorIs(t, (&pipeline.Regressor{Steps: regressor().Steps}).UnmarshalBinary(data), estimators.ErrParam)
	require.ErrorIs(t, classifier().UnmarshalBinary(data), estimators.ErrBadModel)
}

// Model files of version 1 stay readable and give the same predictions as the release that introduced that version.
func TestGoldenFilesStayReadable(t *testing.T) {
	fittedR, fittedC, fittedT := regressor(), classifier(), transformer()
	require.NoError(t, fittedR.Fit(ctx, x, targets))
	require.NoError(t, fittedC.Fit(ctx, x, labels))
	require.NoError(t, fittedT.Fit(ctx, x))
	r, c, tr := regressor(), classifier(), transformer()
	require.NoError(t, r.UnmarshalBinary(golden.Model(t, "Regressor-v1.keln", fittedR.MarshalBinary)))
	require.NoError(t, c.UnmarshalBinary(golden.Model(t, "Classifier-v1.keln", fittedC.MarshalBinary)))
	require.NoError(t, tr.UnmarshalBinary(golden.Model(t, "Transformer-v1.keln", fittedT.MarshalBinary)))

	wantMean, wantVariance, err := fittedR.PredictVariance(x)
	require.NoError(t, err)
	mean, variance, err := r.PredictVariance(x)
	require.NoError(t, err)
	// The computer that wrote the files may have rounded sums differently.
	assert.InDeltaSlice(t, wantMean, mean, 1e-12)
	assert.InDeltaSlice(t, wantVariance, variance, 1e-12)

	wantProba, err := fittedC.PredictProba(x)
	require.NoError(t, err)
	proba, err := c.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(wantProba, proba, 1e-12))
	wantRows, err := fittedT.Transform(x)
	require.NoError(t, err)
	rows, err := tr.Transform(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(wantRows, rows, 1e-12))
}

// Ridge regression on Nyström features with all rows as landmarks is equivalent to the machine with the kernel. Its variance is the
// same too, also far from all rows, where the features are 0.
func TestVarianceOfWhatLandmarksDoNotSee(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 0))
	rows, y := mat.NewDense(40, 2, nil), make([]float64, 40)
	for i := range y {
		rows.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		y[i] = math.Sin(rows.At(i, 0)) + 0.1*rng.NormFloat64()
	}
	k := kernels.RBF{Gamma: 2}
	at := mat.NewDense(3, 2, []float64{0, 0, 2, 2, 50, 50})
	ridgeOf := func(h int) (*pipeline.Regressor, []float64) {
		p := &pipeline.Regressor{
			Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k, Components: h}},
			Final: &ridge.Regressor{Ridge: 0.1},
		}
		require.NoError(t, p.Fit(ctx, rows, y))
		_, variance, err := p.PredictVariance(at)
		require.NoError(t, err)
		return p, variance
	}
	exact := &lssvm.Regressor{Kernel: k, Ridge: 0.1}
	require.NoError(t, exact.Fit(ctx, rows, y))
	_, want, err := exact.PredictVariance(at)
	require.NoError(t, err)
	p, got := ridgeOf(40)
	assert.InDeltaSlice(t, want, got, 1e-9)

	final := p.FittedFinal().(*ridge.Regressor)
	z, err := p.FittedSteps()[0].Transform(at)
	require.NoError(t, err)
	_, alone, err := final.PredictVariance(z)
	require.NoError(t, err)
	assert.Less(t, alone[2], 0.5*want[2], "which would be too sure")
	assert.InDelta(t, want[2], alone[2]+final.PriorVariance(), 1e-9, "k(x, x) is 1, and no landmark sees it")

	wantLow, wantHigh, err := exact.PredictInterval(at, 0.9)
	require.NoError(t, err)
	low, high, err := p.PredictInterval(at, 0.9)
	require.NoError(t, err)
	assert.InDeltaSlice(t, wantLow, low, 1e-9)
	assert.InDeltaSlice(t, wantHigh, high, 1e-9)

	_, few := ridgeOf(10)
	assert.Greater(t, few[0], got[0])

	// No variance is added if another step follows, or with another final estimator.
	for name, other := range map[string]*pipeline.Regressor{
		"step":  {Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k}, &scalers.StandardScaler{}}, Final: &ridge.Regressor{}},
		"final": {Steps: []transformers.Transformer{&featuremap.Nystroem{Kernel: k}}, Final: &toy.Ridge{Penalty: 0.5}},
		"none":  {Final: &ridge.Regressor{}},
	} {
		require.NoError(t, other.Fit(ctx, rows, y), name)
		var z mat.Matrix = at
		for _, s := range other.FittedSteps() {
			z, err = s.Transform(z)
			require.NoError(t, err)
		}
		_, want, err := other.FittedFinal().(estimators.VariancePredictor).PredictVariance(z)
		require.NoError(t, err)
		_, got, err := other.PredictVariance(at)
		require.NoError(t, err)
		assert.Equal(t, want, got, name)
		wantLow, _, err := other.FittedFinal().(estimators.IntervalPredictor).PredictInterval(z, 0.5)
		require.NoError(t, err)
		low, _, err := other.PredictInterval(at, 0.5)
		require.NoError(t, err)
		assert.Equal(t, wantLow, low, name)
	}
}
