package preprocessed

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/ridge"
)

// Rows are prepared before they reach the machine, and its errors are explained.
func TestSmoother(t *testing.T) {
	ctx := context.Background()
	x, y := mat.NewDense(4, 1, []float64{1, 2, 3, 5}), mat.NewDense(4, 1, []float64{1, 3, 2, 5})
	line := &ridge.Regressor{Ridge: 1}
	require.NoError(t, line.Fit(ctx, x, []float64{1, 3, 2, 5}))
	machine, err := line.Smoother(ctx, x, y, nil)
	require.NoError(t, err)
	far := errors.New("far")
	s := &Smoother{Smoother: machine, Explain: func(err error) error {
		if err != nil {
			return errors.Join(far, err)
		}
		return nil
	}, Prepare: func(x mat.Matrix) (mat.Matrix, error) {
		if x == nil {
			return nil, far
		}
		out := &mat.Dense{}
		out.Scale(2, x)
		return out, nil
	}}
	at := mat.NewDense(1, 1, []float64{1.5})
	twice := mat.NewDense(1, 1, []float64{3})
	want, err := machine.Outputs(ctx, twice)
	require.NoError(t, err)
	got, err := s.Outputs(ctx, at)
	require.NoError(t, err)
	assert.True(t, mat.Equal(want, got))
	f, b, spread, err := machine.Influence(ctx, twice)
	require.NoError(t, err)
	gotF, gotB, gotSpread, err := s.Influence(ctx, at)
	require.NoError(t, err)
	assert.True(t, mat.Equal(f, gotF) && mat.Equal(b, gotB))
	assert.Equal(t, spread, gotSpread)
	for _, bad := range []mat.Matrix{nil, mat.NewDense(1, 2, nil)} {
		_, err = s.Outputs(ctx, bad)
		assert.ErrorIs(t, err, far)
		_, _, _, err = s.Influence(ctx, bad)
		assert.ErrorIs(t, err, far)
	}
}
