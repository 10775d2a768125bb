package svm

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// A weight of 2, the row given twice, and twice the C lead to the same machine, with rows and with kernel matrices. SupportIndices
// contains the first occurrences of equal rows.
func TestEqualRowsShareABound(t *testing.T) {
	x, y := sinc(40, .2, 3)
	twice := mat.NewDense(80, 1, nil)
	twice.Stack(x, x)
	k := kernels.RBF{Gamma: 2}
	fitted := func(fit func(r *Regressor) error, c float64) *Regressor {
		r := &Regressor{Kernel: k, C: c, Epsilon: .05, Tolerance: 1e-9}
		require.NoError(t, fit(r))
		return r
	}
	gram, err := kernels.Matrix(ctx, k, twice, nil)
	require.NoError(t, err)
	want := fitted(func(r *Regressor) error { return r.Fit(ctx, x, y) }, 2)
	for name, r := range map[string]*Regressor{
		"weights":       fitted(func(r *Regressor) error { return r.FitWeighted(ctx, x, y, slices.Repeat([]float64{2}, 40)) }, 1),
		"rows":          fitted(func(r *Regressor) error { return r.Fit(ctx, twice, slices.Concat(y, y)) }, 1),
		"kernel matrix": fitted(func(r *Regressor) error { return r.FitMatrix(ctx, gram, slices.Concat(y, y)) }, 1),
	} {
		assert.Equal(t, want.SupportIndices(), r.SupportIndices(), name)
		assert.InDeltaSlice(t, want.Coefficients(), r.Coefficients(), 1e-6, name)
		assert.InDelta(t, want.Intercept(), r.Intercept(), 1e-6, name)
	}
}

// Groups are checked before rows are merged. The rows of a group stay together when C is chosen, and in the folds.
func TestGroups(t *testing.T) {
	x, y := sinc(40, .2, 3)
	for _, c := range []struct {
		groups []int
		says   string
	}{{[]int{1, 2}, "Groups has 2 entries, x has 80 rows"}, {make([]int, 80), "Groups has 1 different groups"}} {
		twice := mat.NewDense(80, 1, nil)
		twice.Stack(x, x)
		err := (&Regressor{Groups: c.groups}).Fit(ctx, twice, slices.Concat(y, y))
		require.ErrorIs(t, err, fault.ErrShape)
		assert.ErrorContains(t, err, c.says)
	}

	// The rows of a group are nearly equal and share an error. Therefore the other rows of a group predict the target of a single
	// left-out row.
	rng := rand.New(rand.NewPCG(1, 2))
	rows, targets, labels, groups := mat.NewDense(120, 1, nil), make([]float64, 120), make([]int, 120), make([]int, 120)
	for g := range 30 {
		at, shared := 6*rng.Float64(), rng.NormFloat64()
		for i := 4 * g; i < 4*g+4; i++ {
			rows.Set(i, 0, at+1e-3*rng.NormFloat64())
			groups[i], targets[i] = -g, shared
			if shared > 0 {
				labels[i] = 1
			}
		}
	}
	k := kernels.RBF{Gamma: 50}
	single, whole := &Regressor{Kernel: k}, &Regressor{Kernel: k, Groups: groups}
	require.NoError(t, single.Fit(ctx, rows, targets))
	require.NoError(t, whole.Fit(ctx, rows, targets))
	assert.Greater(t, whole.ChosenEpsilon(), 2*single.ChosenEpsilon())

	leaves, keeps := &Classifier{Kernel: k, C: 10, Probabilities: true}, &Classifier{Kernel: k, C: 10, Probabilities: true, Groups: groups}
	require.NoError(t, leaves.Fit(ctx, rows, labels))
	require.NoError(t, keeps.Fit(ctx, rows, labels))
	sure := func(c *Classifier) (out float64) {
		p, err := c.PredictProba(rows)
		require.NoError(t, err)
		for i := range labels {
			out += max(p.At(i, 0), p.At(i, 1)) / 120
		}
		return out
	}
	assert.Greater(t, sure(leaves), .9)
	assert.Less(t, sure(keeps), .75)
}
