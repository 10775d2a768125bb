package lssvm

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fullsystem"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// A fit that is resumed from any iteration, through a file, results in the same model as an uninterrupted fit.
func TestResumed(t *testing.T) {
	x, y := waves(1100, 9)
	base := Regressor{Kernel: kernels.Matern{Nu: 2.5, Length: 2}, Ridge: 1e-3, Solver: ConjugateGradients}
	var states []*State
	r := base
	r.Checkpoint = func(s *State) { states = append(states, s) }
	require.NoError(t, r.Fit(ctx, x, y))
	require.Greater(t, len(states), 5)
	assert.LessOrEqual(t, states[len(states)-1].Error, fullsystem.DefaultTolerance)
	_, want, err := r.PredictVariance(x)
	require.NoError(t, err)
	for _, i := range []int{0, 3, len(states) - 1} {
		data, err := states[i].MarshalBinary()
		require.NoError(t, err)
		read, again, steps := &State{}, base, 0
		require.NoError(t, read.UnmarshalBinary(data))
		assert.Equal(t, i+1, read.Iteration)
		assert.Equal(t, 1e-3, read.Ridge)
		again.Resume, again.Checkpoint = read, func(*State) { steps++ }
		require.NoError(t, again.Fit(ctx, x, y))
		assert.Equal(t, len(states)-1-i, steps)
		assert.Equal(t, r.Coefficients(), again.Coefficients())
		assert.Equal(t, r.Report(), again.Report())
		assert.Equal(t, r.Details(), again.Details())
		_, got, err := again.PredictVariance(x)
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}

	for name, other := range map[string]Regressor{
		"kernel":    {Kernel: kernels.Matern{Nu: 2.5, Length: 2.1}, Solver: ConjugateGradients},
		"ridge":     {Kernel: base.Kernel, Solver: ConjugateGradients, Ridge: 2e-3},
		"seed":      {Kernel: base.Kernel, Solver: ConjugateGradients, Seed: 3},
		"factoring": {Kernel: base.Kernel, Solver: Cholesky},
	} {
		other.Resume = states[2]
		assert.ErrorIs(t, other.Fit(ctx, x, y), estimators.ErrParam, name)
		assert.ErrorContains(t, other.Fit(ctx, x, y), "Resume = a State", name)
	}
	other := base
	other.Resume = states[2]
	y[17]++
	assert.ErrorContains(t, other.Fit(ctx, x, y), "Resume = a State after 3 iterations")
	assert.ErrorIs(t, other.Fit(ctx, x.Slice(0, 1050, 0, 3), y[:1050]), estimators.ErrParam)
	other.Resume = &State{}
	assert.ErrorIs(t, other.Fit(ctx, x, y), estimators.ErrParam)
	assert.ErrorIs(t, other.FitMatrix(ctx, mat.NewSymDense(3, []float64{2, 0, 0, 0, 2, 0, 0, 0, 2}), y[:3]), estimators.ErrParam)
	_, err = (&State{}).MarshalBinary()
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
}

// Checkpoint is called only if the fit can be resumed exactly. After a search for the ridge on the same rows it cannot, because the
// preconditioner of the search has another rank.
func TestNoCheckpointsOfASearch(t *testing.T) {
	x, y := waves(1100, 11)
	targets := mat.NewDense(len(y), mostSearched+1, nil)
	for i, v := range y {
		for j := range mostSearched + 1 {
			targets.Set(i, j, float64(j+1)*v)
		}
	}
	calls := 0
	r := &MultiRegressor{Kernel: kernels.Matern{Nu: 2.5, Length: 2}, Solver: ConjugateGradients, Checkpoint: func(*State) { calls++ }}
	require.NoError(t, r.Fit(ctx, x, targets))
	assert.Zero(t, calls)
	r.Ridge = r.ChosenRidge()
	require.NoError(t, r.Fit(ctx, x, targets))
	assert.Positive(t, calls)
}

// A cancelled fit of a classifier can also be resumed.
func TestClassesResume(t *testing.T) {
	x, y := waves(1100, 10)
	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = int(v) % 3
	}
	base := Classifier{Kernel: kernels.Matern{Nu: 2.5, Length: 2}, Ridge: 1e-2, Solver: ConjugateGradients}
	whole := base
	require.NoError(t, whole.Fit(ctx, x, labels))
	cancelled, cancel := context.WithCancel(ctx)
	defer cancel()
	var last *State
	part := base
	part.Checkpoint = func(s *State) {
		if last = s; s.Iteration == 4 {
			cancel()
		}
	}
	require.ErrorIs(t, part.Fit(cancelled, x, labels), context.Canceled)
	rest := base
	rest.Resume = last
	require.NoError(t, rest.Fit(ctx, x, labels))
	want, err := whole.PredictProba(x)
	require.NoError(t, err)
	got, err := rest.PredictProba(x)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}

// States of version 1 stay readable.
func TestGoldenStateStaysReadable(t *testing.T) {
	written := newState(&fullsystem.State{Ridge: 0.5, Iteration: 2, Error: 0.25, Sides: []fullsystem.Side{
		{Solution: []float64{1, 2}, Residual: []float64{3, 4}, Direction: []float64{5, 6}, Before: []float64{0, 1}, Rho: 1, Energy: 2,
			LeastEnergy: 1, LeastResidual: 1, Iterations: 2, Gains: []float64{1}},
		{Solution: []float64{7, 8}, Residual: []float64{9, 1}, Direction: []float64{2, 3}, Rho: 1, Iterations: 1, Condition: 1},
	}}, 3)
	read := &State{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "State-v1.keln", written.MarshalBinary)))
	assert.Equal(t, written.Ridge, read.Ridge)
	assert.Equal(t, written.ridges, read.ridges)
	assert.Equal(t, written.at.Sides[0], read.at.Sides[0])
	assert.Equal(t, written.at.Sides[1].Solution, read.at.Sides[1].Solution)
}
