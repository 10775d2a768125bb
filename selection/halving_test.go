package selection

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
)

func TestRounds(t *testing.T) {
	assert.Equal(t, []halvingRound{{74, 24}, {222, 8}, {666, 3}}, rounds(24, 666, 3, 40)[:3])
	assert.Equal(t, []halvingRound{{37, 27}, {111, 9}, {333, 3}, {1000, 1}}, rounds(27, 1000, 3, 30), "no round is left where one parameter is")
	assert.Equal(t, []halvingRound{{100, 24}}, rounds(24, 100, 3, 40), "few rows: a grid")
	assert.Equal(t, []halvingRound{{5000, 1}}, rounds(1, 5000, 3, 40))
	assert.Equal(t, []halvingRound{{500, 2}, {1000, 1}}, rounds(2, 1000, 2, 10))
}

// It finds what the grid finds, on a part of its rows.
func TestHalving(t *testing.T) {
	x, y := problemOf(400, 2, .3, 2)
	grid := &Regressor{Search: &Grid{Points: 9}}
	require.NoError(t, grid.Fit(ctx, x, y))
	var seen []search.TraceRow
	half := &Regressor{Search: &Halving{Points: 9, Seed: 3}, Observe: func(r search.TraceRow) {
		if r.Step == nil {
			seen = append(seen, r)
		}
	}}
	require.NoError(t, half.Fit(ctx, x, y))
	g, h := grid.Result(), half.Result()
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
	c := &Classifier{Search: &Halving{Points: 5}}
	require.NoError(t, c.Fit(ctx, x, labels))
	assert.NotEmpty(t, c.Result().Trace)
}

// Parts have the classes in proportion and grow out of each other.
func TestHalvingParts(t *testing.T) {
	labels := make([]int, 300)
	for i := range labels {
		if i%10 == 0 {
			labels[i] = 1
		}
	}
	folds, err := validation.StratifiedKFold{}.Split(300, labels)
	require.NoError(t, err)
	h := &Halving{}
	small, large := h.parts(folds, labels, 20), h.parts(folds, labels, 60)
	for i := range folds {
		ones := 0
		for _, r := range small[i].Train {
			ones += labels[r]
			assert.Contains(t, large[i].Train, r)
		}
		assert.Equal(t, 2, ones)
		assert.Equal(t, folds[i].Test, small[i].Test)
	}
}

func TestHalvingErrorsAndBudget(t *testing.T) {
	x, y := problemOf(200, 2, .3, 2)
	for want, h := range map[string]*Halving{
		"Factor = 1": {Factor: 1}, "LeastRows = 1": {LeastRows: 1}, "Points = -1": {Points: -1}, "Params = empty": {Params: []float64{}},
	} {
		err := (&Regressor{Search: h}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	clock := time.Unix(0, 0)
	r := &Regressor{Search: &Halving{Points: 6}, Budget: time.Second, Workers: 1, now: func() time.Time { clock = clock.Add(300 * time.Millisecond); return clock }}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, search.StatusBudget, r.Result().Status)

}
