package inspection

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/selection"
)

var ctx = context.Background()

// known is a regressor with a given prediction function.
type known func(row []float64) float64

func (known) Fit(context.Context, mat.Matrix, []float64) error { return nil }

func (f known) Predict(x mat.Matrix) ([]float64, error) {
	n, _ := x.Dims()
	out := make([]float64, n)
	for i := range out {
		out[i] = f(mat.Row(nil, i, x))
	}
	return out, nil
}

// uniform returns rows whose columns are independent and uniformly distributed.
func uniform(n, d int, low, high float64, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := mat.NewDense(n, d, nil)
	for i := range x.RawMatrix().Data {
		x.RawMatrix().Data[i] = low + (high-low)*rng.Float64()
	}
	return x
}

// byName returns the relevances by the names of their columns.
func byName(r Relevances) map[string]Relevance {
	out := map[string]Relevance{}
	for _, v := range r {
		out[v.Name] = v
	}
	return out
}

// On a full factorial design the fractions agree exactly with an analysis of variance: the terms 3a and ab of f = 3a + ab have
// variances 9 var(a) and var(a) var(b).
func TestRelevancesAreAnAnalysisOfVariance(t *testing.T) {
	x := mat.NewDense(5*4*3, 3, nil)
	for i := range 60 {
		x.SetRow(i, []float64{float64(i%5) - 2, float64(i/5%4) - 1.5, float64(i / 20)})
	}
	a, b := stat.PopVariance(mat.Col(nil, 0, x), nil), stat.PopVariance(mat.Col(nil, 1, x), nil)
	f := known(func(v []float64) float64 { return 7 + 3*v[0] + v[0]*v[1] })
	r, err := RegressorRelevances(ctx, f, x, &Options{Names: []string{"a", "b", "c"}})
	require.NoError(t, err)
	total := 9*a + a*b
	require.Len(t, r, 3)
	assert.Equal(t, []string{"a", "b", "c"}, []string{r[0].Name, r[1].Name, r[2].Name})
	assert.InDelta(t, 1, r[0].Relevance, 1e-12)
	assert.InDelta(t, 9*a/total, r[0].FirstOrder, 1e-12)
	assert.InDelta(t, a*b/total, r[1].Relevance, 1e-12)
	assert.InDelta(t, 0, r[1].FirstOrder, 1e-12)
	assert.InDelta(t, 0, r[2].Relevance, 1e-12)
	assert.True(t, math.IsNaN(r[0].Length), "a function has no length")
}

// The relevances of Ishigami's function agree with the known values (T. Ishigami and T. Homma, 1990).
func TestIshigami(t *testing.T) {
	const a, b = 7, 0.1
	f := known(func(v []float64) float64 {
		return math.Sin(v[0]) + a*math.Pow(math.Sin(v[1]), 2) + b*math.Pow(v[2], 4)*math.Sin(v[0])
	})
	x := uniform(4000, 3, -math.Pi, math.Pi, 1)
	r, err := RegressorRelevances(ctx, f, x, &Options{Rows: 4000, Points: 100})
	require.NoError(t, err)
	pi4 := math.Pow(math.Pi, 4)
	one, two, both := 0.5*math.Pow(1+b*pi4/5, 2), a*a/8.0, b*b*pi4*pi4*8/225
	total := one + two + both
	of := byName(r)
	for name, want := range map[string][2]float64{
		"column 0": {one / total, (one + both) / total}, "column 1": {two / total, two / total}, "column 2": {0, both / total},
	} {
		assert.InDelta(t, want[0], of[name].FirstOrder, 0.02, name)
		assert.InDelta(t, want[1], of[name].Relevance, 0.02, name)
	}
}

func TestColumnsThatGoTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 0))
	x := mat.NewDense(150, 8, nil)
	for i := range 150 {
		v, level := rng.NormFloat64(), rng.IntN(3)
		row := []float64{v, 0, 0, 0, 5 - 1e3*v, rng.NormFloat64(), 4, rng.NormFloat64()}
		row[1+level] = 1
		x.SetRow(i, row)
	}
	names := []string{"height", "colour=red", "colour=blue", "colour=green", "height in mm", "other", "constant", "sex=female"}
	f := known(func(v []float64) float64 { return v[0] - v[4]/1e3 + 2*v[1] - v[3] + 0.1*v[5] + v[7] })
	r, err := RegressorRelevances(ctx, f, x, &Options{Names: names})
	require.NoError(t, err)
	of := byName(r)
	require.Len(t, r, 5)
	assert.Equal(t, []int{0, 4}, of["height, height in mm"].Columns)
	assert.Equal(t, []int{1, 2, 3}, of["colour"].Columns)
	assert.Zero(t, of["constant"].Relevance)
	assert.Zero(t, of["constant"].FirstOrder)
	assert.Contains(t, of, "sex=female", "a single column is not a category")
	for i := 1; i < len(r); i++ {
		assert.GreaterOrEqual(t, r[i-1].Relevance, r[i].Relevance)
	}
	// For an additive function the relevance and the first order are both the variance of the component. Points at quantiles leave
	// out the tails of a normal distribution.
	total := stat.PopVariance(predict(t, f, x), nil)
	height := 4 * stat.PopVariance(mat.Col(nil, 0, x), nil)
	assert.InEpsilon(t, height/total, of["height, height in mm"].Relevance, 0.1)
	assert.InDelta(t, of["height, height in mm"].FirstOrder, of["height, height in mm"].Relevance, 1e-9)
	colour := make([]float64, 150)
	for i := range colour {
		colour[i] = 2*x.At(i, 1) - x.At(i, 3)
	}
	assert.InEpsilon(t, stat.PopVariance(colour, nil)/total, of["colour"].Relevance, 1e-9)

	e, err := RegressorEffect(ctx, f, x, 2, &Options{Names: names})
	require.NoError(t, err)
	assert.Equal(t, "colour", e.Name)
	assert.Equal(t, []string{"red", "blue", "green"}, e.Levels)
	assert.InDelta(t, 2, e.Mean[0]-e.Mean[1], 1e-9)
	assert.InDelta(t, -1, e.Mean[2]-e.Mean[1], 1e-9)
	assert.Len(t, e.Rows, 150)
	assert.Nil(t, e.Low)
	assert.Contains(t, e.String(), "green")
	few, err := RegressorEffect(ctx, f, x, 2, &Options{Names: names, Points: 2})
	require.NoError(t, err)
	assert.Len(t, few.Levels, 2)
	assert.InDelta(t, 1, few.Share[0]+few.Share[1], 1e-12)
}

func predict(t *testing.T, r estimators.Regressor, x mat.Matrix) []float64 {
	t.Helper()
	y, err := r.Predict(x)
	require.NoError(t, err)
	return y
}

// An effect is the mean prediction with the column set to a value. The values are quantiles, or all distinct values.
func TestEffectIsTheMeanPrediction(t *testing.T) {
	x := uniform(300, 2, 0, 1, 5)
	f := known(func(v []float64) float64 { return v[0]*v[0] + v[0]*v[1] })
	e, err := RegressorEffect(ctx, f, x, 0, &Options{Rows: 300, Points: 7})
	require.NoError(t, err)
	require.Len(t, e.At, 7)
	mean := stat.Mean(mat.Col(nil, 1, x), nil)
	for g, v := range e.At {
		assert.InDelta(t, (float64(g)+0.5)/7, v, 0.06, "quantiles")
		assert.InDelta(t, v*v+v*mean, e.Mean[g], 1e-12)
		assert.InDelta(t, 1.0/7, e.Share[g], 1e-12)
	}
	assert.Equal(t, NoBand, e.Band)
	for i := range 300 {
		x.Set(i, 1, float64(i%3))
		if i%10 == 0 {
			x.Set(i, 1, math.NaN())
		}
	}
	g := known(func(v []float64) float64 { return v[0] })
	e, err = RegressorEffect(ctx, g, x, 1, nil)
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1, 2}, e.At, "without the gaps")
	assert.Len(t, e.Rows, 180)

	same, err := RegressorEffect(ctx, g, x, 1, &Options{Seed: 0})
	require.NoError(t, err)
	other, err := RegressorEffect(ctx, g, x, 1, &Options{Seed: 1})
	require.NoError(t, err)
	assert.Equal(t, e, same)
	assert.NotEqual(t, e.Mean, other.Mean)
}

func TestClasses(t *testing.T) {
	x := uniform(120, 2, -1, 1, 6)
	labels := make([]int, 120)
	for i := range labels {
		if x.At(i, 0) > 0.2 {
			labels[i] = 4
		}
	}
	c := &lssvm.Classifier{}
	_, err := ClassifierRelevances(ctx, c, x, nil)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, c.Fit(ctx, x, labels))
	r, err := ClassifierRelevances(ctx, c, x, nil)
	require.NoError(t, err)
	assert.Equal(t, "column 0", r[0].Name)
	assert.Greater(t, r[0].Relevance, 0.8)
	assert.Less(t, r[1].Relevance, 0.2)
	up, err := ClassifierEffect(ctx, c, x, 0, 4, nil)
	require.NoError(t, err)
	down, err := ClassifierEffect(ctx, c, x, 0, 0, nil)
	require.NoError(t, err)
	assert.Less(t, up.Mean[0], 0.3)
	assert.Greater(t, up.Mean[19], 0.7)
	for g := range up.Mean {
		assert.InDelta(t, 1, up.Mean[g]+down.Mean[g], 1e-12)
	}
	_, err = ClassifierEffect(ctx, c, x, 0, 3, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)

	hard := &svm.Classifier{}
	require.NoError(t, hard.Fit(ctx, x, labels))
	_, err = ClassifierRelevances(ctx, struct{ estimators.Classifier }{hard}, x, nil)
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = ClassifierEffect(ctx, struct{ estimators.Classifier }{hard}, x, 0, 4, nil)
	assert.ErrorIs(t, err, errors.ErrUnsupported)

	whole := &selection.Classifier{}
	require.NoError(t, whole.Fit(ctx, x, labels))
	r, err = ClassifierRelevances(ctx, whole, x, nil)
	require.NoError(t, err)
	assert.Equal(t, "column 0", r[0].Name)
	assert.Less(t, r[0].Length, r[1].Length, "some of the models have a length for each column")
}

func TestErrors(t *testing.T) {
	x := uniform(20, 2, 0, 1, 1)
	f := known(func(v []float64) float64 { return v[0] })
	for name, opt := range map[string]Options{
		"rows": {Rows: -1}, "points": {Points: -1}, "level": {Level: -0.1}, "level 1": {Level: 1}, "level NaN": {Level: math.NaN()}, "names": {Names: []string{"one"}},
	} {
		_, err := RegressorRelevances(ctx, f, x, &opt)
		assert.ErrorIs(t, err, estimators.ErrParam, name)
		_, err = RegressorEffect(ctx, f, x, 0, &opt)
		assert.ErrorIs(t, err, estimators.ErrParam, name)
	}
	for _, column := range []int{-1, 2} {
		_, err := RegressorEffect(ctx, f, x, column, nil)
		assert.ErrorIs(t, err, estimators.ErrParam)
	}
	_, err := RegressorRelevances(ctx, nil, x, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = RegressorRelevances(ctx, f, nil, nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = RegressorRelevances(ctx, f, mat.NewDense(1, 1, []float64{math.Inf(1)}), nil)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	for _, e := range []estimators.Regressor{&lssvm.Regressor{}, &selection.Regressor{}} {
		_, err = RegressorRelevances(ctx, e, x, nil)
		assert.ErrorIs(t, err, estimators.ErrNotFitted)
		_, err = RegressorEffect(ctx, e, x, 0, nil)
		assert.ErrorIs(t, err, estimators.ErrNotFitted)
		_, err = Component(ctx, e, x, 0, nil)
		assert.ErrorIs(t, err, estimators.ErrNotFitted)
	}
	gone := mat.NewDense(3, 1, []float64{math.NaN(), math.NaN(), math.NaN()})
	_, err = RegressorEffect(ctx, f, gone, 0, nil)
	assert.ErrorIs(t, err, estimators.ErrShape)

	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = RegressorRelevances(ended, f, x, nil)
	assert.ErrorIs(t, err, context.Canceled)
	_, err = RegressorEffect(ended, f, x, 0, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestObserve(t *testing.T) {
	x := uniform(20, 3, 0, 1, 1)
	f := known(func(v []float64) float64 { return v[0] })
	var steps []estimators.Step
	opt := &Options{Points: 4, Observe: func(s estimators.Step) { steps = append(steps, s) }}
	_, err := RegressorRelevances(ctx, f, x, opt)
	require.NoError(t, err)
	require.Len(t, steps, 3)
	assert.Equal(t, estimators.Step{Iteration: 2, Total: 3, Message: "column 1", Done: 2. / 3}, steps[1])
	steps = nil
	_, err = RegressorEffect(ctx, f, x, 1, opt)
	require.NoError(t, err)
	assert.Len(t, steps, 4)
}

// A constant function has no explained variance.
func TestConstantPredictions(t *testing.T) {
	x := uniform(20, 2, 0, 1, 1)
	r, err := RegressorRelevances(ctx, known(func(v []float64) float64 { return 1e6 + 1e-9*v[0] }), x, nil)
	require.NoError(t, err)
	assert.Zero(t, r[0].Relevance)
	assert.Equal(t, "none", NoBand.String())
	assert.Equal(t, "Band(7)", Band(7).String())
}
