package entropy

import (
	"errors"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/selection/search"
)

type trace struct {
	Param  float64
	VNE, E float64
	Evals  int
	Status string
	Trace  [][2]float64
}

// replay returns a function that looks up entropies in a recorded search. It fails for a point that was not recorded.
func replay(_ *testing.T, tr trace, _ bool) func(float64) (float64, error) {
	return func(param float64) (float64, error) {
		for _, p := range tr.Trace {
			if math.Abs(p[0]-param) <= 1e-6*param {
				return p[1], nil
			}
		}
		return 0, fmt.Errorf("asked for %v, recorded %v", param, tr.Trace)
	}
}

func TestReplayReferenceTraces(t *testing.T) {
	var first []struct {
		trace
		Data, Kernel, Algo string
		Target, Tol, X0    float64
	}
	golden.Load(t, "search_traces.json", &first)
	var second []struct {
		Data, Kernel string
		Split        int
		X0           float64
		Root         trace
	}
	golden.Load(t, "search_traces_rms.json", &second)

	run := func(name, kernel string, tr trace, want, x0, target, tol float64) {
		t.Run(name, func(t *testing.T) {
			integer := kernel == "poly"
			r := rootFinder{integer: integer, lo: 1e-12, hi: 1e12, tolerance: tol, limit: 40, eval: replay(t, tr, integer)}
			if integer {
				r.lo = 1
			}
			p, status, err := r.find(x0, target)
			require.NoError(t, err)
			assert.EqualValues(t, tr.Status, status)
			assert.InEpsilon(t, tr.Param, p.param, 1e-6)
			assert.InEpsilon(t, want, p.entropy, 1e-9)
			assert.Equal(t, tr.Evals, len(r.known))
		})
	}
	n := 0
	for _, e := range first {
		if e.Algo == "rootlog" {
			run(fmt.Sprint(e.Data, e.Kernel, e.Target), e.Kernel, e.trace, e.VNE, e.X0, e.Target, e.Tol)
			n++
		}
	}
	for _, e := range second {
		run(fmt.Sprint(e.Data, e.Kernel, e.Split), e.Kernel, e.Root, e.Root.E, e.X0, 0.4, 0.02)
		n++
	}
	assert.Equal(t, 70, n)
}

func logistic(centre, top float64) func(float64) (float64, error) {
	return func(p float64) (float64, error) { return top / (1 + math.Exp(-(math.Log(p)-centre)/2)), nil }
}

func TestFindFromAnywhere(t *testing.T) {
	for _, centre := range []float64{-20, -3, 0, 5, 20} {
		for _, start := range []float64{1e-6, 1, 1e6} {
			for _, target := range []float64{0.1, 0.25, 0.5, 0.9} {
				for _, several := range []bool{false, true} {
					r := rootFinder{several: several, lo: 1e-12, hi: 1e12, tolerance: 0.02, limit: 40, eval: logistic(centre, 1)}
					p, status, err := r.find(start, target)
					require.NoError(t, err)
					assert.Equal(t, search.StatusOK, status)
					assert.InDelta(t, target, p.entropy, 0.02)
				}
			}
		}
	}
}

// With several targets, each takes about two entropies. The steps assume curves that are linear in log odds, but also work for
// curves that are not.
func TestSeveralTargets(t *testing.T) {
	for name, f := range map[string]func(u float64) float64{
		"even":   func(u float64) float64 { return 1 / (1 + math.Exp(-u)) },
		"steep":  func(u float64) float64 { return 1 / (1 + math.Exp(-2.5*u)) },
		"bent":   func(u float64) float64 { return 1 - math.Exp(-math.Exp(u)) },
		"capped": func(u float64) float64 { return .95 / (1 + math.Exp(-1.5*u-.2*math.Sin(u))) },
	} {
		r := rootFinder{several: true, lo: 1e-12, hi: 1e12, limit: 40, eval: func(p float64) (float64, error) { return f(math.Log(p)), nil }}
		for _, target := range []float64{.2, .3, .1, .05, .005, .4, .5} {
			r.tolerance = (&Search{Tolerance: .02}).tolerance(target)
			p, status, err := r.find(5, target)
			require.NoError(t, err)
			assert.Equal(t, search.StatusOK, status, "%s, %v", name, target)
			assert.InDelta(t, target, p.entropy, r.tolerance, name)
		}
		assert.LessOrEqual(t, len(r.known), 15, name)
	}
}

func TestStatuses(t *testing.T) {
	find := func(r rootFinder, target float64) (point, search.Status) {
		r.lo, r.hi, r.tolerance, r.limit = 1e-3, 1e3, 0.01, 40
		p, s, err := r.find(1, target)
		require.NoError(t, err)
		return p, s
	}
	step := func(p float64) (float64, error) {
		if p < 2.5 {
			return 0.1, nil
		}
		return 0.9, nil
	}
	for _, several := range []bool{false, true} {
		p, s := find(rootFinder{several: several, eval: logistic(0, 0.3)}, 0.5)
		assert.Equal(t, search.StatusCeiling, s)
		assert.InEpsilon(t, 1e3, p.param, 1e-12)
		p, s = find(rootFinder{several: several, eval: func(float64) (float64, error) { return 0.6, nil }}, 0.5)
		assert.Equal(t, search.StatusFloor, s)
		assert.InEpsilon(t, 1e-3, p.param, 1e-12)
		_, s = find(rootFinder{several: several, eval: func(p float64) (float64, error) { return 0.2 + 0.1*math.Abs(math.Log(p)), nil }}, 0.15)
		assert.Equal(t, search.StatusNonMonotone, s)
		p, s = find(rootFinder{several: several, integer: true, eval: step}, 0.4)
		assert.Equal(t, search.StatusAtomic, s)
		assert.Equal(t, 2.0, p.param)
		_, s = find(rootFinder{several: several, eval: step}, 0.4)
		assert.Equal(t, search.StatusUnconverged, s)
	}
	bad := errors.New("bad")
	_, _, err := (&rootFinder{lo: 1, hi: 2, eval: func(float64) (float64, error) { return 0, bad }}).find(1, 0.5)
	assert.ErrorIs(t, err, bad)
}

// The search for a second target starts from the points of the first.
func TestKnownPointsAreUsed(t *testing.T) {
	calls := 0
	f := logistic(0, 1)
	r := rootFinder{lo: 1e-12, hi: 1e12, tolerance: 0.02, limit: 40, eval: func(p float64) (float64, error) { calls++; return f(p) }}
	for _, target := range []float64{0.3, 0.2, 0.4, 0.1, 0.5} {
		p, s, err := r.find(1, target)
		require.NoError(t, err)
		assert.Equal(t, search.StatusOK, s)
		assert.InDelta(t, target, p.entropy, 0.02)
	}
	assert.Equal(t, len(r.known), calls)
	assert.LessOrEqual(t, calls, 10)
	_, _, err := r.find(1, 0.3)
	require.NoError(t, err)
	assert.Equal(t, len(r.known), calls, "a known entropy is not computed again")
}
