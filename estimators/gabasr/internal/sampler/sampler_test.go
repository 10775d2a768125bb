package sampler

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Each kept sweep uses the factor of a sweep in its own part of the chain. There are as many factors as the setting requires, and
// no factor comes from farther away than half a part.
func TestHolders(t *testing.T) {
	for kept := 1; kept <= 17; kept++ {
		for covariances := 1; covariances <= 20; covariances++ {
			s := stage{3 + kept, 3, 1}
			holders, of := map[int]bool{}, 0
			for at := range kept {
				h := s.holder(at, covariances)
				assert.Equal(t, h, s.holder(h, covariances), "one that has its own")
				assert.GreaterOrEqual(t, h, of, "in order")
				holders[h], of = true, h
				parts := min(kept, covariances)
				assert.LessOrEqual(t, max(h-at, at-h), (kept+parts-1)/parts/2)
			}
			assert.Len(t, holders, min(kept, covariances))
		}
	}
	assert.Zero(t, stage{0, 0, 1}.holder(0, 2), "the start alone")
}

// After sleep and wake, a chain has the same state as before, up to rounding.
func TestSleep(t *testing.T) {
	x, y, labels := problem(40, 3)
	own := make([]float64, 40)
	for i := range own {
		own[i] = .3 + float64(i%5)/2
	}
	for _, kind := range []features.Map{features.Stationary, features.Paired, features.AllPairs} {
		for _, e := range []Evidence{NormalEvidence, AugmentedEvidence, SurrogateEvidence} {
			rows := weights.NewCounts(own, 40)
			if e == AugmentedEvidence {
				rows = weights.NewCounts(nil, 40)
			}
			s := &starter{Settings: Settings{Pairs: 9, Map: kind, Prior: Prior{1e-4, 1e-3, 1e-3}, Workers: 1}, x: x, rows: rows, target: slices.Clone(y), unit: .6,
				rng: rand.New(rand.NewPCG(7, uint64(kind)))}
			if e == SurrogateEvidence {
				copy(s.target, labels)
			}
			rows.Apply(s.target)
			of, err := features.NewTrend(ctx, "test", x, rows, 1)
			require.NoError(t, err)
			s.trend = of.Columns(x)
			c, err := s.start(ctx)
			require.NoError(t, err)
			if e != NormalEvidence {
				require.NoError(t, c.become(e, labels))
			}
			for range 3 {
				require.NoError(t, c.sweep(ctx))
			}
			before, value := c.keep(), c.value()
			c.sleep()
			assert.Nil(t, c.sys.phi)
			require.NoError(t, c.wake(ctx))
			after := c.keep()
			assert.InEpsilon(t, value, c.value(), 1e-9, "%v, %d", kind, e)
			assert.InEpsilon(t, before.Rate, after.Rate, 1e-9)
			assert.Equal(t, before.Shape, after.Shape)
			assert.LessOrEqual(t, golden.MaxError(after.Coefficients, before.Coefficients), 1e-7)
			assert.LessOrEqual(t, golden.MaxError(after.Factor, before.Factor), 1e-9)
			require.NoError(t, c.sweep(ctx), "it continues")
		}
	}
}

// metropolis returns the error of a context that is already cancelled.
func TestCancelledProposals(t *testing.T) {
	within, cancel := context.WithCancel(ctx)
	cancel()
	c := start(t, features.Stationary, NormalEvidence, mat.NewDense(3, 1, []float64{1, 2, 4}), mat.NewDense(2, 1, []float64{1, 2}), nil, []float64{1, 2, 3}, 1, Prior{1, 1, 1})
	require.True(t, c.sys.factor())
	_, _, err := c.metropolis(within, c.w, mat.NewDense(2, 1, nil), make([]float64, 2))
	assert.ErrorIs(t, err, context.Canceled)
}

// A weight of 2 is equivalent to the row given twice: the scaling is the same, and with the same initial scale the chain takes the
// same steps.
func TestWeightsAreRows(t *testing.T) {
	x, y, labels := problem(60, 4)
	var own, repeatedY, repeatedLabels []float64
	var of []int
	for i := range y {
		w := 1 + i%4/2 + i%3/2
		own = append(own, float64(w))
		for range w {
			of, repeatedY, repeatedLabels = append(of, i), append(repeatedY, y[i]), append(repeatedLabels, labels[i])
		}
	}
	rows, plain := weights.NewCounts(own, 60), weights.NewCounts(nil, len(of))

	for _, kind := range []features.Map{features.Stationary, features.Paired, features.AllPairs} {
		for _, e := range []Evidence{NormalEvidence, SurrogateEvidence} {
			s, err := Settings{Pairs: 9, Map: kind, Evidence: e, Sweeps: 6, BurnIn: 2, Chains: 1, Seed: 3, Workers: 1, Variances: true}.WithDefaults()
			require.NoError(t, err)
			run := func(x *mat.Dense, rows weights.Counts, target, labels []float64) *Machine {
				counted := append([]float64(nil), target...)
				rows.Apply(counted)
				begin := &starter{Settings: s, x: x, rows: rows, target: counted, unit: 0.7}
				r, err := begin.run(ctx, Task{Target: counted, Labels: labels}, 0, 0, false, nil)
				require.NoError(t, err)
				require.NoError(t, r.runTo(ctx, 0))
				r.finish(0)
				return r.out
			}
			target, repeated := y, repeatedY
			if e == SurrogateEvidence {
				target, repeated = labels, repeatedLabels
			}
			want, got := run(linalg.Rows(x, of), plain, repeated, repeatedLabels), run(x, rows, target, labels)
			require.Len(t, got.Draws, len(want.Draws))
			for k, d := range want.Draws {
				assert.LessOrEqual(t, golden.MaxError(got.Draws[k].Coefficients, d.Coefficients), 1e-6, "%v, %d", kind, e)
				assert.InEpsilon(t, d.LogEv, got.Draws[k].LogEv, 1e-9)
				assert.InEpsilon(t, d.Rate, got.Draws[k].Rate, 1e-9)
				assert.InEpsilon(t, d.Shape, got.Draws[k].Shape, 1e-12)
			}
		}
	}
}
