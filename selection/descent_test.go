package selection

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
)

// twoScales returns the sum of a slow and a fast wave in one feature.
func twoScales(n int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 9))
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		v := 10 * rng.Float64()
		x.Set(i, 0, v)
		y[i] = 3*math.Sin(v/2) + math.Sin(8*v) + .1*rng.NormFloat64()
	}
	return x, y
}

var twoRBF = families.Sum{First: families.RBF{}, Second: families.RBF{}}

// The descent ends when neither parameter alone improves the score. The mean of two lengths predicts a function with two scales
// better than a single length does.
func TestDescent(t *testing.T) {
	x, y := twoScales(80, 1)
	xt, yt := twoScales(400, 2)
	strategy := &entropy.Search{Score: entropy.LeaveOneOut}
	one, two := &Regressor{Space: over(families.RBF{}), Search: strategy}, &Regressor{Space: overTwo(twoRBF), Search: strategy}
	require.NoError(t, one.Fit(ctx, x, y))
	require.NoError(t, two.Fit(ctx, x, y))
	res := two.Result()
	assert.Less(t, res.Score, one.Result().Score)
	assert.Less(t, testNMSE(t, two, xt, yt), testNMSE(t, one, xt, yt))
	assert.Equal(t, "Sum(RBF, RBF)", res.Family)
	assert.Equal(t, twoRBF.Kernel(res.Param, res.Param2).String(), res.Kernel)
	rows := map[string]int{}
	for i, row := range res.Trace {
		assert.Equal(t, i+1, row.Iteration)
		rows[row.Family]++
		if !math.IsNaN(row.Score) {
			assert.GreaterOrEqual(t, row.Score, res.Score)
		}
	}
	assert.Greater(t, len(rows), 2)
	assert.Equal(t, len(res.Trace), res.KernelMatrices)
	assert.Equal(t, 1, res.Fits)
	assert.True(t, math.IsNaN(one.Result().Param2))

	data, err := two.MarshalBinary()
	require.NoError(t, err)
	read := estimators.Clone(two)
	require.NoError(t, read.UnmarshalBinary(data))
	want, err := two.Predict(xt)
	require.NoError(t, err)
	got, err := read.Predict(xt)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	assert.Equal(t, res.Param2, read.Result().Param2)
	assert.ErrorIs(t, (&Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}}).UnmarshalBinary(data), estimators.ErrBadModel)
	assert.ErrorIs(t, (&Regressor{Space: overTwo(families.ShiftedPolynomial{})}).UnmarshalBinary(data), estimators.ErrBadModel)
}

func testNMSE(t *testing.T, r *Regressor, x *mat.Dense, y []float64) float64 {
	p, err := r.Predict(x)
	require.NoError(t, err)
	v, err := metrics.ForRegression().Values(y, p, nil)
	require.NoError(t, err)
	return v
}

// Each strategy that returns a score can search two parameters alternately, also if they are integers. A cancelled search can be
// resumed, and then returns the same Result.
func TestDescentStrategies(t *testing.T) {
	x, y := problemOf(60, 2, .2, 7)
	for name, strategy := range map[string]search.Strategy{
		"entropy": &entropy.Search{Score: entropy.LeaveOneOut}, "evidence": &entropy.Search{Score: entropy.LogEvidence}, "grid": &grid.Search{Points: 4}, "halving": &grid.Halving{Points: 4},
	} {
		t.Run(name, func(t *testing.T) {
			whole := &Regressor{Space: overTwo(families.ShiftedPolynomial{}), Search: strategy}
			require.NoError(t, whole.Fit(ctx, x, y))
			res := whole.Result()
			assert.Equal(t, math.Round(res.Param), res.Param)
			for _, row := range res.Trace {
				if !math.IsNaN(row.Score) {
					assert.False(t, row.Score != res.Score && (row.Score > res.Score) == res.LargerIsBetter, "row %d is better", row.Iteration)
				}
			}
			cancelled, cancel := context.WithCancel(ctx)
			var rows []search.TraceRow
			part := &Regressor{
				Space: overTwo(families.ShiftedPolynomial{}), Search: strategy, Workers: 1,
				Observe: func(row search.TraceRow) {
					if row.Step != nil {
						return
					}
					if rows = append(rows, row); len(rows) == 15 {
						cancel()
					}
				},
			}
			if err := part.Fit(cancelled, x, y); err != nil { // a short search ends before the cancellation
				require.ErrorIs(t, err, context.Canceled)
			}
			again := &Regressor{Space: overTwo(families.ShiftedPolynomial{}), Search: strategy, Resume: rows}
			require.NoError(t, again.Fit(ctx, x, y))
			assert.Equal(t, withoutSeconds(t, res), withoutSeconds(t, again.Result()))
		})
	}
	r := &Regressor{Space: overTwo(twoRBF), Search: &entropy.GoldenSection{}}
	assert.ErrorContains(t, r.Fit(ctx, x, y), "a Search that scores what it finds")
	xc, labels := classesOf(60, 1)
	c := &Classifier{Space: Kernels2[estimators.Classifier](nil, families.Product{First: families.RBF{}, Second: families.Polynomial{}})}
	require.NoError(t, c.Fit(ctx, xc, labels))
	assert.True(t, c.Supports(estimators.Proba))
}

// One budget covers all searches of a Fit. Each family may use its share, and a descent ends when the budget is spent.
func TestBudgetOfSeveralSearches(t *testing.T) {
	x, y := problemOf(60, 2, .2, 7)
	budget := 12 * time.Second
	clock := &ticker{}
	r := &Regressor{Space: overTwo(twoRBF), Search: &entropy.Search{}, Budget: budget, Observe: clock.tick, now: clock.now}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, search.StatusBudget, r.Result().Status)
	assert.LessOrEqual(t, clock.seconds.Load(), int64(13))
	assert.Len(t, r.Result().Trace, int(clock.seconds.Load()))

	clock = &ticker{}
	r = &Regressor{
		Space:   over([]families.Family{families.RBF{}, families.Laplacian{}, families.Matern{}}...),
		Search:  &entropy.Search{},
		Budget:  budget,
		Observe: clock.tick,
		now:     clock.now,
	}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Len(t, r.Result().Trace, 4)
	for _, o := range r.Result().Others {
		assert.Len(t, o.Trace, 4)
	}
}
