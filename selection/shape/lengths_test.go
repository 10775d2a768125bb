package shape_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/shape"
)

// relevant returns rows with three columns and their targets. The first column matters most, and the last is irrelevant.
func relevant(n int) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(6, 1))
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range y {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b, c})
		y[i] = math.Sin(3*a) + .5*b + .05*rng.NormFloat64()
	}
	return x, y
}

func fitted(t *testing.T, s *shape.Search, family families.Family, x *mat.Dense, y []float64) *selection.Regressor {
	t.Helper()
	r := &selection.Regressor{Search: s, Space: selection.Kernels[estimators.Regressor](nil, family)}
	require.NoError(t, r.Fit(context.Background(), x, y))
	return r
}

// A climb from the lengths of another kernel reaches the same maximum as a search without them, with fewer matrices. The unit of
// these lengths does not matter.
func TestLengthsOfAnotherKernel(t *testing.T) {
	x, y := relevant(120)
	first := fitted(t, &shape.Search{}, families.Matern{Nu: 2.5}, x, y).Result()
	own := fitted(t, &shape.Search{}, families.Laplacian{}, x, y).Result()
	lengths := first.Lengths
	for range 2 {
		from := fitted(t, &shape.Search{Lengths: lengths}, families.Laplacian{}, x, y).Result()
		assert.InDelta(t, own.Score, from.Score, .5, "of a log evidence of 120 rows")
		assert.Less(t, from.KernelMatrices, own.KernelMatrices)
		// For a rough kernel, longer lengths with a larger variance are almost equivalent. For the last column, any long length is
		// suitable.
		assert.InEpsilon(t, own.Lengths[1]/own.Lengths[0], from.Lengths[1]/from.Lengths[0], .3)
		assert.Greater(t, from.Lengths[2], 4*from.Lengths[0])
		lengths = []float64{lengths[0] / 3, lengths[1] / 3, lengths[2] / 3}
	}

	// For columns that share a length, the initial length is the geometric mean of their lengths.
	shared := fitted(t, &shape.Search{Lengths: first.Lengths, Groups: []int{0, 1, 1}}, families.Laplacian{}, x, y).Result()
	assert.Equal(t, shared.Lengths[1], shared.Lengths[2])
	for want, s := range map[string]*shape.Search{
		"Lengths = 2, want a length for each of 3 columns": {Lengths: []float64{1, 2}},
		"Lengths[1] = 0, want finite and > 0":              {Lengths: []float64{1, 0, 1}},
		"Lengths[2] = NaN":                                 {Lengths: []float64{1, 1, math.NaN()}},
	} {
		err := (&selection.Regressor{Search: s}).Fit(context.Background(), x, y)
		assert.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	// With constant targets, the fit succeeds without learning. For classes, lengths are learnt as for numeric targets.
	r := &selection.Regressor{Search: &shape.Search{Lengths: first.Lengths}}
	require.NoError(t, r.Fit(context.Background(), x, make([]float64, 120)))
	labels := make([]int, 120)
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	for _, o := range []shape.Objective{shape.LaplaceEvidence, shape.LeaveOneOutLogistic} {
		c := &selection.Classifier{Search: &shape.Search{Lengths: first.Lengths, Objective: o}}
		require.NoError(t, c.Fit(context.Background(), x, labels))
		assert.Greater(t, c.Result().Lengths[2], c.Result().Lengths[0])
	}
}

// If a climb ends at a bound, the result has a warning.
func TestBoundsThatAreTouched(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	x, y := mat.NewDense(40, 2, nil), make([]float64, 40)
	for i := range y {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		y[i] = x.At(i, 0) + x.At(i, 1) // there is no noise, so the smallest ridge fits best
	}
	s := &shape.Search{}
	r := &selection.Regressor{Search: s}
	require.NoError(t, r.Fit(t.Context(), x, y))
	require.NotEmpty(t, r.Result().Warnings)
	assert.Contains(t, r.Result().Warnings[0], "the ridge is the smallest that is tried, 1.5e-08")
	for i := range y {
		y[i] += rng.NormFloat64()
	}
	require.NoError(t, r.Fit(t.Context(), x, y))
	assert.Empty(t, r.Result().Warnings)
}
