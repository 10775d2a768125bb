package pipeline_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// PartialFit fits the steps only to the first chunk. If this chunk has fewer rows than a map needs for its landmarks, Report
// contains a warning.
func TestAFirstChunkOfTooFewRowsForAStep(t *testing.T) {
	x, y := mat.NewDense(8, 1, []float64{0, 1, 2, 3, 4, 5, 6, 7}), []float64{0, 1, 0, -1, 0, 1, 0, -1}
	for components, warnings := range map[int]int{8: 0, 9: 1} {
		model := &pipeline.Regressor{
			Steps: []transformers.Transformer{&scalers.StandardScaler{}, &featuremap.Nystroem{Components: components}},
			Final: &ridge.Regressor{Ridge: .1},
		}
		for range 2 {
			require.NoError(t, model.PartialFit(context.Background(), x, y))
		}
		require.Len(t, model.Report().Warnings, warnings)
		if warnings > 0 {
			assert.Contains(t, model.Report().Warnings[0], "step 1 (Nystroem): the first chunk has 8 rows for the 9")
		}
		require.NoError(t, model.Fit(context.Background(), x, y))
		assert.Empty(t, model.Report().Warnings)
	}
}
