package entropy

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
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
			recorded, _, _ := strings.Cut(tr.Status, ":") // the text after the colon is for readers
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

// stairs returns a step function of entropies at the given parameters.
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
	// For [0, 10], c = 3.82 and d = 6.18.
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
			band.low, band.high = .25, .625 // so that both distances are exactly 0.125
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
