package falkon

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// Model files of version 1 can still be read, and give the same predictions as a fit with the current code, up to the rounding of
// the computer that wrote them.
func TestGoldenFilesStayReadable(t *testing.T) {
	const rounding = 1e-6
	x, y, _ := friedman(60, 5, 1, 3)
	at, _, _ := friedman(4, 5, 0, 4)

	// This kernel was the default when the files were written.
	median, err := kernels.MedianRBF(ctx, x, 0)
	require.NoError(t, err)

	fitted := &Regressor{Kernel: median, Components: 12}
	require.NoError(t, fitted.Fit(ctx, x, y))
	read := &Regressor{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Regressor-v1.keln", fitted.MarshalBinary)))
	mean, variance, err := fitted.PredictVariance(at)
	require.NoError(t, err)
	gotMean, gotVariance, err := read.PredictVariance(at)
	require.NoError(t, err)
	assert.InDeltaSlice(t, mean, gotMean, rounding)
	assert.InDeltaSlice(t, variance, gotVariance, rounding)
	details := fitted.Details()
	details.Seconds = 0
	assert.InEpsilon(t, details.LeaveOneOut, read.Details().LeaveOneOut, rounding)

	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = int(v) % 3
	}
	for _, loss := range []Loss{SquaredLoss, LogisticLoss} {
		c := &Classifier{Kernel: median, Components: 10, Loss: loss, Balanced: true}
		require.NoError(t, c.Fit(ctx, x, labels))
		readClassifier := &Classifier{Kernel: median}
		require.NoError(t, readClassifier.UnmarshalBinary(golden.Model(t, "Classifier-"+loss.String()+"-v1.keln", c.MarshalBinary)))
		p, err := c.PredictProba(at)
		require.NoError(t, err)
		got, err := readClassifier.PredictProba(at)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(p, got, 1e-5))
		assert.Equal(t, c.Classes(), readClassifier.Classes())
	}

	var state *State
	r := &Regressor{Kernel: median, Components: 10, Solver: ConjugateGradients, Ridge: .1, Checkpoint: func(s *State) {
		if s.Iteration == 2 {
			state = s
		}
	}}
	require.NoError(t, r.Fit(ctx, x, y))
	stored := &State{}
	require.NoError(t, stored.UnmarshalBinary(golden.Model(t, "State-v1.keln", state.MarshalBinary)))
	assert.Equal(t, 2, stored.Iteration)
	assert.InDelta(t, state.Energy, stored.Energy, rounding)
	solutions := func(s *State) *mat.Dense {
		u, err := s.at.Store().U.Dense()
		require.NoError(t, err)
		return u
	}
	assert.True(t, mat.EqualApprox(solutions(state), solutions(stored), rounding))
}
