package inspection

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

func noisy(n int) (*mat.Dense, []float64) {
	x := uniform(n, 2, -1, 1, 7)
	e := uniform(n, 1, -1, 1, 8)
	y := make([]float64, n)
	for i := range y {
		y[i] = x.At(i, 0) - x.At(i, 1) + 0.3*e.At(i, 0)
	}
	return x, y
}

// withoutTimes returns a copy of a curve in which all times are 0, for comparisons.
func withoutTimes(c Curve) Curve {
	for i := range c.Points {
		for f := range c.Points[i].FitSeconds {
			c.Points[i].FitSeconds[f] = 0
		}
	}
	return c
}

// With all rows, a learning curve agrees with a cross-validation. With fewer rows, the fits are less accurate.
func TestLearningCurve(t *testing.T) {
	x, y := noisy(120)
	build := func() estimators.Regressor { return &ridge.Regressor{} }
	splitter := validation.KFold{Folds: 4, Seed: 2}
	var curves []Curve
	for _, workers := range []int{1, 3} {
		var steps []estimators.Step
		c, err := RegressorLearningCurve(ctx, build(), x, y, nil, &CurveOptions{
			Splitter: splitter, Workers: workers, Seed: 5, Observe: func(s estimators.Step) {
				if !s.Between {
					steps = append(steps, s)
				}
			},
		})
		require.NoError(t, err)
		curves = append(curves, withoutTimes(c))
		require.Len(t, steps, 20)
		for i, s := range steps {
			assert.Equal(t, i+1, s.Iteration)
			assert.Equal(t, 20, s.Total)
		}
		if workers == 1 {
			assert.Equal(t, "rows 5, fold 0", steps[0].Message)
		}
	}
	assert.Equal(t, curves[0], curves[1], "on any number of workers")
	c := curves[0]
	require.Len(t, c.Points, 5)
	for i, size := range []float64{5, 11, 22, 45, 90} {
		assert.Equal(t, size, c.Points[i].At)
	}
	want, err := validation.CrossValidateRegressor(ctx, build(), x, y, &validation.Options{Splitter: splitter})
	require.NoError(t, err)
	assert.Equal(t, want.Values[0], c.Points[4].HeldOut)
	few, _ := c.Points[0].HeldOutMean()
	all, _ := c.Points[4].HeldOutMean()
	assert.Less(t, all, few)
	for _, p := range c.Points {
		train, _ := p.TrainMean()
		held, _ := p.HeldOutMean()
		assert.Less(t, train, held, "%v rows", p.At)
	}
	assert.Equal(t, 4, c.Best())
	assert.Contains(t, c.String(), "NMSE, rows of the fit")
	assert.Equal(t, "rows", c.Setting)
	mean, sd := c.Points[4].HeldOutMean()
	assert.InDelta(t, want.Mean("NMSE"), mean, 1e-15)
	assert.InDelta(t, want.SD("NMSE"), sd, 1e-15)

	other, err := RegressorLearningCurve(ctx, build(), x, y, []int{10, 90}, &CurveOptions{Splitter: splitter, Seed: 6})
	require.NoError(t, err)
	assert.NotEqual(t, c.Points[0].HeldOut, other.Points[0].HeldOut)
	assert.Equal(t, c.Points[4].HeldOut, other.Points[1].HeldOut, "all rows are all rows")
}

// recorder is a regressor that records its training rows.
type recorder struct {
	known
	seen *[][]float64
}

func (r recorder) Fit(_ context.Context, x mat.Matrix, _ []float64) error {
	*r.seen = append(*r.seen, mat.Col(nil, 0, x))
	return nil
}

// Within a fold, the rows of smaller sizes are subsets of those of larger ones, and contain no held-out row.
func TestLearningCurveIsNested(t *testing.T) {
	x, y := mat.NewDense(30, 1, nil), make([]float64, 30)
	for i := range y {
		x.Set(i, 0, float64(i))
		y[i] = float64(i)
	}
	var seen [][]float64
	build := func() estimators.Regressor {
		return recorder{known(func(v []float64) float64 { return v[0] }), &seen}
	}
	splitter := validation.KFold{Folds: 3}
	_, err := RegressorLearningCurve(ctx, build(), x, y, []int{4, 9, 20}, &CurveOptions{Splitter: splitter, Workers: 1})
	require.NoError(t, err)
	require.Len(t, seen, 9)
	folds, err := splitter.Split(30, nil)
	require.NoError(t, err)
	for f := range 3 {
		assert.Len(t, seen[f], 4)
		assert.Len(t, seen[3+f], 9)
		assert.Subset(t, seen[3+f], seen[f])
		assert.Subset(t, seen[6+f], seen[3+f])
		assert.IsIncreasing(t, seen[f])
		for _, held := range folds[f].Test {
			assert.NotContains(t, seen[6+f], float64(held))
		}
	}
}

// labelled is a classifier that records the number of training rows of each class.
type labelled struct{ counts *[]map[int]int }

func (l labelled) Fit(_ context.Context, _ mat.Matrix, y []int) error {
	count := map[int]int{}
	for _, v := range y {
		count[v]++
	}
	*l.counts = append(*l.counts, count)
	return nil
}
func (labelled) Predict(x mat.Matrix) ([]int, error) { n, _ := x.Dims(); return make([]int, n), nil }
func (labelled) Classes() []int                      { return []int{0, 1, 2} }

func TestLearningCurveHasAllClasses(t *testing.T) {
	x, y := mat.NewDense(120, 1, nil), make([]int, 120)
	for i := range y { // 60, 40 and 20 rows of a class, in blocks
		switch {
		case i >= 100:
			y[i] = 2
		case i >= 60:
			y[i] = 1
		}
	}
	var counts []map[int]int
	c, err := ClassifierLearningCurve(ctx, labelled{&counts}, x, y, []int{6, 12, 40}, &CurveOptions{Splitter: validation.StratifiedKFold{Folds: 2}, Workers: 1})
	require.NoError(t, err)
	for i, want := range []map[int]int{{0: 3, 1: 2, 2: 1}, {0: 3, 1: 2, 2: 1}, {0: 6, 1: 4, 2: 2}, {0: 6, 1: 4, 2: 2}, {0: 20, 1: 13, 2: 7}, {0: 20, 1: 13, 2: 7}} {
		for class := range 3 {
			assert.InDelta(t, want[class], counts[i][class], 1, "as nearly as integer numbers of rows allow")
			assert.Positive(t, counts[i][class])
		}
	}
	assert.Equal(t, "Accuracy", c.Metric)
	assert.True(t, c.LargerIsBetter)
	mean, _ := c.Points[2].HeldOutMean()
	assert.InDelta(t, .5, mean, 1e-12)
}

func TestValidationCurve(t *testing.T) {
	x, y := noisy(90)
	build := func(v float64) estimators.Regressor {
		return &lssvm.Regressor{Kernel: kernels.RBF{Gamma: v}, Ridge: 1e-2}
	}
	s := Setting{Name: "gamma", Values: []float64{1e-3, 0.1, 100}}
	c, err := RegressorValidationCurve(ctx, s, build, x, y, nil)
	require.NoError(t, err)
	assert.Equal(t, "gamma", c.Setting)
	assert.Equal(t, 1, c.Best(), "between too smooth and too winding")
	for i, v := range s.Values {
		want, err := validation.CrossValidateRegressor(ctx, build(v), x, y, nil)
		require.NoError(t, err)
		assert.InDeltaSlice(t, want.Values[0], c.Points[i].HeldOut, 1e-9)
	}
	winding, _ := c.Points[2].TrainMean()
	held, _ := c.Points[2].HeldOutMean()
	assert.Less(t, winding, 0.1*held, "memorised")

	labels := make([]int, 90)
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	choices := []kernels.Kernel{kernels.RBF{Gamma: 1}, kernels.RBF{Gamma: 1e4}}
	d, err := ClassifierValidationCurve(ctx, Setting{Name: "kernel", Values: []float64{0, 1}, Labels: []string{"wide", "narrow"}}, func(v float64) estimators.Classifier {
		return &lssvm.Classifier{Kernel: choices[int(v)]}
	}, x, labels, &CurveOptions{Metric: metrics.Metric{Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores}, Weights: ones(90, 2)})
	require.NoError(t, err)
	assert.Equal(t, 0, d.Best())
	assert.Equal(t, "wide", d.Points[0].Label)
	assert.Contains(t, d.String(), "narrow")
	assert.Equal(t, -1, Curve{}.Best())
}

// failing is a regressor whose Fit returns an error if there are few rows.
type failing struct{ known }

var errFew = errors.New("too few rows")

func (failing) Fit(_ context.Context, x mat.Matrix, _ []float64) error {
	if n, _ := x.Dims(); n < 10 {
		return errFew
	}
	return nil
}

// If a fit fails, the results so far are returned with the error.
func TestCurveKeepsWhatWasFound(t *testing.T) {
	x, y := noisy(30)
	build := func() estimators.Regressor {
		return failing{known(func(v []float64) float64 { return v[0] })}
	}
	for _, workers := range []int{1, 2} {
		c, err := RegressorLearningCurve(ctx, build(), x, y, []int{5, 20}, &CurveOptions{Workers: workers})
		require.ErrorIs(t, err, errFew)
		assert.ErrorContains(t, err, "rows 5, fold 0: ")
		require.Len(t, c.Points, 2)
		mean, _ := c.Points[0].HeldOutMean()
		assert.True(t, math.IsNaN(mean))
		mean, _ = c.Points[1].HeldOutMean()
		assert.Greater(t, mean, 0.0)
		assert.Equal(t, 1, c.Best())
	}
	cancelled, cancel := context.WithCancel(ctx)
	c, err := RegressorLearningCurve(cancelled, build(), x, y, []int{10, 20}, &CurveOptions{Workers: 1, Observe: func(s estimators.Step) {
		if s.Between {
			return
		}
		if s.Iteration == 3 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	mean, _ := c.Points[0].HeldOutMean()
	assert.False(t, math.IsNaN(mean), "three folds were done")
	mean, _ = c.Points[1].HeldOutMean()
	assert.True(t, math.IsNaN(mean))
}

type badSplitter struct{}

func (badSplitter) Split(int, []int) ([]validation.Fold, error) {
	return []validation.Fold{{Train: []int{0}, Test: []int{99}}}, nil
}

func TestCurveErrors(t *testing.T) {
	x, y := noisy(12)
	build := func() estimators.Regressor { return &ridge.Regressor{} }
	at := func(float64) estimators.Regressor { return &ridge.Regressor{} }
	for name, c := range map[string]struct {
		sizes []int
		opt   CurveOptions
	}{
		"0 rows": {[]int{0}, CurveOptions{}}, "more than there are": {[]int{9}, CurveOptions{}}, "descending": {[]int{5, 5}, CurveOptions{}},
		"Workers": {nil, CurveOptions{Workers: -1}}, "Weights": {nil, CurveOptions{Weights: ones(12, 0)}}, "Folds": {nil, CurveOptions{Splitter: validation.KFold{Folds: 1}}},
		"Metric": {nil, CurveOptions{Metric: metrics.Metric{Name: "A", Labels: metrics.Accuracy}}},
	} {
		_, err := RegressorLearningCurve(ctx, build(), x, y, c.sizes, &c.opt)
		assert.ErrorIs(t, err, estimators.ErrParam, name)
	}
	_, err := RegressorLearningCurve(ctx, build(), x, y, nil, &CurveOptions{Splitter: badSplitter{}})
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = RegressorLearningCurve(ctx, build(), x, y[:4], nil, nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = RegressorLearningCurve(ctx, nil, x, y, nil, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	for _, s := range []Setting{{}, {Values: []float64{1}, Labels: []string{"a", "b"}}} {
		_, err = RegressorValidationCurve(ctx, s, at, x, y, nil)
		assert.ErrorIs(t, err, estimators.ErrParam)
	}
	_, err = RegressorValidationCurve(ctx, Setting{Values: []float64{math.NaN()}}, at, x, y, nil)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	_, err = RegressorValidationCurve(ctx, Setting{Values: []float64{1}}, nil, x, y, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = RegressorLearningCurve(ctx, known(func(_ []float64) float64 { return 0 }), x, y, nil, &CurveOptions{Weights: ones(12, 1)})
	assert.ErrorIs(t, err, errors.ErrUnsupported)
	_, err = RegressorLearningCurve(ctx, known(func(_ []float64) float64 { panic("no prediction") }), x, y, nil, nil)
	var p *estimators.PanicError
	assert.ErrorAs(t, err, &p)
}
