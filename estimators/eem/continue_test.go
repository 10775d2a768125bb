package eem_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// clouds returns n rows of two well-separated classes.
func clouds(n int) (*mat.Dense, []int) {
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		y[i] = i % 2
		x.SetRow(i, []float64{float64(4*y[i]) + float64(i%7)/7, float64(i%5) / 5})
	}
	return x, y
}

// Units that are centred on rows are drawn from the first chunk, and later chunks add none. If the first chunk has too few rows,
// Report contains a warning, which model files preserve.
func TestAFirstChunkOfTooFewRowsIsAWarning(t *testing.T) {
	ctx := context.Background()
	few, labels := clouds(12)
	for name, model := range map[string]interface {
		estimators.Classifier
		estimators.Continuer
		estimators.Reporter
		PartialFit(ctx context.Context, x mat.Matrix, y []int) error
		MarshalBinary() ([]byte, error)
	}{
		"units":     &eem.Classifier{Units: 20},
		"landmarks": &eem.KernelClassifier{Components: 20},
	} {
		for range 3 {
			require.NoError(t, model.PartialFit(ctx, few, labels))
			_, err := model.Predict(few) // the prediction solves
			require.NoError(t, err)
			require.Len(t, model.Report().Warnings, 1, name)
			assert.Contains(t, model.Report().Warnings[0], "12 rows for the 20", name)
		}
		data, err := model.MarshalBinary()
		require.NoError(t, err)
		statistics, err := model.MarshalStatistics()
		require.NoError(t, err)
		read := estimators.Clone[estimators.Classifier](model).(interface {
			estimators.Classifier
			estimators.Continuer
			estimators.Reporter
			PartialFit(ctx context.Context, x mat.Matrix, y []int) error
			UnmarshalBinary(data []byte) error
		})
		require.NoError(t, read.UnmarshalBinary(data))
		require.NoError(t, read.UnmarshalStatistics(statistics))
		require.NoError(t, read.PartialFit(ctx, few, labels))
		_, err = read.Predict(few)
		require.NoError(t, err)
		assert.Len(t, read.Report().Warnings, 1, name)
	}

	enough, labels := clouds(24)
	for name, model := range map[string]interface {
		estimators.Classifier
		estimators.Reporter
		PartialFit(ctx context.Context, x mat.Matrix, y []int) error
	}{
		"units":             &eem.Classifier{Units: 20},
		"units of no rows":  &eem.Classifier{Units: 30, Activation: featuremap.Tanh},
		"landmarks":         &eem.KernelClassifier{Components: 20},
		"landmarks given":   &eem.KernelClassifier{Landmarks: mat.NewDense(2, 2, []float64{0, 0, 4, 1})},
		"those of a kernel": &eem.KernelClassifier{Kernel: kernels.RBF{Gamma: 1}, Landmarks: mat.NewDense(2, 2, []float64{0, 0, 4, 1})},
	} {
		require.NoError(t, model.PartialFit(ctx, enough, labels), name)
		_, err := model.Predict(enough)
		require.NoError(t, err, name)
		assert.Empty(t, model.Report().Warnings, name)
	}
}

// In JSON, Statistics are strings, also as parts of other values.
func TestStatisticsInJSON(t *testing.T) {
	type message struct {
		Worker string
		Sums   *eem.Statistics
	}
	x, _ := clouds(9)
	sent := message{"one", &eem.Statistics{}}
	require.NoError(t, sent.Sums.Add(x))
	text, err := json.Marshal(sent)
	require.NoError(t, err)
	var got message
	require.NoError(t, json.Unmarshal(text, &got))
	assert.Equal(t, sent, got)
	for _, bad := range []string{`{"Sums": {}}`, `{"Sums": "no base64"}`, `{"Sums": "QUJD"}`} {
		assert.Error(t, json.Unmarshal([]byte(bad), &message{}), bad)
	}
	assert.ErrorIs(t, (&eem.Statistics{}).UnmarshalText([]byte("?")), estimators.ErrBadModel)
	assert.ErrorIs(t, (&eem.Statistics{}).UnmarshalText([]byte("QUJD")), estimators.ErrBadModel)
}
