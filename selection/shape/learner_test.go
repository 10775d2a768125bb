package shape

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/toy"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Lengths learnt on blocks are compared with a common length on all rows, and the better one is kept.
func TestCompareKeepsTheBetter(t *testing.T) {
	x, y := toy.Sine(300, 2, .2, 4)
	clock, err := search.NewBudget("test", 0, nil, 1)
	require.NoError(t, err)
	run := search.New(search.Problem{Family: matern, X: x, Targets: y, RidgeMachine: true}, clock)
	l, err := newLearner(&Search{MaxRows: 80}, run)
	require.NoError(t, err)
	one := climbPoint{theta: []float64{0, math.Log(.05)}, groups: l.oneLength()}
	for name, c := range map[string]struct {
		theta []float64
		taken int
	}{
		"the column that counts has dropped out": {[]float64{6, 0, math.Log(.05)}, 1},
		"the other has":                          {[]float64{0, 6, math.Log(.05)}, 2},
	} {
		learnt := climbPoint{theta: c.theta}
		require.NoError(t, l.compare(ctx, &learnt, one), name)
		assert.Len(t, learnt.theta, c.taken+1, name) // lengths and ridge
	}
	assert.Len(t, run.Warnings(), 1)
}

// On landmarks, the search finds the relevant column from any result on blocks.
func TestShapeOnLandmarks(t *testing.T) {
	x, y := toy.Sine(400, 3, .2, 4) // the last two columns are noise
	for _, workers := range []int{1, 3} {
		if testing.Short() && workers == 1 {
			continue
		}
		clock, err := search.NewBudget("test", 0, nil, 1)
		require.NoError(t, err)
		run := search.New(search.Problem{Settings: search.Settings{Workers: workers}, Family: matern, X: x, Targets: y, RidgeMachine: true}, clock)
		l, err := newLearner(&Search{MaxRows: 80, MaxIterations: 25}, run)
		require.NoError(t, err)
		one := climbPoint{theta: []float64{1, math.Log(.05)}, groups: l.oneLength()}
		for _, learnt := range []climbPoint{
			{theta: []float64{6, 0, 0, math.Log(.05)}}, // these lengths ignore the relevant column
			one,
		} {
			at := learnt
			require.NoError(t, l.climbLandmarks(ctx, &at, one))
			require.Len(t, at.theta, 4)
			assert.Less(t, at.theta[0]+1, at.theta[1])
			assert.Less(t, at.theta[0]+1, at.theta[2])
			choice, err := l.conclude(at)
			require.NoError(t, err)
			row := run.Row(choice.Iteration)
			assert.Equal(t, search.OnLandmarks, row.Basis)
			assert.Equal(t, at.theta, row.Theta)
			assert.Equal(t, 100, row.ScoredOn, "a landmark for four rows")
			assert.Equal(t, 300, row.Rows, "none of which is a landmark")
			assert.Contains(t, row.Decision(), "on 100 landmarks")
			assert.True(t, l.measure.LargerIsBetter)
			assert.Zero(t, choice.Ridge, "that of all rows is another")
		}
	}
}

// Landmarks are used with many rows, for the objectives that the leave-one-out error can replace.
func TestWhoLearnsOnLandmarks(t *testing.T) {
	for _, c := range []struct {
		n         int
		objective Objective
		want      bool
	}{
		{MaxExactRows + 1, AutomaticObjective, true}, {MaxExactRows + 1, LeaveOneOutError, true},
		{MaxExactRows, AutomaticObjective, false}, {MaxExactRows + 1, RestrictedEvidence, false},
	} {
		x, y := toy.Sine(c.n, 1, .1, 4)
		clock, err := search.NewBudget("test", 0, nil, 1)
		require.NoError(t, err)
		run := search.New(search.Problem{Family: matern, X: x, Targets: y, RidgeMachine: true}, clock)
		l, err := newLearner(&Search{MaxRows: 80, Objective: c.objective}, run)
		require.NoError(t, err)
		assert.Equal(t, c.want, l.learnsOnLandmarks())
	}
}

// If the targets of the drawn rows are constant, there is no climb on landmarks.
func TestLandmarksOfOneValue(t *testing.T) {
	x, y := toy.Sine(400, 2, .2, 4)
	clear(y)
	y[7] = 1
	clock, err := search.NewBudget("test", 0, nil, 1)
	require.NoError(t, err)
	run := search.New(search.Problem{Family: matern, X: x, Targets: y, RidgeMachine: true}, clock)
	l, err := newLearner(&Search{MaxRows: 80}, run)
	require.NoError(t, err)
	order, centre := make([]int, 400), []float64{0, 0, 0}
	for i := range order {
		order[i] = i
	}
	assert.Nil(t, l.landmarks(order, 300, 20, 9, centre), "the row is a landmark")
	assert.NotNil(t, l.landmarks(order, 300, 5, 9, centre))
}
