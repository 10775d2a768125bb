package selection

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// ofAllWays returns the results of all models as text, without times.
func ofAllWays(t *testing.T, r *search.Result) string {
	c := r.Clone()
	c.Others = nil
	out := withoutSeconds(t, c)
	for _, o := range r.Others {
		out += ofAllWays(t, o)
	}
	return out
}

// allRows returns the trace rows of all models.
func allRows(r *search.Result) []search.TraceRow {
	rows := slices.Clone(r.Trace)
	for _, o := range r.Others {
		rows = append(rows, o.Trace...)
	}
	return rows
}

// holed returns x with gaps in some cells.
func holed(x *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(x)
	n, d := x.Dims()
	for i := range n {
		if i%5 == 0 {
			out.Set(i, i%d, math.NaN())
		}
	}
	return out
}

// With default settings, a prediction is the mean of the models' predictions, weighted by their shares, and the variance is that of
// the mixture.
func TestZeroValueIsAMean(t *testing.T) {
	x, y := problemOf(60, 3, .2, 4)
	r := &Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	require.Greater(t, len(r.f.parts), 1)
	got, variances, err := r.PredictVariance(x)
	require.NoError(t, err)
	first, second := make([]float64, 60), make([]float64, 60)
	total := 0.0
	for _, p := range r.f.parts {
		total += p.result.Share
		z, err := p.chain.Transform(mustTransform(t, r.f, x))
		require.NoError(t, err)
		mean, v, err := p.inner.(estimators.VariancePredictor).PredictVariance(z)
		require.NoError(t, err)
		for i := range mean {
			first[i] += p.result.Share * mean[i]
			second[i] += p.result.Share * (v[i] + mean[i]*mean[i])
		}
	}
	assert.InDelta(t, 1, total, 1e-12)
	assert.InDeltaSlice(t, first, got, 1e-9)
	for i, v := range variances {
		assert.InDelta(t, r.Result().VarianceFactor*(second[i]-first[i]*first[i]), v, 1e-9)
	}
	p, err := r.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, got, p)
}

func mustTransform(t *testing.T, f *fitted[estimators.Regressor], x mat.Matrix) *mat.Dense {
	t.Helper()
	z, err := f.transform(regressorType, x)
	require.NoError(t, err)
	return z
}

// Fit and Predict fill gaps with medians and mark them. The result equals that of rows that were filled by hand. An infinity is not
// a gap.
func TestZeroValueFillsGaps(t *testing.T) {
	x, y := problemOf(60, 3, .1, 4)
	x2, y2 := problemOf(300, 3, .1, 5)
	fill := &columnwise.Imputer{Statistic: columnwise.Median, Indicators: true}
	require.NoError(t, fill.Fit(ctx, holed(x)))
	filled, err := fill.Transform(holed(x))
	require.NoError(t, err)
	filled2, err := fill.Transform(holed(x2))
	require.NoError(t, err)

	r, without := &Regressor{}, &Regressor{}
	require.NoError(t, r.Fit(ctx, holed(x), y))
	require.NoError(t, without.Fit(ctx, filled, y))
	got, err := r.Predict(holed(x2))
	require.NoError(t, err)
	want, err := without.Predict(filled2)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-6)
	assert.Less(t, nmseOf(t, r, holed(x2), y2), .4)

	// A model that was fitted to complete rows predicts rows with gaps.
	require.NoError(t, r.Fit(ctx, x, y))
	p, err := r.Predict(mat.NewDense(1, 3, []float64{math.NaN(), math.NaN(), math.NaN()}))
	require.NoError(t, err)
	medians := &columnwise.Imputer{Statistic: columnwise.Median}
	require.NoError(t, medians.Fit(ctx, x))
	want, err = r.Predict(mat.NewDense(1, 3, medians.Values()))
	require.NoError(t, err)
	assert.InDelta(t, want[0], p[0], 1e-9)

	_, err = r.Predict(mat.NewDense(1, 3, []float64{0, math.Inf(1), 0}))
	require.ErrorIs(t, err, estimators.ErrNotFinite)
	labels := make([]int, 60)
	for i := range labels {
		labels[i] = i % 2
	}
	c := &Classifier{}
	require.NoError(t, c.Fit(ctx, holed(x), labels))
	proba, err := c.PredictProba(holed(x2))
	require.NoError(t, err)
	for i := range 300 {
		assert.InDelta(t, 1, mat.Sum(proba.RowView(i)), 1e-9)
	}
}

// With a Space or a Search, gaps are left to the steps of Preprocess. A step can fill them, within each fold as well, or reject them.
func TestGapsAreForThePreprocessing(t *testing.T) {
	x, y := problemOf(60, 3, .1, 4)
	fill := &columnwise.Imputer{}
	for _, strategy := range []search.Strategy{&shape.Search{}, &entropy.Search{}, &grid.Search{Points: 5}} {
		r := &Regressor{Preprocess: []transformers.Transformer{fill, &scalers.StandardScaler{}}, Search: strategy}
		require.NoError(t, r.Fit(ctx, holed(x), y), strategy.Name())
		assert.Less(t, nmseOf(t, r, holed(x), y), .5, strategy.Name())
		err := (&Regressor{Search: strategy}).Fit(ctx, holed(x), y)
		require.ErrorIs(t, err, estimators.ErrNotFinite)
		err = (&Regressor{Preprocess: []transformers.Transformer{&scalers.StandardScaler{}}, Search: strategy}).Fit(ctx, holed(x), y)
		require.ErrorIs(t, err, estimators.ErrNotFinite)
		assert.ErrorContains(t, err, "StandardScaler")
	}
}

// Multiplying a column by 1e6 or by 1e-6 hardly changes the predictions.
func TestZeroValueOfUnscaledColumns(t *testing.T) {
	x, y := problemOf(80, 3, .1, 4)
	x2, y2 := problemOf(400, 3, .1, 5)
	by := []float64{1e6, 1e-6, 1}
	r, plain := &Regressor{}, &Regressor{}
	require.NoError(t, r.Fit(ctx, scaled(x, by...), y))
	require.NoError(t, plain.Fit(ctx, x, y))
	assert.InEpsilon(t, nmseOf(t, plain, x2, y2), nmseOf(t, r, scaled(x2, by...), y2), .2)
	lengths := map[string][]float64{}
	for _, p := range append([]*search.Result{plain.Result()}, plain.Result().Others...) {
		lengths[p.Columns+p.Family] = p.Lengths
	}
	for _, p := range append([]*search.Result{r.Result()}, r.Result().Others...) {
		if p.Columns == "standardised" {
			assert.InEpsilonSlice(t, lengths[p.Columns+p.Family], p.Lengths, 1e-3)
		}
	}
}

// If nothing can be learnt from the rows, Fit returns a model if possible, and otherwise an error.
func TestZeroValueOfDegenerateRows(t *testing.T) {
	x, y := problemOf(30, 2, .1, 4)
	same := mat.NewDense(30, 2, slices.Repeat([]float64{1, 2}, 30))
	for name, c := range map[string]struct {
		x *mat.Dense
		y []float64
	}{
		"one row":          {mat.DenseCopyOf(x.Slice(0, 1, 0, 2)), y[:1]},
		"two rows":         {mat.DenseCopyOf(x.Slice(0, 2, 0, 2)), y[:2]},
		"one column":       {mat.DenseCopyOf(x.Slice(0, 30, 0, 1)), y},
		"equal rows":       {same, y},
		"equal targets":    {x, slices.Repeat([]float64{7}, 30)},
		"columns of zeros": {mat.NewDense(30, 2, nil), y},
	} {
		r := &Regressor{}
		require.NoError(t, r.Fit(ctx, c.x, c.y), name)
		p, v, err := r.PredictVariance(c.x)
		require.NoError(t, err, name)
		for i := range p {
			assert.True(t, p[i] >= slices.Min(c.y)-.5 && p[i] <= slices.Max(c.y)+.5, "%s: %v", name, p[i])
			assert.True(t, v[i] >= 0 && !math.IsInf(v[i], 1), "%s: %v", name, v[i])
		}
		if name == "equal targets" {
			assert.InDelta(t, 7, p[0], 1e-9)
		}
		data, err := r.MarshalBinary()
		require.NoError(t, err, name)
		again := &Regressor{}
		require.NoError(t, again.UnmarshalBinary(data), name)
		got, _, err := again.PredictVariance(c.x)
		require.NoError(t, err, name)
		assert.Equal(t, p, got, name)
	}
	labels := make([]int, 30)
	for i := range labels {
		labels[i] = i % 3
	}
	c := &Classifier{}
	require.NoError(t, c.Fit(ctx, same, labels))
	proba, err := c.PredictProba(same)
	require.NoError(t, err)
	for k := range 3 {
		assert.InDelta(t, 1./3, proba.At(0, k), .02)
	}
	require.ErrorIs(t, (&Classifier{}).Fit(ctx, x, make([]int, 30)), estimators.ErrShape)
}

// Every model uses the weights: weights of 1 change nothing, and other weights change the result.
func TestZeroValueWeights(t *testing.T) {
	x, y := problemOf(60, 2, .5, 4)
	plain, ones, others := &Regressor{}, &Regressor{}, &Regressor{}
	require.NoError(t, plain.Fit(ctx, x, y))
	require.NoError(t, ones.FitWeighted(ctx, x, y, slices.Repeat([]float64{1}, 60)))
	require.NoError(t, others.FitWeighted(ctx, x, y, weightsOf(60)))
	want, err := plain.Predict(x)
	require.NoError(t, err)
	got, err := ones.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-9)
	different, err := others.Predict(x)
	require.NoError(t, err)
	assert.NotEqual(t, want, different)
	assert.NotEqual(t, plain.Result().LeaveOneOut, others.Result().LeaveOneOut)
	assert.NotEqual(t, plain.Result().Others[0].Score, others.Result().Others[0].Score)
}

// A search that is cancelled at any stage keeps the earlier model. After it is resumed from its rows, read from JSON, the result is
// the same, with any number of workers.
func TestZeroValueResumes(t *testing.T) {
	x, y := problemOf(60, 3, .2, 4)
	rows, labels := classesOf(60, 1)
	for name, fit := range map[string]func(ctx context.Context, workers int, observe func(search.TraceRow), resume []search.TraceRow) (*search.Result, error){
		"Regressor": func(ctx context.Context, workers int, observe func(search.TraceRow), resume []search.TraceRow) (*search.Result, error) {
			r := &Regressor{Workers: workers, Observe: observe, Resume: resume}
			err := r.Fit(ctx, x, y)
			return r.Result(), err
		},
		"Classifier": func(ctx context.Context, workers int, observe func(search.TraceRow), resume []search.TraceRow) (*search.Result, error) {
			c := &Classifier{Workers: workers, Observe: observe, Resume: resume}
			err := c.Fit(ctx, rows, labels)
			return c.Result(), err
		},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []search.TraceRow // without progress reports, whose number may differ by one
			whole, err := fit(ctx, 1, func(row search.TraceRow) {
				if row.Step == nil {
					seen = append(seen, row)
				}
			}, nil)
			require.NoError(t, err)
			want := ofAllWays(t, whole)
			data, err := json.Marshal(allRows(whole))
			require.NoError(t, err)
			var all []search.TraceRow
			require.NoError(t, json.Unmarshal(data, &all))
			again, err := fit(ctx, 1, nil, all)
			require.NoError(t, err)
			assert.Equal(t, want, ofAllWays(t, again), "from all rows")
			four, err := fit(ctx, 4, nil, nil)
			require.NoError(t, err)
			assert.Equal(t, want, ofAllWays(t, four), "on four workers")

			for _, at := range []int{3, len(seen) / 2, len(seen) - 2} {
				inside, cancel := context.WithCancel(ctx)
				var some []search.TraceRow
				none, err := fit(inside, 1, func(row search.TraceRow) {
					if row.Step != nil {
						return
					}
					if some = append(some, row); len(some) == at {
						cancel()
					}
				}, nil)
				require.ErrorIs(t, err, context.Canceled)
				assert.Nil(t, none)
				data, err := json.Marshal(some)
				require.NoError(t, err)
				var read []search.TraceRow
				require.NoError(t, json.Unmarshal(data, &read))
				resumed, err := fit(ctx, 1, nil, read)
				require.NoError(t, err)
				assert.Equal(t, want, ofAllWays(t, resumed), "from %d rows", at)
			}
		})
	}
}

// Every model receives its part of a budget, and its search evaluates at least one point.
func TestZeroValueBudget(t *testing.T) {
	x, y := problemOf(60, 3, .2, 4)
	for _, seconds := range []int{1, 8, 40} {
		clock := &ticker{}
		r := &Regressor{Budget: time.Duration(seconds) * time.Second, Observe: clock.tick, now: clock.now}
		require.NoError(t, r.Fit(ctx, x, y))
		for _, p := range append([]*search.Result{r.Result()}, r.Result().Others...) {
			assert.Equal(t, search.StatusBudget, p.Status)
			assert.Len(t, p.Trace, max(1, (seconds+4)/5), "%s, %d seconds", p.Columns, seconds)
			assert.Len(t, p.Lengths, 3)
		}
		_, err := r.Predict(x)
		require.NoError(t, err)
	}
	x, labels := classesOf(60, 1)
	clock := &ticker{}
	c := &Classifier{Budget: time.Second, Observe: clock.tick, now: clock.now}
	require.NoError(t, c.Fit(ctx, x, labels))
	assert.Equal(t, search.StatusBudget, c.Result().Status)
}

// A loaded model predicts and reports the same as the saved model. A file that is rejected leaves a model unchanged.
func TestZeroValueSavedAndLoaded(t *testing.T) {
	x, y := problemOf(60, 3, .2, 4)
	r := &Regressor{}
	require.NoError(t, r.Fit(ctx, holed(x), y))
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	again := &Regressor{}
	require.NoError(t, again.UnmarshalBinary(data))
	want, variances, err := r.PredictVariance(holed(x))
	require.NoError(t, err)
	got, v, err := again.PredictVariance(holed(x))
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, variances, v)
	assert.Equal(t, ofAllWays(t, r.Result()), ofAllWays(t, again.Result()))
	err = (&Regressor{Search: &shape.Search{}}).UnmarshalBinary(data)
	require.ErrorIs(t, err, estimators.ErrBadModel)
	data[len(data)/2] ^= 1
	require.ErrorIs(t, again.UnmarshalBinary(data), estimators.ErrBadModel)
	got, err = again.Predict(holed(x))
	require.NoError(t, err)
	assert.Equal(t, want, got)

	rows, labels := classesOf(60, 1)
	c := &Classifier{}
	require.NoError(t, c.Fit(ctx, rows, labels))
	data, err = c.MarshalBinary()
	require.NoError(t, err)
	other := &Classifier{}
	require.NoError(t, other.UnmarshalBinary(data))
	require.ErrorIs(t, c.DecisionTo(nil, rows), estimators.ErrShape)
	a, err := c.PredictProba(rows)
	require.NoError(t, err)
	b, err := other.PredictProba(rows)
	require.NoError(t, err)
	assert.True(t, mat.Equal(a, b))
}

// An error about columns does not name steps that the caller did not set.
func TestZeroValueColumns(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 4)
	r := &Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	_, err := r.Predict(mat.NewDense(1, 3, nil))
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.EqualError(t, err, "selection: Regressor: x has 3 columns, fitted on 2")
	assert.EqualError(t, r.PredictTo(make([]float64, 1), mat.NewDense(1, 3, nil)), "selection: Regressor: x has 3 columns, fitted on 2")
	own := &Regressor{Preprocess: []transformers.Transformer{&scalers.StandardScaler{}}}
	require.NoError(t, own.Fit(ctx, x, y))
	_, err = own.Predict(mat.NewDense(1, 3, nil))
	assert.ErrorContains(t, err, "Preprocess: step 0 (StandardScaler): x has 3 columns, fitted on 2", "which the caller has set")
}
