package stacking_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/stacking"
)

// Model files of version 1 stay readable, and their predictions agree with those of a fit with the current code.
func TestGoldenFilesStayReadable(t *testing.T) {
	x, y := curvedRows(30, 1)
	machine := &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}, Ridge: .1}
	r := &stacking.Regressor{Models: []estimators.Regressor{machine, &ridge.Regressor{Ridge: 1}}}
	require.NoError(t, r.Fit(ctx, x, y))
	read := &stacking.Regressor{Models: r.Models}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "Regressor-v1.keln", r.MarshalBinary)))
	want, err := r.Predict(x)
	require.NoError(t, err)
	got, err := read.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-6)

	labels := make([]int, len(y))
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	c := &stacking.Classifier{Models: []estimators.Classifier{
		&lssvm.Classifier{Kernel: kernels.RBF{Gamma: 1}, Ridge: .1}, &lssvm.Classifier{Kernel: kernels.Linear{}, Ridge: 1},
	}}
	require.NoError(t, c.Fit(ctx, x, labels))
	other := &stacking.Classifier{Models: c.Models}
	require.NoError(t, other.UnmarshalBinary(golden.Model(t, "Classifier-v1.keln", c.MarshalBinary)))
	p, err := c.PredictProba(x)
	require.NoError(t, err)
	q, err := other.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(p, q, 1e-6))
}
