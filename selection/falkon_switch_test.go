package selection

import (
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
)

// manyRegressor returns the zero value fitted to n rows of d columns, with a limit of 200 rows in place of falkonRows.
func manyRegressor(t *testing.T, r *Regressor, n, d int) *Regressor {
	t.Helper()
	x, y := problemOf(n, d, .1, 4)
	e := r.engine()
	assert.Equal(t, falkonRows, e.above)
	e.above = 200
	f, err := e.fit(ctx, x, y, nil, y, nil)
	require.NoError(t, err)
	return &Regressor{f: f}
}

// Above the limit of rows, a machine on landmarks is fitted after each of both scalings. The model file contains these machines.
func TestManyRowsAreHandedOver(t *testing.T) {
	r := manyRegressor(t, &Regressor{}, 400, 2)
	require.NotEmpty(t, r.Models())
	for _, m := range r.Models() {
		machine, ok := m.Estimator.(*falkon.Regressor)
		require.True(t, ok, "%T", m.Estimator)
		assert.Equal(t, 200, machine.Details().Landmarks, "half of the rows, where those are fewer than 2000")
		own := machine.Details().LeaveOneOut / varianceOf(t, 400)
		assert.Equal(t, m.Columns == r.Result().Columns, math.Abs(own-r.Result().LeaveOneOut) < 1e-9)
	}
	assert.Equal(t, 200, r.Result().Landmarks)
	assert.Contains(t, r.Result().String(), "fitted on 200 landmarks")
	xNew, yNew := problemOf(300, 2, .1, 5)
	assert.Less(t, nmseOf(t, r, xNew, yNew), .1)
	_, variance, err := r.PredictVariance(xNew)
	require.NoError(t, err)
	assert.Len(t, variance, 300)

	data, err := r.MarshalBinary()
	require.NoError(t, err)
	again := &Regressor{}
	require.NoError(t, again.UnmarshalBinary(data))
	want, err := r.Predict(xNew)
	require.NoError(t, err)
	got, err := again.Predict(xNew)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.IsType(t, &falkon.Regressor{}, again.Models()[0].Estimator)

	few := &Regressor{}
	x, y := problemOf(60, 2, .1, 4)
	require.NoError(t, few.Fit(ctx, x, y))
	assert.Zero(t, few.Result().Landmarks)
}

func varianceOf(t *testing.T, n int) float64 {
	t.Helper()
	_, y := problemOf(n, 2, .1, 4)
	mean, out := 0.0, 0.0
	for _, v := range y {
		mean += v / float64(n)
	}
	for _, v := range y {
		out += (v - mean) * (v - mean) / float64(n)
	}
	return out
}

// Machines on landmarks are also fitted to classes, and with row weights.
func TestManyRowsOfClassesAreHandedOver(t *testing.T) {
	x, y := problemOf(220, 2, .1, 4)
	labels, weights := make([]int, 220), make([]float64, 220)
	for i, v := range y {
		weights[i] = 1 + float64(i%2)
		if v > 0 {
			labels[i] = 7
		}
	}
	e := (&Classifier{}).engine()
	assert.Equal(t, falkonRows, e.above)
	e.above = 200
	f, err := e.fitWeighted(ctx, x, labels, weights, nil, labels)
	require.NoError(t, err)
	c := &Classifier{f: f}
	for _, m := range c.Models() {
		assert.IsType(t, &falkon.Classifier{}, m.Estimator)
	}
	got, err := c.Predict(x)
	require.NoError(t, err)
	wrong := 0
	for i, l := range got {
		if l != labels[i] {
			wrong++
		}
	}
	assert.Less(t, wrong, 14)
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	again := &Classifier{}
	require.NoError(t, again.UnmarshalBinary(data))
	same, err := again.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, got, same)
}

// With a budget, the number of landmarks doubles as long as time remains.
func TestLandmarksByBudget(t *testing.T) {
	x, y := problemOf(4400, 2, .1, 4)
	for name, c := range map[string]struct {
		budget, each time.Duration // time that passes per call of the clock
		landmarks    []int
	}{
		"spent by the search":     {time.Minute, 61 * time.Second, []int{500}},
		"enough for one doubling": {100 * time.Second, 14 * time.Second, []int{500, 1000}},
		"enough":                  {time.Hour, time.Second, []int{500, 1000, 2000}},
	} {
		at := time.Time{}
		e := (&Regressor{}).engine()
		e.Now = func() time.Time { at = at.Add(c.each); return at }
		e.Budget = c.budget
		var asked []int
		e.many = func(s onSome) estimators.Regressor {
			asked = append(asked, s.landmarks)
			s.landmarks = 10
			return falkonRegressor(s)
		}
		clock, err := search.NewBudget("test", c.budget, e.Now, 1)
		require.NoError(t, err)
		result := &search.Result{}
		_, err = e.fitMany(ctx, defaultFamily.Kernel(1), folds.Rows[float64]{X: x, Y: y, Weights: nil, Groups: nil}, len(y), result, clock.Begin())
		require.NoError(t, err)
		assert.Equal(t, c.landmarks, asked, name)
		assert.Equal(t, asked[len(asked)-1], result.Landmarks, name)
		assert.Equal(t, len(asked), result.Fits, name)
	}
}

// Observe receives the progress of fits with many rows to their end, for both scalings. The rows that it receives are not in the
// trace, and a resumed search skips them.
func TestFitsOfManyRowsAreObserved(t *testing.T) {
	if testing.Short() {
		t.Skip("a search of many rows more")
	}
	x, y := problemOf(1300, 2, .1, 4)
	e := (&Regressor{}).engine()
	e.above = 200
	whole := e.many
	e.many = func(s onSome) estimators.Regressor {
		r := whole(s).(*falkon.Regressor)
		r.Solver = falkon.ConjugateGradients
		return r
	}
	var seen, steps []search.TraceRow
	e.Observe = func(row search.TraceRow) {
		seen = append(seen, row)
		if row.Step != nil {
			steps = append(steps, row)
		}
	}
	f, err := e.fit(ctx, x, y, nil, y, nil)
	require.NoError(t, err)
	require.Len(t, f.parts, 2)
	for _, p := range f.parts {
		assert.False(t, slices.ContainsFunc(p.result.Trace, func(row search.TraceRow) bool { return row.Step != nil }))
		own := slices.DeleteFunc(slices.Clone(steps), func(row search.TraceRow) bool { return row.Columns != p.result.Columns })
		iterations := 0
		for i, row := range own {
			assert.Equal(t, i+1, row.Step.Iteration)
			assert.Equal(t, p.result.Landmarks, row.ScoredOn)
			assert.Equal(t, p.result.Family, row.Family)
			assert.Zero(t, row.Iteration)
			if strings.HasPrefix(row.Step.Message, "conjugate gradients, iteration") {
				iterations++
			}
		}
		assert.Equal(t, p.inner.(*falkon.Regressor).Report().Iterations, iterations)
		last := own[len(own)-1]
		assert.Contains(t, last.Decision(), "fit on 650 landmarks, conjugate gradients, iteration")
	}

	e.Observe, e.Resume = nil, seen
	again, err := e.fit(ctx, x, y, nil, y, nil)
	require.NoError(t, err)
	want, err := json.Marshal(f.result.Trace)
	require.NoError(t, err)
	got, err := json.Marshal(again.result.Trace)
	require.NoError(t, err)
	assert.JSONEq(t, string(want), string(got))

	data, err := json.Marshal(steps[0])
	require.NoError(t, err)
	var read search.TraceRow
	require.NoError(t, json.Unmarshal(data, &read))
	assert.Equal(t, steps[0].Step, read.Step)
}

func TestManyRowsCancelled(t *testing.T) {
	x, y := problemOf(400, 2, .1, 4)
	e := (&Regressor{}).engine()
	e.above = 200
	ended, cancel := context.WithCancel(ctx)
	e.Observe = func(search.TraceRow) { cancel() }
	_, err := e.fit(ended, x, y, nil, y, nil)
	require.ErrorIs(t, err, context.Canceled)
}

// A search that minimises the complexity-regularised error identifies the relevant column, and also works for a few rows. It does
// not accept weights.
func TestShapeOfComplexity(t *testing.T) {
	x, y := problemOf(120, 3, .2, 4)
	s := &shape.Search{Objective: shape.ComplexityRegularised}
	r := shaped(t, s, x, y)
	res := r.Result()
	assert.Equal(t, 0, floats.MinIdx(res.Lengths))
	assert.Equal(t, "log complexity-regularised error, negated, on landmarks", res.ScoreName)
	at := slices.IndexFunc(res.Trace, func(row search.TraceRow) bool { return row.Chosen })
	assert.Equal(t, search.OnLandmarks, res.Trace[at].Basis)
	assert.Equal(t, 30, res.Trace[at].ScoredOn)
	other, yOther := problemOf(200, 3, .2, 5)
	assert.Less(t, nmseOf(t, r, other, yOther), .15)
	err := (&Regressor{Space: over(defaultFamily), Search: s}).FitWeighted(ctx, x, y, slices.Repeat([]float64{1, 2}, 60))
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "without weights")

	few, yFew := problemOf(5, 3, .2, 4)
	require.NoError(t, (&Regressor{Space: over(defaultFamily), Search: s}).Fit(ctx, few, yFew))
}

// The search takes half of a budget, divided among the scalings.
func TestBudgetOfManyRows(t *testing.T) {
	x, y := problemOf(400, 2, .1, 4)
	e := (&Regressor{}).engine()
	e.above, e.Budget, e.Now = 200, 2*time.Minute, ticking()
	f, err := e.fit(ctx, x, y, nil, y, nil)
	require.NoError(t, err)
	require.Len(t, f.parts, 2)
	for _, p := range f.parts {
		assert.Equal(t, search.StatusBudget, p.result.Status)
		assert.InDelta(t, 30, p.result.Seconds, 4)
		assert.Positive(t, p.result.Landmarks)
	}
	e.Budget = -1
	_, err = e.fit(ctx, x, y, nil, y, nil)
	require.ErrorIs(t, err, estimators.ErrParam)
}

// Repeating all rows, in another order, results in the same machines on landmarks.
func TestRepeatedRowsOfMany(t *testing.T) {
	const n = 400
	x, y := problemOf(n, 2, .1, 4)
	probe, _ := problemOf(100, 2, .1, 5)
	order := make([]int, 0, 2*n)
	for i := range n {
		order = append(order, i)
		if i >= n/2 { // the second half contains copies of the first
			order = append(order, i-n/2)
		}
	}
	for i := n / 2; i < n; i++ {
		order = append(order, i)
	}
	x2, y2 := linalg.Rows(x, order), linalg.Pick(y, order)

	regress := func(x *mat.Dense, y []float64) []float64 {
		e := (&Regressor{}).engine()
		e.above = 200
		f, err := e.fit(ctx, x, y, nil, y, nil)
		require.NoError(t, err)
		require.IsType(t, &falkon.Regressor{}, f.parts[0].inner)
		p, err := (&Regressor{f: f}).Predict(probe)
		require.NoError(t, err)
		return p
	}
	assert.InDeltaSlice(t, regress(x, y), regress(x2, y2), 1e-6)

	classify := func(x *mat.Dense, y []float64) []float64 {
		labels := make([]int, len(y))
		for i, v := range y {
			if v > 0 {
				labels[i] = 1
			}
		}
		e := (&Classifier{}).engine()
		e.above = 200
		f, err := e.fit(ctx, x, labels, nil, nil, labels)
		require.NoError(t, err)
		require.IsType(t, &falkon.Classifier{}, f.parts[0].inner)
		p, err := (&Classifier{f: f}).PredictProba(probe)
		require.NoError(t, err)
		return p.RawMatrix().Data
	}
	assert.InDeltaSlice(t, classify(x, y), classify(x2, y2), 1e-6)
}
