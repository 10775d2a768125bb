package stacking_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/stacking"
	"github.com/kernelearn/kernelearn/selection/validation"
)

var ctx = context.Background()

// curvedRows draws rows and their targets, which are the mean of a line and a wave.
func curvedRows(n int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y[i] = 2*b + math.Sin(3*a) + .3*rng.NormFloat64()
	}
	return x, y
}

func loss(t *testing.T, r estimators.Regressor, x *mat.Dense, y []float64) float64 {
	t.Helper()
	p, err := r.Predict(x)
	require.NoError(t, err)
	floats.Sub(p, y)
	return floats.Dot(p, p) / float64(len(y)) / stat.PopVariance(y, nil)
}

// models returns three models: one has an exact leave-one-out error, one needs folds, and one predicts a constant.
func models() []estimators.Regressor {
	return []estimators.Regressor{
		&lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}}, &svm.Regressor{Kernel: kernels.Linear{}}, &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1e4}, Ridge: 100},
	}
}

func TestRegressor(t *testing.T) {
	x, y := curvedRows(150, 1)
	xNew, yNew := curvedRows(500, 2)
	r := &stacking.Regressor{Models: models()}
	require.NoError(t, r.Fit(ctx, x, y))
	best := math.Inf(1)
	for _, m := range models() {
		require.NoError(t, m.Fit(ctx, x, y))
		best = min(best, loss(t, m, xNew, yNew))
	}
	assert.Less(t, loss(t, r, xNew, yNew), 1.06*best)
	total, want := 0.0, make([]float64, 500)
	for _, s := range r.Shares() {
		total += s.Share
		p, err := s.Model.Predict(xNew)
		require.NoError(t, err)
		floats.AddScaled(want, s.Share, p)
	}
	assert.InDelta(t, 1, total, 1e-12)
	got, err := r.Predict(xNew)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-9)
	for _, s := range r.Shares() {
		if m, ok := s.Model.(*lssvm.Regressor); ok {
			assert.NotEqual(t, 100., m.Ridge, "an irrelevant model has no share")
		}
	}
	_, _, err = r.PredictVariance(xNew)
	assert.ErrorIs(t, err, errors.ErrUnsupported, "svm has no variances")
	assert.False(t, r.Supports(estimators.Interval))

	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := &stacking.Regressor{Models: models()}
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.Predict(xNew)
	require.NoError(t, err)
	assert.Equal(t, got, again)
	assert.ErrorIs(t, (&stacking.Regressor{Models: models()[1:2]}).UnmarshalBinary(data), estimators.ErrBadModel)
}

// The variances agree with those of the mixture, and the intervals contain the fraction of rows that their level states.
func TestVariancesOfAStack(t *testing.T) {
	x, y := curvedRows(150, 1)
	xNew, yNew := curvedRows(1000, 2)
	r := &stacking.Regressor{Models: []estimators.Regressor{&lssvm.Regressor{}, &ridge.Regressor{}}}
	require.NoError(t, r.Fit(ctx, x, y))
	low, high, err := r.PredictInterval(xNew, .9)
	require.NoError(t, err)
	inside := 0.0
	for i, v := range yNew {
		if low[i] <= v && v <= high[i] {
			inside++
		}
	}
	assert.InDelta(t, .9, inside/1000, .04)
}

// A weight of 2 is equivalent to repeating the row. Copies of a row are left out together.
func TestWeightsOfAStack(t *testing.T) {
	x, y := curvedRows(40, 1)
	twice := mat.NewDense(80, 2, nil)
	targets := make([]float64, 80)
	for i := range 80 {
		twice.SetRow(i, x.RawRowView(i%40))
		targets[i] = y[i%40]
	}
	one, two := &stacking.Regressor{Models: models()[:2]}, &stacking.Regressor{Models: models()[:2]}
	require.NoError(t, one.Fit(ctx, x, y))
	require.NoError(t, two.Fit(ctx, twice, targets))
	for k, s := range one.Shares() {
		assert.InDelta(t, s.Share, two.Shares()[k].Share, 1e-3)
	}
}

func TestClassifier(t *testing.T) {
	x, values := curvedRows(200, 3)
	xNew, valuesNew := curvedRows(600, 4)
	labels := func(values []float64) []int {
		out := make([]int, len(values))
		for i, v := range values {
			out[i] = int(math.Copysign(1, v)) + 5
		}
		return out
	}
	c := &stacking.Classifier{Models: []estimators.Classifier{&lssvm.Classifier{}, &eem.Classifier{Units: 20}, &svm.Classifier{Kernel: kernels.Linear{}, Probabilities: true}}}
	require.NoError(t, c.Fit(ctx, x, labels(values)))
	assert.Equal(t, []int{4, 6}, c.Classes())
	p, err := c.PredictProba(xNew)
	require.NoError(t, err)
	of := func(p *mat.Dense) (sum float64) {
		for i, l := range labels(valuesNew) {
			sum -= math.Log(p.At(i, (l-4)/2))
		}
		return sum / 600
	}
	for _, s := range c.Shares() {
		alone, err := s.Model.(estimators.ProbaPredictor).PredictProba(xNew)
		require.NoError(t, err)
		assert.Less(t, of(p), 1.06*of(alone))
	}
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	read := &stacking.Classifier{Models: c.Models}
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.PredictProba(xNew)
	require.NoError(t, err)
	assert.True(t, mat.Equal(p, again))
	err = (&stacking.Classifier{Models: []estimators.Classifier{&svm.Classifier{}}}).Fit(ctx, x, labels(values))
	assert.ErrorIs(t, err, errors.ErrUnsupported, "an svm without Probabilities")
}

// The rows of a group are left out together, so a model that memorises patients gets no share.
func TestGroupsOfAStack(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	x, y, patients := mat.NewDense(120, 2, nil), make([]float64, 120), make([]int, 120)
	for i := range y {
		patients[i] = i / 4
		own := math.Sin(float64(37 * patients[i]))
		a := rng.NormFloat64()
		x.SetRow(i, []float64{a, float64(patients[i]) + .01*rng.NormFloat64()})
		y[i] = a + 2*own + .1*rng.NormFloat64()
	}
	byHeart := func() []estimators.Regressor {
		return []estimators.Regressor{
			&lssvm.Regressor{Kernel: kernels.ARD{Kernel: kernels.RBFOfLength(1), Lengths: []float64{3, .2}}, Ridge: .01},
			&lssvm.Regressor{Kernel: kernels.ARD{Kernel: kernels.Linear{}, Lengths: []float64{1, 1e6}}, Ridge: 1},
		}
	}
	shares := map[bool]float64{}
	for _, grouped := range []bool{false, true} {
		r := &stacking.Regressor{Models: byHeart()}
		if grouped {
			r.Groups = patients
		}
		require.NoError(t, r.Fit(ctx, x, y))
		for _, s := range r.Shares() {
			if s.Model.(*lssvm.Regressor).Ridge == 1 {
				shares[grouped] = s.Share
			}
		}
	}
	assert.Less(t, shares[false], .3)
	assert.Greater(t, shares[true], .5)
}

func TestStacksThatAreRefused(t *testing.T) {
	x, y := curvedRows(30, 1)
	for want, r := range map[string]*stacking.Regressor{
		"stacking: Regressor: Models = 0, want at least one": {Models: []estimators.Regressor{}},
		"Models[1] = <nil>, want an estimator":               {Models: []estimators.Regressor{&lssvm.Regressor{}, nil}},
		"whose test parts have no row in common":             {Models: models()[1:2], Splitter: validation.ShuffleSplit{Splits: 9}},
	} {
		err := r.Fit(ctx, x, y)
		assert.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	r := &stacking.Regressor{Models: models()}
	_, err := r.Predict(x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	_, err = r.MarshalBinary()
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	y[3] = math.NaN()
	assert.ErrorIs(t, r.Fit(ctx, x, y), estimators.ErrNotFinite)
	assert.Nil(t, r.Shares())
}

// The models receive gaps and categories, also after the mean was stored and loaded.
func TestGapsAndCategoriesOfModels(t *testing.T) {
	x, y, labels := mat.NewDense(40, 2, nil), make([]float64, 40), make([]int, 40)
	for i := range y {
		code := i * 7 % 5
		x.SetRow(i, []float64{float64(i % 13), float64(100 - code*code)})
		y[i], labels[i] = []float64{3, -4, 1, -1, 5}[code]+.1*float64(i%3), []int{0, 1, 1, 0, 1}[code]
		if i%9 == 0 {
			x.Set(i, 0, math.NaN())
		}
	}
	search := &selection.Regressor{SingleModel: true}
	r := &stacking.Regressor{Models: []estimators.Regressor{search, &pipeline.Regressor{Final: &selection.Regressor{SingleModel: true}}}}
	require.True(t, estimators.SetCategories(r, []int{1}))
	assert.Equal(t, []int{1}, search.Categories)
	require.NoError(t, r.Fit(ctx, x, y))
	got, err := r.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, y, got, .3)
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := estimators.Clone(r)
	require.NoError(t, read.UnmarshalBinary(data))
	again, err := read.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, got, again, 1e-9)

	c := &stacking.Classifier{Models: []estimators.Classifier{&selection.Classifier{SingleModel: true}}}
	require.True(t, estimators.SetCategories(c, []int{1}))
	require.NoError(t, c.Fit(ctx, x, labels))
	classes, err := c.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, labels, classes)

	numbers := &stacking.Regressor{Models: []estimators.Regressor{search, &lssvm.Regressor{}}}
	numbers.SetCategories([]int{0})
	assert.Equal(t, []int{1}, search.Categories, "another model has none")
	assert.ErrorIs(t, numbers.Fit(ctx, x, y), estimators.ErrNotFinite)
	(&stacking.Regressor{}).SetCategories([]int{0})
}
