package selection

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/badtext"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
)

// Names that are not UTF-8 are rejected. If a result contains such a text, writing it returns an error and does not change the
// text.
func TestTextsAreUTF8(t *testing.T) {
	ctx, x, y := context.Background(), mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6}), []float64{1, 2, 3, 4, 5, 6}
	candidate := Candidate[estimators.Regressor]{Name: "a", Estimator: &lssvm.Regressor{}}
	n := badtext.ForEachField(&candidate, func(field string) {
		err := (&Regressor{Space: NamedCandidates(candidate)}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam, field)
		assert.ErrorContains(t, err, `"j\xe4", want UTF-8`)
	})
	assert.Equal(t, 1, n)
	axis := grid.Axis{Name: "way", Choices: []string{"this", "that"}}
	_, err := grid.Points(axis)
	require.NoError(t, err)
	n = badtext.ForEachField(&axis, func(field string) {
		_, err := grid.Points(axis)
		require.ErrorIs(t, err, estimators.ErrParam, field)
		assert.ErrorContains(t, err, `"j\xe4", want UTF-8`)
	})
	assert.Equal(t, 3, n)
	result := search.Result{Strategy: "s", Family: "f", Kernel: "k", Name: "n", ScoreName: "b", Warnings: []string{"w"}, Trace: []search.TraceRow{{Family: "f", Name: "n"}}}
	_, err = json.Marshal(result)
	require.NoError(t, err)
	n = badtext.ForEachField(&result, func(field string) {
		_, err := json.Marshal(result)
		require.ErrorIs(t, err, estimators.ErrParam, field)
	})
	assert.Greater(t, n, 8)
}
