package inspection

import (
	"context"
	"errors"
	"math"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var mse = metrics.Metric{Name: "MSE", Values: func(y, p, _ []float64) (float64, error) {
	sum := 0.0
	for i := range y {
		sum += (y[i] - p[i]) * (y[i] - p[i]) / float64(len(y))
	}
	return sum, nil
}}

// For a known linear function Σ b x, the mean squared error with a permuted column is 2 b² var(x) on average over all permutations.
// The variance has the denominator n-1.
func TestImportanceOfALinearFunction(t *testing.T) {
	x := uniform(400, 3, -1, 1, 1)
	b := []float64{3, 1, 0}
	f := known(func(v []float64) float64 { return b[0]*v[0] + b[1]*v[1] })
	y := predict(t, f, x)
	r, err := RegressorImportances(ctx, f, x, y, &ImportanceOptions{Metric: mse, Repeats: 200, Names: []string{"a", "b", "c"}})
	require.NoError(t, err)
	assert.Equal(t, "MSE", r.Metric)
	assert.Zero(t, r.Score)
	require.Len(t, r.Columns, 3)
	for i, c := range r.Columns {
		assert.Equal(t, []int{i}, c.Columns)
		require.Len(t, c.Losses, 200)
		mean, variance := 0.0, 0.0
		for k := range 400 {
			mean += x.At(k, i) / 400
		}
		for k := range 400 {
			variance += (x.At(k, i) - mean) * (x.At(k, i) - mean) / 400
		}
		want := 2 * b[i] * b[i] * variance
		assert.InDelta(t, want, c.Mean, 4*c.SE+1e-12, "within its error")
		_, sd := meanAndSD(c.Losses)
		assert.InDelta(t, sd/math.Sqrt(200), c.SE, 1e-15)
		assert.Less(t, c.SE, 0.01*want+1e-12, "which is small")
	}
	assert.Contains(t, r.String(), "loss of MSE")
}

// A loss is positive whether larger or smaller values of the metric are better. The default metric is NMSE.
func TestImportanceIsALoss(t *testing.T) {
	x := uniform(100, 2, -1, 1, 2)
	f := known(func(v []float64) float64 { return v[0] })
	y := predict(t, f, x)
	less, err := RegressorImportances(ctx, f, x, y, nil)
	require.NoError(t, err)
	assert.Equal(t, "NMSE", less.Metric)
	more, err := RegressorImportances(ctx, f, x, y, &ImportanceOptions{Metric: metrics.Metric{Name: "R2", LargerIsBetter: true, Values: metrics.R2}})
	require.NoError(t, err)
	assert.Greater(t, less.Columns[0].Mean, 1.5)
	assert.InDelta(t, less.Columns[0].Mean, more.Columns[0].Mean, 1e-12, "R2 is 1 - NMSE")
	assert.Zero(t, more.Columns[1].Mean)
	assert.Equal(t, 1.0, more.Score)
	one, err := RegressorImportances(ctx, f, x, y, &ImportanceOptions{Repeats: 1})
	require.NoError(t, err)
	assert.True(t, math.IsNaN(one.Columns[0].SE))
	assert.NotContains(t, one.String(), "NaN")
	assert.Equal(t, less.Columns[0].Losses[:1], one.Columns[0].Losses, "the first of ten")
	weighted, err := RegressorImportances(ctx, f, x, y, &ImportanceOptions{Weights: ones(100, 3)})
	require.NoError(t, err)
	assert.InDelta(t, less.Columns[0].Mean, weighted.Columns[0].Mean, 1e-12)
}

func ones(n int, v float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = v
	}
	return out
}

// Copies of a column, and the levels of a category, are permuted together, so a copy does not hide the importance of a column.
func TestImportanceOfColumnsThatGoTogether(t *testing.T) {
	base := uniform(200, 1, -1, 1, 3)
	x := mat.NewDense(200, 4, nil)
	for i := range 200 {
		v := base.At(i, 0)
		row := []float64{v, 5 - 100*v, 0, 0}
		row[2+i%2] = 1
		x.SetRow(i, row)
	}
	f := known(func(v []float64) float64 {
		if v[2]+v[3] != 1 || math.Abs(v[1]-(5-100*v[0])) > 1e-9 {
			return math.NaN() // no original row has these values
		}
		return v[0] + v[2]
	})
	y := predict(t, f, x)
	r, err := RegressorImportances(ctx, f, x, y, &ImportanceOptions{Names: []string{"m", "cm", "sex=f", "sex=m"}})
	require.NoError(t, err)
	require.Len(t, r.Columns, 2)
	names := map[string][]int{}
	for _, c := range r.Columns {
		names[c.Name] = c.Columns
		assert.Greater(t, c.Mean, 0.1)
	}
	assert.Equal(t, map[string][]int{"m, cm": {0, 1}, "sex": {2, 3}}, names)
}

// The names describe the columns before all steps of a pipeline, and gaps are permuted like values. The result does not depend on
// the number of workers.
func TestImportanceThroughAPipeline(t *testing.T) {
	x := uniform(150, 3, 0, 1, 4)
	y := make([]int, 150)
	for i := range y {
		if x.At(i, 1) > .5 {
			y[i] = 1
		}
		if i%10 == 0 {
			x.Set(i, 2, math.NaN())
		}
	}
	c := &pipeline.Classifier{Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}}, Final: &lssvm.Classifier{}}
	require.NoError(t, c.Fit(ctx, x.Slice(0, 100, 0, 3), y[:100]))
	var results []Importances
	for _, workers := range []int{1, 4} {
		var steps atomic.Int64
		r, err := ClassifierImportances(ctx, c, x.Slice(100, 150, 0, 3), y[100:], &ImportanceOptions{
			Names: []string{"a", "b", "c"}, Workers: workers, Repeats: 5, Seed: 9,
			Observe: func(s estimators.Step) {
				if s.Between {
					return
				}
				assert.Equal(t, int(steps.Add(1)), s.Iteration)
				assert.Equal(t, 16, s.Total)
			},
		})
		require.NoError(t, err)
		assert.EqualValues(t, 16, steps.Load())
		results = append(results, r)
	}
	assert.Equal(t, results[0], results[1])
	assert.Equal(t, "Accuracy", results[0].Metric)
	assert.Equal(t, "b", results[0].Columns[0].Name)
	assert.Greater(t, results[0].Columns[0].Mean, .2)
	assert.Less(t, math.Abs(results[0].Columns[1].Mean), .15)
	other, err := ClassifierImportances(ctx, c, x, y, &ImportanceOptions{Metric: metrics.Metric{Name: "LogLoss", Proba: metrics.LogLoss}})
	require.NoError(t, err)
	assert.Greater(t, other.Columns[0].Mean, .2)
}

func TestImportanceErrors(t *testing.T) {
	x := uniform(20, 2, 0, 1, 1)
	y := make([]float64, 20)
	f := known(func(v []float64) float64 { return v[0] })
	for name, o := range map[string]ImportanceOptions{
		"Repeats": {Repeats: -1}, "Workers": {Workers: -1}, "Names": {Names: []string{"one"}}, "Metric": {Metric: metrics.Metric{Name: "A", Labels: metrics.Accuracy}},
		"weights": {Weights: ones(20, -1)}, "many": {Repeats: 1 << 30},
	} {
		_, err := RegressorImportances(ctx, f, x, y, &o)
		assert.ErrorIs(t, err, estimators.ErrParam, name)
	}
	_, err := RegressorImportances(ctx, f, x, y[:3], nil)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = RegressorImportances(ctx, f, x, []float64{math.NaN()}, nil)
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	_, err = RegressorImportances(ctx, nil, x, y, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	_, err = RegressorImportances(ctx, &lssvm.Regressor{}, x, y, nil)
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	ended, cancel := context.WithCancel(ctx)
	cancel()
	_, err = RegressorImportances(ended, f, x, y, nil)
	assert.ErrorIs(t, err, context.Canceled)
	calls := 0
	_, err = RegressorImportances(ctx, known(func([]float64) float64 { calls++; panicAt(calls, 50); return 0 }), x, y, &ImportanceOptions{Workers: 1})
	var p *estimators.PanicError
	assert.True(t, errors.As(err, &p))
	assert.ErrorContains(t, err, "column 0")
}

func panicAt(calls, at int) {
	if calls == at {
		panic("no more")
	}
}

// The spread band shows the spread of the rows' predictions, for any estimator. If the prediction depends on the column alone, the
// band has no width.
func TestSpreadBand(t *testing.T) {
	x := uniform(200, 2, 0, 1, 5)
	f := known(func(v []float64) float64 { return v[0] + v[0]*v[1] })
	e, err := RegressorEffect(ctx, f, x, 0, &Options{Spread: true, Level: 0.8, Points: 5})
	require.NoError(t, err)
	assert.Equal(t, SpreadBand, e.Band)
	assert.Equal(t, 0.8, e.Level)
	for g, v := range e.At {
		below, above := 0, 0
		for i := range 200 {
			switch own := v + v*x.At(i, 1); {
			case own < e.Low[g]-1e-15:
				below++
			case own > e.High[g]+1e-15:
				above++
			}
		}
		assert.Equal(t, 20, above)
		assert.Equal(t, 20, below)
	}
	assert.Contains(t, e.String(), "(spread)")
	alone, err := RegressorEffect(ctx, known(func(v []float64) float64 { return v[0] }), x, 0, &Options{Spread: true})
	require.NoError(t, err)
	assert.Equal(t, alone.At, alone.Low)
	assert.Equal(t, alone.Low, alone.High)
	none, err := RegressorEffect(ctx, f, x, 0, &Options{Spread: true, NoBand: true})
	require.NoError(t, err)
	assert.Equal(t, NoBand, none.Band)
	assert.Equal(t, "spread", SpreadBand.String())

	labels := make([]int, 200)
	for i := range labels {
		if x.At(i, 0) > x.At(i, 1) {
			labels[i] = 1
		}
	}
	c := &lssvm.Classifier{}
	require.NoError(t, c.Fit(ctx, x, labels))
	p, err := ClassifierEffect(ctx, c, x, 0, 1, &Options{Spread: true})
	require.NoError(t, err)
	assert.Equal(t, SpreadBand, p.Band)
	plain, err := ClassifierEffect(ctx, c, x, 0, 1, nil)
	require.NoError(t, err)
	for g := range p.At {
		assert.InDelta(t, plain.Mean[g], p.Mean[g], 1e-15)
		assert.True(t, 0 <= p.Low[g] && p.Low[g] <= p.Mean[g] && p.Mean[g] <= p.High[g] && p.High[g] <= 1, "probabilities")
	}
}
