package selection

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/golden"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/search"
)

func TestReplayReferenceSections(t *testing.T) {
	var first []struct {
		trace
		Data, Kernel, Algo string
		AB                 [2]float64
	}
	golden.Load(t, "search_traces.json", &first)
	var second []struct {
		Data, Kernel string
		Split        int
		Golden       trace
	}
	golden.Load(t, "search_traces_rms.json", &second)

	run := func(name string, tr trace, want float64, ends [2]float64) {
		t.Run(name, func(t *testing.T) {
			s := section{low: defaultBandLow, high: defaultBandHigh, limit: defaultMaxEvaluations, eval: replay(t, tr, false)}
			status, err := s.find(ends[0], ends[1])
			require.NoError(t, err)
			recorded, _, _ := strings.Cut(tr.Status, ":") // which side is for the reader
			assert.EqualValues(t, recorded, status)
			chosen := s.known[s.nearest()]
			assert.InEpsilon(t, tr.Param, chosen.param, 1e-12)
			assert.InEpsilon(t, want, chosen.entropy, 1e-12)
			require.Len(t, s.known, tr.Evals)
			for i, p := range tr.Trace {
				assert.InEpsilon(t, p[0], s.known[i].param, 1e-12, "in this order")
			}
		})
	}
	n := 0
	for _, e := range first {
		if e.Algo == "paper_golden" {
			run(fmt.Sprint(e.Data, e.Kernel), e.trace, e.VNE, e.AB)
			n++
		}
	}
	for _, e := range second {
		ends := [2]float64{defaultSectionLow, defaultSectionHigh}
		if e.Kernel == "poly" {
			ends[1] = defaultSectionHighDegree
		}
		run(fmt.Sprint(e.Data, e.Kernel, e.Split), e.Golden, e.Golden.E, ends)
		n++
	}
	assert.Equal(t, 55, n)
}

// stairs is an entropy that is known at some parameters and that of the nearest lower
// one elsewhere.
func stairs(levels map[float64]float64) func(float64) (float64, error) {
	return func(p float64) (float64, error) {
		at, e := math.Inf(-1), 0.0
		for from, level := range levels {
			if from <= p && from > at {
				at, e = from, level
			}
		}
		return e, nil
	}
}

func TestSectionStatuses(t *testing.T) {
	// Of [0, 10], c = 3.82 and d = 6.18.
	for name, c := range map[string]struct {
		levels  map[float64]float64
		integer bool
		limit   int
		status  search.Status
		param   float64
		seen    int
	}{
		"the low end":          {map[float64]float64{0: .4}, false, 40, search.StatusOK, 0, 1},
		"the high end":         {map[float64]float64{0: .1, 9: .4}, false, 40, search.StatusOK, 10, 2},
		"both below":           {map[float64]float64{0: .1, 9: .2}, false, 40, search.StatusUnbracketed, 10, 2},
		"both above":           {map[float64]float64{0: .6, 9: .7}, false, 40, search.StatusUnbracketed, 0, 2},
		"falling":              {map[float64]float64{0: .6, 9: .25}, false, 40, search.StatusNonMonotone, 10, 2},
		"c first":              {map[float64]float64{0: .1, 3: .4, 6: .5, 9: .7}, false, 40, search.StatusOK, 3.8196601125010510, 3},
		"falling within":       {map[float64]float64{0: .1, 3: .7, 6: .2, 9: .8}, false, 40, search.StatusNonMonotone, 6.18033988749895, 4},
		"the farther goes":     {map[float64]float64{0: .1, 3: .25, 5.5: .6, 9: .8, 2: .4}, false, 40, search.StatusOK, 2.360679774997897, 5},
		"in doubt the higher":  {map[float64]float64{0: .125, 2: .125, 5.5: .75, 7: .4, 9: .75}, false, 40, search.StatusOK, 7.639320225002103, 6},
		"a jump":               {map[float64]float64{0: .1, 4.5: .8}, false, 1 << 20, search.StatusUnconverged, 0, -1},
		"a jump, few allowed":  {map[float64]float64{0: .1, 4.5: .8}, false, 5, search.StatusUnconverged, 0, 5},
		"a jump, whole number": {map[float64]float64{0: .1, 5: .6}, true, 40, search.StatusAtomic, 10, -1},
	} {
		band := section{low: .3, high: .5, integer: c.integer, limit: c.limit, eval: stairs(c.levels)}
		if name == "in doubt the higher" {
			band.low, band.high = .25, .625 // so that both distances are .125 exactly
		}
		status, err := band.find(0, 10)
		require.NoError(t, err, name)
		assert.Equal(t, c.status, status, name)
		assert.LessOrEqual(t, len(band.known), c.limit, name)
		if c.seen >= 0 {
			assert.Len(t, band.known, c.seen, name)
		}
		if c.status == search.StatusOK {
			assert.InDelta(t, c.param, band.known[len(band.known)-1].param, 1e-12, name)
			assert.Equal(t, len(band.known)-1, band.nearest(), name)
		}
		if name != "a jump, few allowed" {
			assert.InDelta(t, c.param, band.known[band.nearest()].param, 1e-12, name)
		}
	}
	bad := errors.New("bad")
	_, err := (&section{limit: 2, eval: func(float64) (float64, error) { return 0, bad }}).find(1, 2)
	assert.ErrorIs(t, err, bad)
}

func TestGoldenSection(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	c := counting{fits: new(atomic.Int64)}
	seen := 0
	strategy := &GoldenSection{Lo: 1e-3, Hi: 1e3}
	r := Regressor{Space: Over(c.regressor, c), Search: strategy, Observe: func(row search.TraceRow) {
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
		assert.Equal(t, i == len(res.Trace)-1, s.Entropy >= defaultBandLow && s.Entropy <= defaultBandHigh)
	}
	assert.Equal(t, "in the band: chosen", res.Trace[len(res.Trace)-1].Decision())
	assert.Equal(t, res.Trace[len(res.Trace)-1].Param, res.Param)

	data, err := json.Marshal(res)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"strategy":"golden section"`)
	assert.Contains(t, string(data), `"target":null`)
	saved, err := r.MarshalBinary()
	require.NoError(t, err)
	again := Regressor{Space: Over(c.regressor, c)}
	require.NoError(t, again.UnmarshalBinary(saved))
	assert.Equal(t, res.Param, again.Result().Param)

	xc, yc := classesOf(60, 2)
	k := Classifier{Search: strategy}
	require.NoError(t, k.Fit(ctx, xc, yc))
	assert.Equal(t, search.StatusOK, k.Result().Status)
}

func TestGoldenSectionWarns(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	r := Regressor{Search: &GoldenSection{Lo: 1e-6, Hi: 1e-5}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, search.StatusUnbracketed, r.Result().Status)
	assert.Equal(t, 1e-5, r.Result().Param)
	assert.Contains(t, r.Report().Warnings[0], "no entropy in [0.3, 0.5] was found: the entropies at 1e-06 and 1e-05 lie on one side of it; the nearest, 0.0")

	// Whole degrees are looked at, each once.
	p := Regressor{Space: over(kernels.PolynomialFamily{}), Search: &GoldenSection{BandLow: 0.45, BandHigh: 0.4500001}}
	require.NoError(t, p.Fit(ctx, x, y))
	assert.Equal(t, search.StatusAtomic, p.Result().Status)
	degrees := map[float64]bool{}
	for _, row := range p.Result().Trace {
		assert.Equal(t, math.Round(row.Param), row.Param)
		degrees[row.Param] = true
	}
	assert.Len(t, degrees, p.Result().Evaluations)

	same := mat.NewDense(5, 2, nil)
	err := (&Regressor{Search: &GoldenSection{}}).Fit(ctx, same, make([]float64, 5))
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "the entropy is 0 at every parameter")
}

func TestGoldenSectionDefaults(t *testing.T) {
	x, y := problemOf(40, 2, 0.2, 1)
	for _, c := range []struct {
		family kernels.Family
		high   float64
	}{{kernels.RBFFamily{}, defaultSectionHigh}, {kernels.PolynomialFamily{}, defaultSectionHighDegree}} {
		zero := Regressor{Space: over(c.family), Search: &GoldenSection{}}
		spelt := Regressor{
			Space: over(c.family),
			Search: &GoldenSection{BandLow: defaultBandLow, BandHigh: defaultBandHigh, Lo: defaultSectionLow, Hi: c.high,
				MaxEvaluations: defaultMaxEvaluations},
			MaxKernelBytes: kernels.MaxKernelBytes,
		}
		require.NoError(t, zero.Fit(ctx, x, y))
		require.NoError(t, spelt.Fit(ctx, x, y))
		assert.Equal(t, zero.Result().Param, spelt.Result().Param)
		assert.Equal(t, zero.Result().Evaluations, spelt.Result().Evaluations)
	}
	for text, g := range map[string]*GoldenSection{
		"BandLow, BandHigh = 0.6, 0.5": {BandLow: 0.6},
		"BandLow, BandHigh = 0.3, 1,":  {BandHigh: 1},
		"Lo, Hi = 40, 33":              {Lo: 40},
		"Lo, Hi = -1, 33":              {Lo: -1},
		"MaxEvaluations = 1":           {MaxEvaluations: 1},
	} {
		err := (&Regressor{Search: g}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam, text)
		assert.ErrorContains(t, err, text)
	}
	assert.ErrorIs(t, (&Regressor{Search: &GoldenSection{}, MaxKernelBytes: 100}).Fit(ctx, x, y), estimators.ErrTooLarge)
}

func TestGoldenSectionBudgetAndCancel(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	for seconds := 1; seconds <= 3; seconds++ {
		clock := &ticker{}
		g := &GoldenSection{Lo: 1e-3, Hi: 1e3, BandLow: 0.4, BandHigh: 0.40001}
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
	r := Regressor{Space: Over(func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} })}
	r.Search, r.Observe = &GoldenSection{Lo: 1e-3, Hi: 1e3}, func(row search.TraceRow) {
		if row.Step == nil {
			cancel()
		}
	}
	require.ErrorIs(t, r.Fit(c, x, y), context.Canceled)
	assert.Nil(t, r.Result())
}
