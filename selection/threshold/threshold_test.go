package threshold_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/threshold"
	"github.com/kernelearn/kernelearn/selection/validation"
)

var ctx = context.Background()

// given predicts the probabilities that its rows contain. The first column is that of class 1, and the second that of class 2.
type given struct{ classes []int }

func (g *given) Fit(_ context.Context, _ mat.Matrix, y []int) error {
	g.classes = slices.Compact(slices.Sorted(slices.Values(y)))
	return nil
}
func (g *given) Classes() []int { return g.classes }
func (g *given) Predict(x mat.Matrix) ([]int, error) {
	n, _ := x.Dims()
	return make([]int, n), nil
}
func (g *given) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	n, d := x.Dims()
	p := mat.NewDense(n, len(g.classes), nil)
	for i := range n {
		rest := 1.0
		for j := 1; j < len(g.classes) && j <= d; j++ {
			p.Set(i, j, x.At(i, j-1))
			rest -= x.At(i, j-1)
		}
		p.Set(i, 0, rest)
	}
	return p, nil
}

// ten returns ten rows with the probabilities 0.05, 0.15, …, 0.95. The rows of class 1 have 0.35, 0.75, 0.85 and 0.95.
func ten() (*mat.Dense, []int) {
	x, y := mat.NewDense(10, 1, nil), make([]int, 10)
	for i := range 10 {
		x.Set(i, 0, 0.05+0.1*float64(i))
	}
	for _, i := range []int{3, 7, 8, 9} {
		y[i] = 1
	}
	return x, y
}

func TestChoices(t *testing.T) {
	x, y := ten()
	for name, c := range map[string]struct {
		of                                  threshold.Classifier
		threshold, precision, recall, score float64
	}{
		"recall":            {threshold.Classifier{MinRecall: 0.8}, 0.3, 4.0 / 7, 1, 4.0 / 7},
		"a smaller recall":  {threshold.Classifier{MinRecall: 0.7}, 0.7, 1, 0.75, 1},
		"precision":         {threshold.Classifier{MinPrecision: 0.5}, 0.3, 4.0 / 7, 1, 1},
		"full precision":    {threshold.Classifier{MinPrecision: 1}, 0.7, 1, 0.75, 0.75},
		"F2":                {threshold.Classifier{Beta: 2}, 0.3, 4.0 / 7, 1, 5 * 4.0 / (4*4 + 7)},
		"F0.5":              {threshold.Classifier{Beta: 0.5}, 0.7, 1, 0.75, 1.25 * 3 / (0.25*4 + 3)},
		"dear misses":       {threshold.Classifier{FalsePositiveCost: 1, FalseNegativeCost: 4}, 0.3, 4.0 / 7, 1, -0.3},
		"dear alarms":       {threshold.Classifier{FalsePositiveCost: 2, FalseNegativeCost: 1}, 0.7, 1, 0.75, -0.1},
		"balanced accuracy": {threshold.Classifier{}, 0.7, 1, 0.75, 0.875},
		"other class":       {threshold.Classifier{Positive: pointer(0), MinRecall: 1}, 0.3, 6.0 / 7, 1, 6.0 / 7},
	} {
		c.of.Estimator = &given{}
		require.NoError(t, c.of.Fit(ctx, x, y), name)
		got := c.of.Choice()
		assert.InDeltaSlice(t, []float64{c.threshold, c.precision, c.recall, c.score},
			[]float64{got.Threshold, got.Precision, got.Recall, got.Score}, 1e-12, name)
	}
}

// A weight of 3 is equivalent to three copies of the row: the false alarm at 0.65 then counts three times.
func TestWeights(t *testing.T) {
	x, y := ten()
	c := &threshold.Classifier{Estimator: &given{}, MinRecall: 1}
	err := c.FitWeighted(ctx, x, y, []float64{1, 1, 1, 1, 1, 1, 3, 1, 1, 1})
	assert.ErrorContains(t, err, "FitWeighted", "an estimator without weights")
	machine := &threshold.Classifier{Estimator: &lssvm.Classifier{Kernel: kernels.RBF{Gamma: 1}, Ridge: .1}, FalsePositiveCost: 1, FalseNegativeCost: 2}
	rows, labels := blobs(120, 3)
	w := make([]float64, 120)
	var index []int
	for i := range w {
		w[i] = float64(1 + i%3)
		for range 1 + i%3 {
			index = append(index, i)
		}
	}
	require.NoError(t, machine.FitWeighted(ctx, rows, labels, w))
	want := machine.Choice()
	repeated, again := mat.NewDense(len(index), 2, nil), make([]int, len(index))
	for k, i := range index {
		repeated.SetRow(k, rows.RawRowView(i))
		again[k] = labels[i]
	}
	require.NoError(t, machine.Fit(ctx, repeated, again))
	got := machine.Choice()
	assert.InDeltaSlice(t, []float64{want.Threshold, want.Precision, want.Recall, want.Score},
		[]float64{got.Threshold, got.Precision, got.Recall, got.Score}, 1e-9)
}

// blobs returns rows of two overlapping clouds, and their labels. A fifth of the rows has class 1.
func blobs(n int, seed uint64) (*mat.Dense, []int) {
	random := rand.New(rand.NewPCG(seed, 1))
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		if i%5 == 0 {
			y[i] = 1
		}
		x.SetRow(i, []float64{random.NormFloat64() + 1.5*float64(y[i]), random.NormFloat64()})
	}
	return x, y
}

// On unseen rows the recall is near MinRecall, with closed-form leave-one-out probabilities and with folds.
func TestRecallOnNewRows(t *testing.T) {
	x, y := blobs(1500, 1)
	other, labels := blobs(4000, 2)
	for _, c := range []*threshold.Classifier{
		{MinRecall: .9, Estimator: &lssvm.Classifier{}},
		{MinRecall: .9, Estimator: &lssvm.Classifier{}, Splitter: validation.StratifiedKFold{Folds: 3}},
	} {
		require.NoError(t, c.Fit(ctx, x, y))
		assert.InDelta(t, 0.9, c.Choice().Recall, 0.01)
		got, err := c.Predict(other)
		require.NoError(t, err)
		found, all := 0.0, 0.0
		for i, v := range labels {
			if v == 1 {
				all++
				if got[i] == 1 {
					found++
				}
			}
		}
		assert.InDelta(t, 0.9, found/all, 0.05)
		plain, err := c.Chosen().Predict(other)
		require.NoError(t, err)
		assert.NotEqual(t, plain, got)
	}
}

// With three classes, a row above the threshold is predicted as class 2, and any other row as the more probable of the other
// classes.
func TestThreeClasses(t *testing.T) {
	x := mat.NewDense(6, 2, []float64{.3, .1, .5, .2, .1, .4, .2, .3, .6, .3, .1, .1})
	y := []int{4, 7, 9, 9, 7, 4}
	c := &threshold.Classifier{Estimator: &given{}, MinRecall: 1, Splitter: alternate{}}
	require.NoError(t, c.Fit(ctx, x, y))
	assert.InDelta(t, 0.25, c.Choice().Threshold, 1e-15)
	got, err := c.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, []int{4, 7, 9, 9, 9, 4}, got)
	assert.Equal(t, []int{4, 7, 9}, c.Classes())
}

// alternate is a splitter with two folds: the first tests the even rows, and the second the odd rows.
type alternate struct{}

func (alternate) Split(n int, _ []int) ([]validation.Fold, error) {
	var even, odd []int
	for i := range n {
		if i%2 == 0 {
			even = append(even, i)
		} else {
			odd = append(odd, i)
		}
	}
	return []validation.Fold{{Train: odd, Test: even}, {Train: even, Test: odd}}, nil
}

// The threshold is also right if no row is above it, or if every row is.
func TestAllOrNone(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{.9, .8, .7, .3, .2, 0})
	c := &threshold.Classifier{Estimator: &given{}, FalsePositiveCost: 100, FalseNegativeCost: 1}
	require.NoError(t, c.Fit(ctx, x, []int{0, 0, 0, 1, 1, 1}))
	none, err := c.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, make([]int, 6), none)
	assert.True(t, math.IsNaN(c.Choice().Precision))
	c = &threshold.Classifier{Estimator: &given{}, MinRecall: 1}
	require.NoError(t, c.Fit(ctx, x, []int{0, 0, 0, 1, 1, 1}))
	all, err := c.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, []int{1, 1, 1, 1, 1, 1}, all)
}

func TestErrors(t *testing.T) {
	x, y := ten()
	for text, c := range map[string]*threshold.Classifier{
		"threshold: Classifier: MinRecall = 1.5, want in (0, 1]":             {MinRecall: 1.5},
		"threshold: Classifier: Beta = NaN":                                  {Beta: math.NaN()},
		"MinPrecision and MinRecall = set, want one of":                      {MinRecall: .5, MinPrecision: .5},
		"FalsePositiveCost = set, want one of":                               {FalsePositiveCost: 1},
		"Positive = 7, want one of the labels [0 1]":                         {Positive: pointer(7)},
		"MinPrecision = 0.9, want at most 0.5, the highest precision of any": {MinPrecision: .9},
	} {
		c.Estimator = &given{}
		rows, labels := x, y
		if c.MinPrecision == .9 {
			rows, labels = mat.NewDense(4, 1, []float64{.5, .6, .55, .7}), []int{1, 1, 0, 0}
			c.Splitter = alternate{}
		}
		err := c.Fit(ctx, rows, labels)
		assert.ErrorContains(t, err, text)
		assert.ErrorIs(t, err, estimators.ErrParam)
		assert.Nil(t, c.Classes())
	}
	c := &threshold.Classifier{Estimator: &given{}, Splitter: overlapping{}}
	assert.ErrorContains(t, c.Fit(ctx, x, y), "test parts have no row in common")
	_, err := c.Predict(x)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
}

type overlapping struct{}

func (overlapping) Split(int, []int) ([]validation.Fold, error) {
	return []validation.Fold{{Train: []int{0, 1, 9}, Test: []int{2, 3, 8}}, {Train: []int{0, 1, 9}, Test: []int{3, 8}}}, nil
}

// Model files of version 1 stay readable, and their predictions agree with those of a fit with the current code.
func TestGoldenFilesStayReadable(t *testing.T) {
	x, y := blobs(40, 1)
	c := &threshold.Classifier{Estimator: &lssvm.Classifier{Kernel: kernels.RBF{Gamma: 1}, Ridge: .1}, MinRecall: .9}
	require.NoError(t, c.Fit(ctx, x, y))
	read := &threshold.Classifier{Estimator: c.Estimator}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Classifier-v1.keln", c.MarshalBinary)))
	want, err := c.Decision(x)
	require.NoError(t, err)
	got, err := read.Decision(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want.RawMatrix().Data, got.RawMatrix().Data, 1e-6)
	assert.InDelta(t, c.Choice().Threshold, read.Choice().Threshold, 1e-6)
}

func pointer(label int) *int { return &label }
