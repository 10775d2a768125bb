package selection

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

func TestGoldenSection(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	c := counting{fits: new(atomic.Int64)}
	seen := 0
	strategy := &entropy.GoldenSection{Lo: 1e-3, Hi: 1e3}
	r := Regressor{Space: Kernels(c.regressor, c), Search: strategy, Observe: func(row search.TraceRow) {
		if row.Step == nil {
			seen++
		}
	}}
	require.NoError(t, r.Fit(ctx, x, y))
	res := r.Result()
	assert.Equal(t, search.StatusOK, res.Status)
	assert.EqualValues(t, 1, c.fits.Load())
	assert.Equal(t, []int{1, seen, seen, seen}, []int{res.Fits, len(res.Trace), res.Evaluations, res.KernelMatrices})
	assert.True(t, math.IsNaN(res.Score) && math.IsNaN(res.Target) && math.IsNaN(res.Ridge))
	assert.Empty(t, res.Warnings)
	for i, row := range res.Trace {
		k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: row.Param}, x, nil)
		require.NoError(t, err)
		s, err := measures.Entropy(ctx, k)
		require.NoError(t, err)
		assert.Equal(t, s.Entropy, row.Entropy)
		assert.Equal(t, i+1, row.Iteration)
		assert.Equal(t, i == len(res.Trace)-1, s.Entropy >= .3 && s.Entropy <= .5)
	}
	assert.Equal(t, "in the band: chosen", res.Trace[len(res.Trace)-1].Decision())
	assert.Equal(t, res.Trace[len(res.Trace)-1].Param, res.Param)

	data, err := json.Marshal(res)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"strategy":"golden section"`)
	assert.Contains(t, string(data), `"target":null`)
	saved, err := r.MarshalBinary()
	require.NoError(t, err)
	again := Regressor{Space: Kernels(c.regressor, c)}
	require.NoError(t, again.UnmarshalBinary(saved))
	assert.Equal(t, res.Param, again.Result().Param)

	xc, yc := classesOf(60, 2)
	k := Classifier{Search: strategy}
	require.NoError(t, k.Fit(ctx, xc, yc))
	assert.Equal(t, search.StatusOK, k.Result().Status)
}

func TestGoldenSectionWarns(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	r := Regressor{Search: &entropy.GoldenSection{Lo: 1e-6, Hi: 1e-5}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, search.StatusUnbracketed, r.Result().Status)
	assert.Equal(t, 1e-5, r.Result().Param)
	assert.Contains(t, r.Report().Warnings[0], "no entropy in [0.3, 0.5] was found: the entropies at 1e-06 and 1e-05 lie on one side of it; the nearest, 0.0")

	// Only integer degrees are computed, and each only once.
	p := Regressor{Space: over(families.Polynomial{}), Search: &entropy.GoldenSection{BandLow: 0.45, BandHigh: 0.4500001}}
	require.NoError(t, p.Fit(ctx, x, y))
	assert.Equal(t, search.StatusAtomic, p.Result().Status)
	degrees := map[float64]bool{}
	for _, row := range p.Result().Trace {
		assert.Equal(t, math.Round(row.Param), row.Param)
		degrees[row.Param] = true
	}
	assert.Len(t, degrees, p.Result().Evaluations)

	same := mat.NewDense(5, 2, nil)
	err := (&Regressor{Search: &entropy.GoldenSection{}}).Fit(ctx, same, make([]float64, 5))
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "the entropy is 0 at every parameter")
}

func TestGoldenSectionDefaults(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	for _, c := range []struct {
		family families.Family
		high   float64
	}{{families.RBF{}, 33}, {families.Polynomial{}, 80}} {
		zero := Regressor{Space: over(c.family), Search: &entropy.GoldenSection{}}
		spelt := Regressor{
			Space: over(c.family),
			Search: &entropy.GoldenSection{BandLow: .3, BandHigh: .5, Lo: 1, Hi: c.high,
				MaxEvaluations: 40},
			MaxKernelBytes: kernels.MaxKernelBytes,
		}
		require.NoError(t, zero.Fit(ctx, x, y))
		require.NoError(t, spelt.Fit(ctx, x, y))
		assert.Equal(t, zero.Result().Param, spelt.Result().Param)
		assert.Equal(t, zero.Result().Evaluations, spelt.Result().Evaluations)
	}
	for text, g := range map[string]*entropy.GoldenSection{
		"BandLow, BandHigh = 0.6, 0.5": {BandLow: 0.6},
		"BandHigh = 1, want in (0, 1)": {BandHigh: 1},
		"Lo, Hi = 40, 33":              {Lo: 40},
		"Lo = -1, want finite and > 0": {Lo: -1},
		"MaxEvaluations = 1":           {MaxEvaluations: 1},
	} {
		err := (&Regressor{Search: g}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam, text)
		assert.ErrorContains(t, err, text)
	}
	assert.ErrorIs(t, (&Regressor{Search: &entropy.GoldenSection{}, MaxKernelBytes: 100}).Fit(ctx, x, y), estimators.ErrTooLarge)
}

func TestGoldenSectionBudgetAndCancel(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	for seconds := 1; seconds <= 3; seconds++ {
		clock := &ticker{}
		g := &entropy.GoldenSection{Lo: 1e-3, Hi: 1e3, BandLow: 0.4, BandHigh: 0.40001}
		r := Regressor{Search: g, Budget: time.Duration(seconds) * time.Second, Observe: clock.tick, now: clock.now}
		require.NoError(t, r.Fit(ctx, x, y))
		res := r.Result()
		assert.Equal(t, search.StatusBudget, res.Status)
		require.Len(t, res.Trace, seconds, "one entropy a second")
		for _, row := range res.Trace {
			assert.GreaterOrEqual(t, math.Abs(row.Entropy-0.4), math.Abs(res.Entropy-0.4)-1e-5)
		}
		assert.Contains(t, res.Warnings[0], fmt.Sprintf("the budget of %ds ended the search", seconds))
	}
	c, cancel := context.WithCancel(ctx)
	r := Regressor{Space: Kernels(func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} })}
	r.Search, r.Observe = &entropy.GoldenSection{Lo: 1e-3, Hi: 1e3}, func(row search.TraceRow) {
		if row.Step == nil {
			cancel()
		}
	}
	require.ErrorIs(t, r.Fit(c, x, y), context.Canceled)
	assert.Nil(t, r.Result())
}
