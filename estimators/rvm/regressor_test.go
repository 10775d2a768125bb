package rvm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/golden"
)

// From a cold start the evidence is within a nat of the best that the reference found
// in six starts, which is no bound: the evidence has many optima.
func TestReferenceFromAColdStart(t *testing.T) {
	for _, name := range referenceFiles {
		c := load(t, name)
		r := &Regressor{Kernel: c.kernel(), Bias: c.bias()}
		require.NoError(t, r.Fit(ctx, golden.Dense(c.X), c.Y))
		assert.GreaterOrEqual(t, r.LogEvidence(), c.Optimum.Evidence-1, name)
		t.Logf("%s: evidence %.4f (reference %.4f), %d vectors (%d)", name, r.LogEvidence(), c.Optimum.Evidence, len(r.RelevanceIndices()), len(c.Optimum.Relevance))
		assert.True(t, r.Report().Converged)
		mean, variance, err := r.PredictVariance(golden.Dense(c.Predict.X))
		require.NoError(t, err)
		t.Log(mean, c.Predict.Mean)
		t.Log(variance, c.Predict.Var)
	}
}
