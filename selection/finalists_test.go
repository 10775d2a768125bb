package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/kernels"
)

// The features of a few pivots say of all ridges what the kernel matrix says, to a hundredth of the
// error, where likeExact takes them; where they leave more it takes none.
func TestLikeExact(t *testing.T) {
	x, y := problemOf(900, 2, .3, 7)
	run := newRun(problem{family: kernels.RBFFamily{}, x: x, y: y, ridgeMachine: true}, budget{})
	search := &Entropy{}
	form, err := newClosedForm(search, run)
	require.NoError(t, err)
	f := &finalists{search: search, run: run, form: form, ridge: .3}
	require.NoError(t, f.begin(ctx, 900))
	for gamma, few := range map[float64]bool{.1: true, .5: true, 100: false} {
		row := unscored(At(gamma))
		taken, err := f.likeExact(ctx, kernels.RBF{Gamma: gamma}, &row)
		require.NoError(t, err)
		require.Equal(t, few, taken, "gamma %v", gamma)
		if !taken {
			assert.Empty(t, row.Basis)
			assert.Empty(t, row.Ridges)
			continue
		}
		assert.Equal(t, OnPivots, row.Basis)
		assert.LessOrEqual(t, row.Rank, 900/pivotShare)
		k, err := f.shared.Matrix(ctx, kernels.RBF{Gamma: gamma})
		require.NoError(t, err)
		_, curve, err := form.ofMatrix(ctx, k, false)
		require.NoError(t, err)
		exact, _ := prefer([]TraceRow{{Ridges: curve}}, LeaveOneOut, false)
		pivots, _ := prefer([]TraceRow{row}, LeaveOneOut, false)
		assert.InEpsilon(t, exact.Score, pivots.Score, .01, "gamma %v", gamma)
		assert.InEpsilon(t, exact.StandardError, pivots.StandardError, .02)
	}
}
