package ridge

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

func data(n, d int, seed uint64) (x *mat.Dense, y, weights []float64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	x, y, weights = mat.NewDense(n, d, nil), make([]float64, n), make([]float64, n)
	for i := range n {
		y[i] = 3 + 0.3*rng.NormFloat64()
		weights[i] = 0.5 + rng.Float64()
		for j := range d {
			v := rng.NormFloat64() * float64(1+j%3)
			x.Set(i, j, v+1)
			y[i] += v / float64(1+j)
		}
	}
	return x, y, weights
}

// shapes lists matrices with fewer columns than rows, as many, and more.
var shapes = [][2]int{{30, 4}, {12, 12}, {9, 25}, {2, 1}, {3, 6}}

// The machine equals lssvm with a linear kernel, which solves a system with an equation for each row.
func TestEqualsLinearLSSVM(t *testing.T) {
	for _, s := range shapes {
		x, y, weights := data(s[0], s[1], 1)
		fresh, _, _ := data(5, s[1], 2)
		for name, w := range map[string][]float64{"unweighted": nil, "weighted": weights} {
			r := Regressor{Ridge: 0.7}
			l := lssvm.Regressor{Kernel: kernels.Linear{}, Ridge: 0.7}
			if w == nil {
				require.NoError(t, r.Fit(ctx, x, y))
				require.NoError(t, l.Fit(ctx, x, y))
			} else {
				require.NoError(t, r.FitWeighted(ctx, x, y, w))
				require.NoError(t, l.FitWeighted(ctx, x, y, w))
			}
			mean, variance, err := r.PredictVariance(fresh)
			require.NoError(t, err)
			wantMean, wantVariance, err := l.PredictVariance(fresh)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(mean, wantMean), 1e-10, "%v %s", s, name)
			assert.LessOrEqual(t, golden.MaxError(variance, wantVariance), 1e-10, "%v %s", s, name)
			got, err := r.LeaveOneOutResiduals(ctx)
			require.NoError(t, err)
			want, err := l.LeaveOneOutResiduals(ctx)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(got, want), 1e-9, "%v %s", s, name)
		}
	}
}

// Both packages compute the same leave-one-out error, so they choose the same ridge.
func TestChoosesTheRidgeOfLSSVM(t *testing.T) {
	for _, s := range [][2]int{{30, 4}, {12, 12}, {9, 25}, {3, 6}} { // two rows predict each other, for any ridge
		x, y, weights := data(s[0], s[1], 3)
		r, l := Regressor{}, lssvm.Regressor{Kernel: kernels.Linear{}}
		require.NoError(t, r.FitWeighted(ctx, x, y, weights))
		require.NoError(t, l.FitWeighted(ctx, x, y, weights))
		assert.InEpsilon(t, l.Report().Objective, r.Report().Objective, 1e-5, "%v", s)
		if s[1] > s[0] {
			continue // the error is so flat for small ridges that rounding decides
		}
		assert.InEpsilon(t, l.ChosenRidge(), r.ChosenRidge(), 1e-5, "%v", s)
		assert.Equal(t, l.Report().Iterations, r.Report().Iterations)
		assert.Equal(t, l.Report().Warnings, r.Report().Warnings)
	}
}

// The gradient of the objective in the package documentation is 0 at the solution, with and without an intercept.
func TestSolutionIsAMinimum(t *testing.T) {
	const ridge = 0.4
	for _, s := range shapes {
		x, y, w := data(s[0], s[1], 4)
		for _, noIntercept := range []bool{false, true} {
			r := Regressor{Ridge: ridge, NoIntercept: noIntercept}
			require.NoError(t, r.FitWeighted(ctx, x, y, w))
			f, err := r.Predict(x)
			require.NoError(t, err)
			beta, b := r.Coefficients(), r.Intercept()
			sum := 0.0
			gradient := make([]float64, s[1])
			for i := range y {
				row := x.RawRowView(i)
				assert.InDelta(t, b+mat.Dot(mat.NewVecDense(len(row), row), mat.NewVecDense(len(beta), beta)), f[i], 1e-10)
				sum += w[i] * (y[i] - f[i])
				for j, v := range row {
					gradient[j] += w[i] * (y[i] - f[i]) * v
				}
			}
			if noIntercept {
				assert.Zero(t, b)
			} else {
				assert.InDelta(t, 0, sum, 1e-10)
			}
			for j, g := range gradient {
				assert.InDelta(t, ridge*beta[j], g, 1e-9)
			}
		}
	}
}

// Leave-one-out residuals without an intercept agree with refits. They cannot be compared with lssvm, which always has an
// intercept.
func TestLeaveOneOutIsRefitting(t *testing.T) {
	for _, noIntercept := range []bool{false, true} {
		x, y, w := data(14, 3, 5)
		r := Regressor{Ridge: 2, NoIntercept: noIntercept}
		require.NoError(t, r.FitWeighted(ctx, x, y, w))
		objective, weight := 0.0, 0.0
		residuals, err := r.LeaveOneOutResiduals(ctx)
		require.NoError(t, err)
		for i, residual := range residuals {
			var rows []int
			for j := range y {
				if j != i {
					rows = append(rows, j)
				}
			}
			rest := mat.NewDense(13, 3, nil)
			var yr, wr []float64
			for k, j := range rows {
				rest.SetRow(k, x.RawRowView(j))
				yr, wr = append(yr, y[j]), append(wr, w[j])
			}
			without := estimators.Clone(r)
			require.NoError(t, without.FitWeighted(ctx, rest, yr, wr))
			f, err := without.Predict(x.Slice(i, i+1, 0, 3))
			require.NoError(t, err)
			assert.InDelta(t, y[i]-f[0], residual, 1e-10)
			objective += w[i] * residual * residual
			weight += w[i]
		}
		assert.InEpsilon(t, objective/weight, r.Report().Objective, 1e-12)
	}
}

// If all weights are multiplied by a factor, so is the chosen ridge, and the machine stays the same. This holds in this package and
// in lssvm.
func TestWeightsAreRelative(t *testing.T) {
	x, y, weights := data(30, 4, 9)
	for _, factor := range []float64{1e-9, 1e7} {
		scaled := make([]float64, len(weights))
		for i, w := range weights {
			scaled[i] = factor * w
		}
		a, b := &Regressor{}, &Regressor{}
		require.NoError(t, a.FitWeighted(ctx, x, y, weights))
		require.NoError(t, b.FitWeighted(ctx, x, y, scaled))
		assert.InEpsilon(t, factor*a.ChosenRidge(), b.ChosenRidge(), 1e-6)
		assert.InEpsilon(t, a.Report().Objective, b.Report().Objective, 1e-9)
		la, lb := &lssvm.Regressor{}, &lssvm.Regressor{}
		require.NoError(t, la.FitWeighted(ctx, x, y, weights))
		require.NoError(t, lb.FitWeighted(ctx, x, y, scaled))
		assert.InEpsilon(t, factor*la.ChosenRidge(), lb.ChosenRidge(), 1e-6)
		assert.InEpsilon(t, la.Report().Objective, lb.Report().Objective, 1e-9)
	}
}

// The smallest error that the search reports is the error of the fitted model.
func TestSearchReportsTheErrorOfItsRidge(t *testing.T) {
	for _, s := range [][2]int{{40, 6}, {9, 25}} {
		x, y, _ := data(s[0], s[1], 6)
		var steps []estimators.Step
		r := Regressor{Observe: func(s estimators.Step) {
			if !s.Between {
				steps = append(steps, s)
			}
		}}
		require.NoError(t, r.Fit(ctx, x, y))
		assert.Equal(t, r.Report().Iterations, len(steps))
		best := math.Inf(1)
		for _, s := range steps {
			best = min(best, s.Objective)
		}
		assert.InEpsilon(t, best, r.Report().Objective, 1e-6)
		// Neighbouring ridges are not better.
		for _, f := range []float64{0.8, 1.25} {
			other := Regressor{Ridge: f * r.ChosenRidge()}
			require.NoError(t, other.Fit(ctx, x, y))
			assert.Greater(t, other.Report().Objective, r.Report().Objective*(1-1e-6))
		}
	}
}

// A common offset of 1e9 changes the predictions by no more than the rounding of the features.
func TestOffset(t *testing.T) {
	x, y, _ := data(30, 4, 7)
	r := Regressor{Ridge: 0.1}
	require.NoError(t, r.Fit(ctx, x, y))
	want, err := r.Predict(x)
	require.NoError(t, err)
	x.Apply(func(_, _ int, v float64) float64 { return v + 1e9 }, x)
	require.NoError(t, r.Fit(ctx, x, y))
	got, err := r.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-6)
}

func TestErrors(t *testing.T) {
	x, y, _ := data(6, 2, 8)
	assert.EqualError(t, (&Regressor{Ridge: -1}).Fit(ctx, x, y), "ridge: Regressor: Ridge = -1, want finite and > 0, or 0 for the choice by RidgeRule")
	assert.ErrorIs(t, (&Regressor{RidgeRule: 7}).Fit(ctx, x, y), estimators.ErrParam)

	r := Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	huge := mat.DenseCopyOf(x)
	huge.Set(0, 0, 1e200)
	require.ErrorIs(t, r.Fit(ctx, huge, y), estimators.ErrNotFinite)
	require.ErrorIs(t, r.Fit(ctx, x, append([]float64{1e200}, y[1:]...)), estimators.ErrNotFinite)
	_, err := r.Predict(mat.NewDense(1, 2, []float64{math.MaxFloat64, math.MaxFloat64}))
	assert.True(t, err == nil || errors.Is(err, estimators.ErrNotFinite))
	_, _, err = r.PredictVariance(mat.NewDense(1, 2, []float64{1e200, 0}))
	assert.ErrorIs(t, err, estimators.ErrNotFinite)
	_, err = r.Predict(x)
	assert.NoError(t, err)
}

// With one row, the prediction is its target, and there is no variance.
func TestOneRow(t *testing.T) {
	r := Regressor{}
	require.NoError(t, r.Fit(ctx, mat.NewDense(1, 2, []float64{3, 4}), []float64{5}))
	mean, variance, err := r.PredictVariance(mat.NewDense(1, 2, []float64{0, 9}))
	require.NoError(t, err)
	assert.Equal(t, []float64{5}, mean)
	assert.Equal(t, []float64{0}, variance)
	left, err := r.LeaveOneOutResiduals(ctx)
	assert.NoError(t, err)
	assert.Nil(t, left)
}
