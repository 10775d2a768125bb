package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// The zero value returns the same result as the settings that its documentation lists as defaults.
func TestDocumentedDefaults(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	params := func(r *Regressor) (out []float64) {
		require.NoError(t, r.Fit(ctx, x, y))
		for _, row := range r.Result().Trace {
			out = append(out, row.Param, row.Score)
		}
		return append(out, r.Result().Param)
	}
	family := families.RBF{}
	build := func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }
	assert.Equal(t, params(&Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}}), params(&Regressor{
		Space:          Kernels(build, family),
		Search:         &entropy.Search{Tolerance: .02, MaxEvaluations: 40, Score: entropy.LeaveOneOutEvidence},
		MaxKernelBytes: kernels.MaxKernelBytes,
	}))
	start, err := family.Start(ctx, x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, params(&Regressor{Search: &grid.Search{}}), params(&Regressor{
		Space:  Kernels(build, family),
		Search: &grid.Search{Points: 24, Lo: start * 1e-4, Hi: start * 1e2, Splitter: validation.KFold{Folds: defaultFolds, Repeats: 1}, Metric: metrics.ForRegression()},
	}), 1e-12)
}
