package lssvm

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/kernels"
)

// waves returns rows of three columns, and a wave with noise as their target.
func waves(n int, seed uint64) (x *mat.Dense, y []float64) {
	random := rand.New(rand.NewPCG(seed, 1))
	x, y = mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range n {
		for j := range 3 {
			x.Set(i, j, 2*random.NormFloat64())
		}
		y[i] = 7 + math.Sin(2*x.At(i, 0)) + math.Cos(x.At(i, 1)) + 0.2*random.NormFloat64()
	}
	return x, y
}

// The predictions, the ridge, the leave-one-out residuals and the variances of both solvers agree.
func TestConjugateGradientsAreCholesky(t *testing.T) {
	x, y := waves(1300, 1)
	other, truth := waves(500, 2)
	weights := make([]float64, 1300)
	random := rand.New(rand.NewPCG(5, 5))
	for i := range weights {
		weights[i] = 0.5 + random.Float64()
	}
	for name, c := range map[string]struct {
		ridge   float64
		weights []float64
		within  float64 // tolerance for predictions, in standard deviations of the noise
	}{"a given ridge": {0.05, nil, 0.02}, "weights": {0.05, weights, 0.02}} {
		t.Run(name, func(t *testing.T) {
			kernel := kernels.Matern{Nu: 2.5, Length: 2}
			exactly := &Regressor{Kernel: kernel, Ridge: c.ridge, Solver: Cholesky}
			iterated := &Regressor{Kernel: kernel, Ridge: c.ridge, Solver: ConjugateGradients}
			for _, r := range []*Regressor{exactly, iterated} {
				if c.weights == nil {
					require.NoError(t, r.Fit(ctx, x, y))
				} else {
					require.NoError(t, r.FitWeighted(ctx, x, y, c.weights))
				}
			}
			d := iterated.Details()
			t.Log(d, iterated.Report(), exactly.ChosenRidge(), iterated.ChosenRidge())
			assert.Equal(t, Cholesky, exactly.Details().Solver)
			assert.Equal(t, ConjugateGradients, d.Solver)
			assert.Positive(t, d.Rank)
			assert.LessOrEqual(t, d.Error, 0.01)
			assert.NotEmpty(t, d.Storage)
			assert.True(t, iterated.Report().Converged)
			want, wantVariance, err := exactly.PredictVariance(other)
			require.NoError(t, err)
			got, gotVariance, err := iterated.PredictVariance(other)
			require.NoError(t, err)
			change, ratios := 0., make([]float64, len(got))
			for i := range got {
				change += (got[i] - want[i]) * (got[i] - want[i]) / float64(len(got))
				ratios[i] = gotVariance[i] / wantVariance[i]
			}
			assert.LessOrEqual(t, math.Sqrt(change), c.within*0.2)
			assert.InDelta(t, 1, stat.Mean(ratios, nil), 0.15)
			low, high, err := iterated.PredictInterval(other, 0.95)
			require.NoError(t, err)
			inside := 0
			for i, v := range truth {
				if low[i] <= v && v <= high[i] {
					inside++
				}
			}
			assert.InDelta(t, 0.95, float64(inside)/500, 0.03)

			left, err := iterated.LeaveOneOutResiduals(ctx)
			require.NoError(t, err)
			leftExactly, err := exactly.LeaveOneOutResiduals(ctx)
			require.NoError(t, err)
			assert.InDelta(t, 1, stat.Variance(left, nil)/stat.Variance(leftExactly, nil), 0.1)
			assert.Greater(t, stat.Correlation(left, leftExactly, nil), 0.98)
			variances, err := iterated.LeaveOneOutVariances(ctx)
			require.NoError(t, err)
			assert.InDelta(t, stat.Mean(gotVariance, nil), stat.Mean(variances, nil), 0.3*stat.Mean(variances, nil))

			data, err := iterated.MarshalBinary()
			require.NoError(t, err)
			read := &Regressor{Kernel: kernel}
			require.NoError(t, read.UnmarshalBinary(data))
			again, againVariance, err := read.PredictVariance(other)
			require.NoError(t, err)
			assert.Equal(t, got, again)
			assert.InDeltaSlice(t, gotVariance, againVariance, 1e-9)
			assert.Equal(t, d, read.Details())
			readVariances, err := read.LeaveOneOutVariances(ctx)
			require.NoError(t, err)
			assert.Equal(t, variances, readVariances)
		})
	}
}

// The chosen ridge is about as good as the ridge chosen by the exact leave-one-out error.
func TestRidgeByConjugateGradients(t *testing.T) {
	kernel := kernels.Matern{Nu: 2.5, Length: 2}
	for seed := range uint64(3) {
		x, y := waves(1200, 10+seed)
		best := &Regressor{Kernel: kernel, Solver: Cholesky}
		require.NoError(t, best.Fit(ctx, x, y))
		chosen := &Regressor{Kernel: kernel, Solver: ConjugateGradients}
		require.NoError(t, chosen.Fit(ctx, x, y))
		assert.GreaterOrEqual(t, chosen.Details().Ridges, 3)
		exactly := &Regressor{Kernel: kernel, Solver: Cholesky, Ridge: chosen.ChosenRidge()}
		require.NoError(t, exactly.Fit(ctx, x, y))
		left, err := exactly.LeaveOneOutResiduals(ctx)
		require.NoError(t, err)
		square := 0.
		for _, e := range left {
			square += e * e / float64(len(left))
		}
		t.Log(best.ChosenRidge(), best.Report().Objective, chosen.ChosenRidge(), chosen.Report().Objective, square)
		assert.LessOrEqual(t, square, 1.05*best.Report().Objective)
	}
}

// Probabilities of three classes agree between the solvers.
func TestClassesByConjugateGradients(t *testing.T) {
	x, y := waves(1200, 3)
	other, _ := waves(300, 4)
	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = int(math.Floor((v - 5) / 1.5))
	}
	var proba []*mat.Dense
	for _, s := range []Solver{Cholesky, ConjugateGradients} {
		c := &Classifier{Kernel: kernels.Matern{Nu: 2.5, Length: 2}, Ridge: 0.5, Solver: s}
		require.NoError(t, c.Fit(ctx, x, labels))
		assert.Equal(t, s, c.Details().Solver)
		p, err := c.PredictProba(other)
		require.NoError(t, err)
		proba = append(proba, p)
	}
	proba[0].Sub(proba[0], proba[1])
	assert.Less(t, mat.Norm(proba[0], 2)/math.Sqrt(900), 0.02)
}

// A fit to several targets has the same results as a fit to each target alone, for any number of workers.
func TestTargetsByConjugateGradients(t *testing.T) {
	x, y := waves(1100, 5)
	both := mat.NewDense(len(y), 2, nil)
	for i, v := range y {
		both.SetRow(i, []float64{v, -3 * v})
	}
	var predictions []*mat.Dense
	for _, workers := range []int{1, 2} {
		m := &MultiRegressor{Kernel: kernels.Matern{Nu: 2.5, Length: 2}, Ridge: 0.1, Solver: ConjugateGradients, Workers: workers}
		require.NoError(t, m.Fit(ctx, x, both))
		assert.Equal(t, ConjugateGradients, m.Details().Solver)
		p, v, err := m.PredictVariance(x.Slice(0, 50, 0, 3))
		require.NoError(t, err)
		for i := range 50 {
			assert.InDelta(t, -3*p.At(i, 0), p.At(i, 1), 1e-6)
			assert.InEpsilon(t, 9*v.At(i, 0), v.At(i, 1), 1e-6)
		}
		predictions = append(predictions, p)
	}
	assert.Equal(t, predictions[0].RawMatrix().Data, predictions[1].RawMatrix().Data)
}

// Automatic chooses the documented solver, and too many rows or groups lead to the documented errors.
func TestChoiceOfSolver(t *testing.T) {
	x, y := waves(1200, 6)
	kernel := kernels.Matern{Nu: 2.5, Length: 2}
	r := &Regressor{Kernel: kernel, Ridge: 0.1}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, Cholesky, r.Details().Solver)
	r.MaxKernelBytes = 8 << 20 // the factor takes 11 MB
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, ConjugateGradients, r.Details().Solver)
	assert.NoError(t, r.CheckRowCount(1200))
	assert.ErrorIs(t, r.CheckRowCount(1_000_000), estimators.ErrTooLarge)
	r.MaxKernelBytes = 0
	assert.NoError(t, r.CheckRowCount(100_000))
	assert.ErrorIs(t, r.CheckRowCount(300_000), estimators.ErrTooLarge)
	r.Solver = Cholesky
	assert.ErrorIs(t, r.CheckRowCount(40_000), estimators.ErrTooLarge)
	r.Solver = ConjugateGradients
	r.Groups = make([]int, 1200)
	assert.ErrorIs(t, r.Fit(ctx, x, y), estimators.ErrParam)
	r.Groups = nil
	require.NoError(t, r.Fit(ctx, x.Slice(0, 100, 0, 3), y[:100]))
	assert.Equal(t, Cholesky, r.Details().Solver)

	ended, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, r.Fit(ended, x, y), context.Canceled)
	var steps []estimators.Step
	r.Observe = func(s estimators.Step) { steps = append(steps, s) }
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Greater(t, len(steps), 3)
	assert.Equal(t, 1., steps[len(steps)-1].Done)
}

// A fit to rows that all occur twice results in the same machine as a fit to each row once.
func TestCopiesByConjugateGradients(t *testing.T) {
	x, y := waves(1100, 7)
	var twice mat.Dense
	twice.Stack(x, x)
	once := &Regressor{Kernel: kernels.Matern{Nu: 2.5, Length: 2}, Ridge: 0.1, Solver: ConjugateGradients}
	copies := &Regressor{Kernel: kernels.Matern{Nu: 2.5, Length: 2}, Ridge: 0.2, Solver: ConjugateGradients}
	require.NoError(t, once.Fit(ctx, x, y))
	require.NoError(t, copies.Fit(ctx, &twice, append(append([]float64(nil), y...), y...)))
	a, err := once.Predict(x)
	require.NoError(t, err)
	b, err := copies.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, a, b, 1e-8)
	left, err := copies.LeaveOneOutResiduals(ctx)
	require.NoError(t, err)
	assert.Len(t, left, 2200)
}

// The graph contains the mean, but not the variance.
func TestGraphByConjugateGradients(t *testing.T) {
	x, y := waves(1100, 8)
	r := &Regressor{Kernel: kernels.RBF{Gamma: 0.2}, Ridge: 0.1, Solver: ConjugateGradients}
	require.NoError(t, r.Fit(ctx, x, y))
	_, in := graph.New(3)
	out, err := r.Graph(in)
	require.NoError(t, err)
	_, err = out.Variance()
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}
