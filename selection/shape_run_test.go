package selection

import (
	"context"
	"math"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
)

// The columns of a group share a length.
func TestShapeGroups(t *testing.T) {
	x, y := problemOf(60, 4, .1, 4)
	r := shaped(t, &shape.Search{Groups: []int{1, 0, 0, 2}}, x, y)
	l := r.Result().Lengths
	assert.Equal(t, l[1], l[2])
	assert.Less(t, l[0], l[1])
	assert.NotEqual(t, l[1], l[3])
	each := shaped(t, &shape.Search{}, x, y)
	same := shaped(t, &shape.Search{Groups: []int{0, 1, 2, 3}}, x, y)
	assert.Equal(t, each.Result().Values, same.Result().Values, "each its own")
	all := shaped(t, isotropic(4), x, y).Result().Lengths
	assert.Equal(t, slices.Repeat(all[:1], 4), all)
}

func TestShapeParams(t *testing.T) {
	x, y := problemOf(20, 3, .1, 4)
	for text, s := range map[string]shape.Search{
		"Objective":                   {Objective: 9},
		"PriorScale = -1":             {PriorScale: -1},
		"PriorScale = NaN":            {PriorScale: math.NaN()},
		"PriorScale = +Inf":           {PriorScale: math.Inf(1)},
		"MaxIterations = -1":          {MaxIterations: -1},
		"MaxRows = -1":                {MaxRows: -1},
		"MaxRows = 1":                 {MaxRows: 1},
		"a number for each of 3":      {Groups: []int{0, 1}},
		"from 0 on without a gap":     {Groups: []int{0, 2, 2}},
		"want numbers from 0 on":      {Groups: []int{0, -1, 1}},
		"Groups = 4":                  {Groups: []int{0, 1, 2, 3}},
		"Groups = 0, want a number f": {Groups: []int{}},
	} {
		err := (&Regressor{Search: &s}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam, text)
		assert.ErrorContains(t, err, text)
	}
	err := (&Regressor{Search: &shape.Search{}, MaxKernelBytes: 1000}).Fit(ctx, x, y)
	require.ErrorIs(t, err, estimators.ErrTooLarge)
	assert.ErrorContains(t, err, "MaxRows")
	for o := shape.AutomaticObjective; o <= shape.ComplexityRegularised; o++ {
		assert.NotContains(t, o.String(), "Objective(")
	}
	assert.Equal(t, "Objective(9)", shape.Objective(9).String())
}

// Blocks are limited to the available rows, whatever MaxRows is. A fit on blocks is almost as good as a fit on all rows.
func TestShapeBlocks(t *testing.T) {
	for n := 3; n < 12; n++ {
		x, y := problemOf(n, 2, .1, 4)
		for most := 2; most < 12; most++ {
			p, err := shaped(t, &shape.Search{MaxRows: most}, x, y).Predict(x)
			require.NoError(t, err)
			for _, v := range p {
				assert.False(t, math.IsNaN(v))
			}
		}
	}
	x, y := problemOf(300, 2, .1, 4)
	x2, y2 := problemOf(300, 2, .1, 5)
	blocks := shaped(t, &shape.Search{MaxRows: 80}, x, y)
	assert.True(t, math.IsNaN(blocks.Result().Ridge), "the machine chooses its own, on all rows")
	assert.Less(t, nmseOf(t, blocks, x2, y2), 1.2*nmseOf(t, shaped(t, &shape.Search{}, x, y), x2, y2))
	assert.NotEqual(t, blocks.Result().Values, shaped(t, &shape.Search{MaxRows: 80, Seed: 1}, x, y).Result().Values)
}

// Blocks of neighbours with constant targets are left out, and all other blocks are used.
func TestShapeOfBlocksThatAreAlike(t *testing.T) {
	x, _ := problemOf(120, 2, .1, 4)
	labels, zeros := make([]int, 120), make([]float64, 120)
	for i := range labels {
		if x.At(i, 0) > 0 {
			labels[i], zeros[i] = 1, x.At(i, 0)
		}
		x.Set(i, 0, x.At(i, 0)+3*float64(2*labels[i]-1))
	}
	c := &Classifier{Search: &shape.Search{MaxRows: 40, Objective: shape.RestrictedEvidence}}
	require.NoError(t, c.Fit(ctx, x, labels))
	assert.Less(t, c.Result().Lengths[0], c.Result().Lengths[1])
	r := &Regressor{Search: &shape.Search{MaxRows: 40, Objective: shape.RestrictedEvidence}}
	require.NoError(t, r.Fit(ctx, x, zeros))
	assert.Less(t, r.Result().Lengths[0], r.Result().Lengths[1])
}

// A constant in the targets, however large, changes neither the lengths nor the ridge.
func TestShapeOfTargetsFarFromZero(t *testing.T) {
	x, y := problemOf(60, 2, .1, 4)
	far := slices.Clone(y)
	for i := range far {
		far[i] += 1 << 30
	}
	for _, objective := range ofNumbers {
		s := &shape.Search{Objective: objective}
		near, away := shaped(t, s, x, y).Result(), shaped(t, s, x, far).Result()
		assert.InEpsilonSlice(t, near.Values, away.Values, 1e-2, "%v", objective) // the climb ends near the maximum
		assert.InDelta(t, near.Score, away.Score, 1e-2, "%v", objective)
	}
}

// A search that is cancelled during its climb keeps the previous model.
func TestShapeCancelled(t *testing.T) {
	x, y := problemOf(60, 3, .1, 4)
	r := shaped(t, &shape.Search{}, x, y)
	before, rows := r.Fitted(), len(r.Result().Trace)
	for _, at := range []int{2, 10, rows - 1} {
		inside, cancel := context.WithCancel(ctx)
		seen := 0
		r.Observe = func(row search.TraceRow) {
			if row.Step != nil {
				return
			}
			if seen++; seen == at {
				cancel()
			}
		}
		require.ErrorIs(t, r.Fit(inside, x, y), context.Canceled)
		assert.Equal(t, at, seen, "nothing more is begun")
		assert.Same(t, before, r.Fitted())
	}
}

// Observe receives the rows of the trace in order, and cannot change the trace.
func TestShapeObserve(t *testing.T) {
	x, y := problemOf(60, 3, .1, 4)
	var seen []search.TraceRow
	r := &Regressor{Search: &shape.Search{}, Observe: func(row search.TraceRow) {
		if row.Step != nil {
			return
		}
		seen = append(seen, row)
		seen[len(seen)-1].Theta, seen[len(seen)-1].Gradient = slices.Clone(row.Theta), slices.Clone(row.Gradient)
		for i := range row.Theta {
			row.Theta[i] = math.NaN()
		}
		for i := range row.Gradient {
			row.Gradient[i] = math.NaN()
		}
	}}
	require.NoError(t, r.Fit(ctx, x, y))
	trace := r.Result().Trace
	require.Len(t, seen, len(trace))
	chosen := 0
	for i, row := range trace {
		assert.Equal(t, row.Theta, seen[i].Theta)
		assert.Equal(t, row.Gradient, seen[i].Gradient)
		assert.Equal(t, row.Score, seen[i].Score)
		assert.Equal(t, i+1, seen[i].Iteration)
		if row.Chosen {
			chosen++
		}
	}
	assert.Equal(t, 1, chosen)
}

// When a budget is spent, the best point so far is chosen.
func TestShapeBudget(t *testing.T) {
	x, y := problemOf(60, 3, .1, 4)
	whole := shaped(t, &shape.Search{}, x, y).Result()
	for seconds := 1; seconds < len(whole.Trace); seconds += 5 {
		clock := &ticker{}
		r := &Regressor{Space: over(defaultFamily), Search: &shape.Search{}, Budget: time.Duration(seconds) * time.Second, Observe: clock.tick, now: clock.now}
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		require.Len(t, res.Trace, seconds)
		assert.Equal(t, search.StatusBudget, res.Status)
		best := math.Inf(-1)
		for i, row := range res.Trace {
			assert.Equal(t, whole.Trace[i].Score, row.Score)
			best = max(best, row.Score)
		}
		assert.Equal(t, best, res.Score, "%d rows", seconds)
		assert.Len(t, res.Lengths, 3)
	}
}

// Results do not depend on the number of workers, neither on all rows nor on blocks.
func TestShapeWorkers(t *testing.T) {
	x, y := problemOf(150, 3, .1, 4)
	for _, s := range []*shape.Search{{}, {MaxRows: 60}, {Objective: shape.LeaveOneOutDensity}, {Start: &entropy.Search{}}} {
		var want string
		var predicted []float64
		for _, workers := range []int{1, 4} {
			r := &Regressor{Search: s, Workers: workers}
			require.NoError(t, r.Fit(ctx, x, y))
			p, err := r.Predict(x)
			require.NoError(t, err)
			if workers == 1 {
				want, predicted = withoutSeconds(t, r.Result()), p
				continue
			}
			assert.Equal(t, want, withoutSeconds(t, r.Result()))
			assert.Equal(t, predicted, p)
		}
	}
}

// The model file contains the learnt lengths.
func TestShapeSavedAndLoaded(t *testing.T) {
	x, y := problemOf(60, 3, .1, 4)
	for _, s := range []*shape.Search{{}, {Groups: []int{0, 1, 1}}, {MaxRows: 30}} {
		r := shaped(t, s, x, y)
		data, err := r.MarshalBinary()
		require.NoError(t, err)
		again := &Regressor{Space: over(defaultFamily), Search: s}
		require.NoError(t, again.UnmarshalBinary(data))
		want, err := r.Predict(x)
		require.NoError(t, err)
		got, err := again.Predict(x)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, withoutSeconds(t, r.Result()), withoutSeconds(t, again.Result()))
		one := mat.DenseCopyOf(x.Slice(0, 60, 0, 1))
		_, err = again.Predict(one)
		require.ErrorIs(t, err, estimators.ErrShape)
	}
}

// Lengths learnt on blocks are compared with a common length on all rows, and the better one is kept.
func TestShapeOfBlocksKeepsTheBetter(t *testing.T) {
	x, y := problemOf(300, 2, .2, 4)
	r := shaped(t, &shape.Search{MaxRows: 80}, x, y)
	var compared []search.TraceRow
	for _, row := range r.Result().Trace {
		if row.Round == 1 {
			compared = append(compared, row)
			assert.Equal(t, 300, row.Rows)
			assert.Equal(t, search.OnPivots, row.Basis)
			assert.Contains(t, row.Decision(), "of all 300 rows")
		}
	}
	require.Len(t, compared, 2)
	assert.Less(t, compared[1].Ridges[0].Score, 1.)
	assert.Empty(t, r.Result().Warnings)
}
