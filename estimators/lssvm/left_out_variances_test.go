package lssvm

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

// noisyWave returns rows and targets of a noisy wave. Two of the rows are equal.
func noisyWave(n int) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(4, 9))
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		a, b := rng.Float64(), rng.Float64()
		x.SetRow(i, []float64{a, b})
		y[i] = math.Sin(6*a) + b + .1*rng.NormFloat64()
	}
	return x, y
}

// The variance without a row equals the variance of the model fitted to the other rows, except for the scale, which is estimated
// from all rows.
func TestLeaveOneOutVariances(t *testing.T) {
	x, y := noisyWave(25)
	for _, weights := range [][]float64{nil, {1: 3, 24: 2}} {
		for i := range weights {
			weights[i] = max(weights[i], 1)
		}
		fit := func(x *mat.Dense, y, w []float64) *Regressor {
			r := &Regressor{Kernel: kernels.RBF{Gamma: 3}, Ridge: .05}
			if w == nil {
				require.NoError(t, r.Fit(t.Context(), x, y))
			} else {
				require.NoError(t, r.FitWeighted(t.Context(), x, y, w))
			}
			return r
		}
		all := fit(x, y, weights)
		got, err := all.LeaveOneOutVariances(t.Context())
		require.NoError(t, err)
		scale := func(r *Regressor) float64 {
			left, err := r.m.leaveOneOut(t.Context())
			require.NoError(t, err)
			return left.scales[0]
		}
		for i := range y {
			var rest []int
			for j := range y {
				if j != i {
					rest = append(rest, j)
				}
			}
			var w []float64
			if weights != nil {
				w = linalg.Pick(weights, rest)
			}
			without := fit(linalg.Rows(x, rest), linalg.Pick(y, rest), w)
			_, v, err := without.PredictVariance(x.Slice(i, i+1, 0, 2))
			require.NoError(t, err)
			want := v[0] / scale(without) * scale(all)
			if weights != nil { // the noise in want depends on the mean weight of the other rows
				want += scale(all) * (all.m.noise() - without.m.noise())
			}
			assert.InEpsilon(t, want, got[i], 1e-8, "row %d", i)
		}
	}

	twice := mat.NewDense(26, 2, append(append([]float64(nil), x.RawMatrix().Data...), x.RawRowView(3)...))
	r := &Regressor{Kernel: kernels.RBF{Gamma: 3}, Ridge: .05}
	require.NoError(t, r.Fit(t.Context(), twice, append(append([]float64(nil), y...), y[3])))
	got, err := r.LeaveOneOutVariances(t.Context())
	require.NoError(t, err)
	require.Len(t, got, 26)
	assert.Equal(t, got[3], got[25])

	_, err = (&Regressor{}).LeaveOneOutVariances(t.Context())
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	r.Groups = make([]int, 26)
	for i := range r.Groups {
		r.Groups[i] = i / 2
	}
	require.NoError(t, r.Fit(t.Context(), twice, append(append([]float64(nil), y...), y[3])))
	_, err = r.LeaveOneOutVariances(t.Context())
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}

// The leave-one-out probabilities of a row follow from the scores of the machine without the row, and from the link fitted to all
// rows.
func TestLeaveOneOutProba(t *testing.T) {
	x, values := noisyWave(30)
	labels := make([]int, len(values))
	for i, v := range values {
		labels[i] = 5
		if v > .4 {
			labels[i] = 8
		}
		if v > 1 {
			labels[i] = 9
		}
	}
	c := &Classifier{Kernel: kernels.RBF{Gamma: 3}, Ridge: .1}
	_, err := c.LeaveOneOutProba()
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	require.NoError(t, c.Fit(t.Context(), x, labels))
	got, err := c.LeaveOneOutProba()
	require.NoError(t, err)
	for i := range labels {
		var rest []int
		for j := range labels {
			if j != i {
				rest = append(rest, j)
			}
		}
		without := &Classifier{Kernel: kernels.RBF{Gamma: 3}, Ridge: .1}
		require.NoError(t, without.Fit(t.Context(), linalg.Rows(x, rest), linalg.Pick(labels, rest)))
		scores, err := without.Decision(x.Slice(i, i+1, 0, 2))
		require.NoError(t, err)
		c.link.Apply(scores)
		assert.InDeltaSlice(t, mat.Row(nil, 0, scores), mat.Row(nil, i, got), 1e-8, "row %d", i)
	}
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, c.UnmarshalBinary(data))
	_, err = c.LeaveOneOutProba()
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
}

// A model read from a file has the same variances as the model that was written.
func TestLeaveOneOutVariancesOfFiles(t *testing.T) {
	x, y := sinc(40, 0.1, 3)
	r := &Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	want, err := r.LeaveOneOutVariances(ctx)
	require.NoError(t, err)
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := &Regressor{}
	require.NoError(t, read.UnmarshalBinary(data))
	got, err := read.LeaveOneOutVariances(ctx)
	require.NoError(t, err)
	for i, v := range want {
		assert.InEpsilon(t, v, got[i], 1e-6)
	}
}
