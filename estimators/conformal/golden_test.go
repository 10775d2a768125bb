package conformal

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

// Model files of version 1 can still be read, and give the same predictions as a fit with the current code.
func TestGoldenFilesStayReadable(t *testing.T) {
	const rounding = 1e-8
	x := mat.NewDense(12, 1, []float64{-3, -2, -1, -0.5, 0.5, 1, 2, 3, -2.5, 2.5, 0, -1.5})
	y := []float64{9, 4, 1, 0.2, 0.3, 1, 4, 9, 6.4, 6, 0.1, 2}
	at := mat.NewDense(3, 1, []float64{-2.2, 0, 7})
	for _, m := range []Method{Full, CrossValidation, Split} {
		fitted := &Regressor{Method: m, Folds: 4}
		require.NoError(t, fitted.Fit(t.Context(), x, y))
		read := &Regressor{}
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Regressor-"+m.String()+"-v1.keln", fitted.MarshalBinary)))
		low, high, err := fitted.PredictInterval(at, 0.7)
		require.NoError(t, err)
		gotLow, gotHigh, err := read.PredictInterval(at, 0.7)
		require.NoError(t, err)
		assert.InDeltaSlice(t, low, gotLow, rounding)
		assert.InDeltaSlice(t, high, gotHigh, rounding)
		assert.Equal(t, m, read.ChosenMethod())
	}
	labels := []int{1, 1, 2, 2, 2, 5, 5, 5, 1, 5, 2, 1}
	for _, m := range []Method{Full, CrossValidation, Split} {
		fitted := &Classifier{Method: m, Folds: 3, Score: Adaptive, Seed: 4}
		require.NoError(t, fitted.Fit(t.Context(), x, labels))
		read := &Classifier{}
		require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Classifier-"+m.String()+"-v1.keln", fitted.MarshalBinary)))
		want, err := fitted.PredictSet(at, 0.6)
		require.NoError(t, err)
		got, err := read.PredictSet(at, 0.6)
		require.NoError(t, err)
		assert.Equal(t, want, got)
		assert.Equal(t, []int{1, 2, 5}, read.Classes())
	}
}
