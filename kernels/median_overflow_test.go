package kernels_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// If squared distances overflow, MedianRBF returns an error instead of γ = 1/d.
func TestMedianThatOverflows(t *testing.T) {
	rows := func(scale float64) *mat.Dense { return mat.NewDense(4, 1, []float64{0, scale, 2 * scale, 4 * scale}) }
	k, err := kernels.MedianRBF(context.Background(), rows(1e150), 0)
	require.NoError(t, err)
	assert.InEpsilon(t, 1/(4e300), k.Gamma, 1e-12) // the median of the squares of 1, 1, 2, 2, 3 and 4
	_, err = kernels.MedianRBF(context.Background(), rows(1e160), 0)
	require.ErrorIs(t, err, fault.ErrNotFinite)
	assert.ErrorContains(t, err, "squared distances of its rows overflow")
}
