package selection

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Halving with a part of the rows chooses a point that is at most 10% worse than that of a grid on all rows.
func TestHalving(t *testing.T) {
	x, y := problemOf(400, 2, .3, 2)
	whole := &Regressor{Search: &grid.Search{Points: 9}}
	require.NoError(t, whole.Fit(ctx, x, y))
	var seen []search.TraceRow
	half := &Regressor{Search: &grid.Halving{Points: 9, Seed: 3}, Observe: func(r search.TraceRow) {
		if r.Step == nil {
			seen = append(seen, r)
		}
	}}
	require.NoError(t, half.Fit(ctx, x, y))
	g, h := whole.Result(), half.Result()
	assert.Equal(t, "halving", h.Strategy)
	assert.LessOrEqual(t, h.Score, 1.1*g.Score)
	assert.Len(t, h.Trace, 9+3, "a third of the rows for all, all for a third")
	assert.Len(t, seen, len(h.Trace))
	work := func(r *search.Result) (rows int) {
		for _, row := range r.Trace {
			rows += row.Rows * row.Rows * row.Rows
		}
		return rows
	}
	assert.Less(t, 2*work(h), work(g))
	assert.Contains(t, h.Trace[len(h.Trace)-3].Decision()+h.Trace[len(h.Trace)-2].Decision()+h.Trace[len(h.Trace)-1].Decision(), "round 2: mean of 3 folds: chosen")

	labels := make([]int, len(y))
	for i, v := range y {
		if v > .9 {
			labels[i] = 5
		}
	}
	c := &Classifier{Search: &grid.Halving{Points: 5}}
	require.NoError(t, c.Fit(ctx, x, labels))
	assert.NotEmpty(t, c.Result().Trace)
}

func TestHalvingErrorsAndBudget(t *testing.T) {
	x, y := problemOf(200, 2, .3, 2)
	for want, h := range map[string]*grid.Halving{
		"Factor = 1": {Factor: 1}, "LeastRows = 1": {LeastRows: 1}, "Points = -1": {Points: -1}, "Params = empty": {Params: []float64{}},
	} {
		err := (&Regressor{Search: h}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	clock := time.Unix(0, 0)
	r := &Regressor{Search: &grid.Halving{Points: 6}, Budget: time.Second, Workers: 1, now: func() time.Time { clock = clock.Add(300 * time.Millisecond); return clock }}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, search.StatusBudget, r.Result().Status)

}
