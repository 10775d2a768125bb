package falkon

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// overlapping returns n rows of two columns in k classes that overlap.
func overlapping(n, k int, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0x6c6f6f))
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range y {
		y[i] = i % k
		x.SetRow(i, []float64{float64(y[i]) + .8*rng.NormFloat64(), rng.NormFloat64()})
	}
	return x, y
}

// With all rows as landmarks the machine is that of package lssvm, and so are its leave-one-out probabilities.
func TestLeaveOneOutProbaOfSquaredLoss(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := overlapping(60, k, 1)
		x.SetRow(3, x.RawRowView(6)) // two equal rows are left out together
		kernel := kernels.RBF{Gamma: .5}
		want := &lssvm.Classifier{Kernel: kernel, Ridge: .3}
		require.NoError(t, want.Fit(ctx, x, y))
		c := &Classifier{Kernel: kernel, Ridge: .3, Components: 60, Solver: Direct}
		require.NoError(t, c.Fit(ctx, x, y))
		p, err := want.LeaveOneOutProba()
		require.NoError(t, err)
		got, err := c.LeaveOneOutProba()
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(p, got, 1e-6), "%d classes", k)
	}
}

// With logistic loss the probabilities agree with those of fits without each row.
func TestLeaveOneOutProbaOfLogisticLoss(t *testing.T) {
	for _, k := range []int{2, 3} {
		x, y := overlapping(60, k, 2)
		weights := make([]float64, 60)
		for i := range weights {
			weights[i] = 1 + float64(i%3)
		}
		c := &Classifier{Kernel: kernels.RBF{Gamma: .5}, Loss: LogisticLoss, Ridge: .5, Landmarks: x, Solver: Direct}
		require.NoError(t, c.FitWeighted(ctx, x, y, weights))
		got, err := c.LeaveOneOutProba()
		require.NoError(t, err)
		plain, err := c.PredictProba(x)
		require.NoError(t, err)
		for i := range y {
			var rest []int
			for j := range y {
				if j != i {
					rest = append(rest, j)
				}
			}
			without := &Classifier{Kernel: c.Kernel, Loss: LogisticLoss, Ridge: .5, Landmarks: x, Solver: Direct}
			require.NoError(t, without.FitWeighted(ctx, linalg.Rows(x, rest), linalg.Pick(y, rest), linalg.Pick(weights, rest)))
			want, err := without.PredictProba(x.Slice(i, i+1, 0, 2))
			require.NoError(t, err)
			// One step of Newton's method accounts for at least 85% of the change.
			change := math.Abs(want.At(0, y[i]) - plain.At(i, y[i]))
			assert.InDelta(t, want.At(0, y[i]), got.At(i, y[i]), .002+.15*change, "%d classes, row %d", k, i)
		}
	}
}

// The chosen ridge has a smaller leave-one-out loss than a ridge a tenth and ten times as large, and so have repeated rows and
// multiplied weights.
func TestRidgeOfLogisticLoss(t *testing.T) {
	x, y := overlapping(150, 3, 3)
	fitted := func(ridge float64) (*Classifier, float64) {
		c := &Classifier{Kernel: kernels.RBF{Gamma: 1}, Loss: LogisticLoss, Ridge: ridge, Landmarks: x, Solver: Direct}
		require.NoError(t, c.Fit(ctx, x, y))
		p, err := c.LeaveOneOutProba()
		require.NoError(t, err)
		loss, err := metrics.LogLoss(y, c.Classes(), p, nil)
		require.NoError(t, err)
		return c, loss
	}
	c, best := fitted(0)
	sum := 0.0 // the loss of each machine, from its own probability
	for i, l := range y {
		for k, f := range leftLogOdds(t, c, x, y, i) {
			if k == l {
				f = -f
			}
			sum += vecmath.Softplus(f) / 150
		}
	}
	assert.InEpsilon(t, sum, c.Details().LeaveOneOut, .02, "the logistic loss")
	for _, factor := range []float64{.1, 10} {
		_, other := fitted(factor * c.ChosenRidge())
		assert.Less(t, best, other, "factor %v", factor)
	}

	twice := mat.NewDense(300, 2, nil)
	twice.Stack(x, x)
	repeated := &Classifier{Kernel: c.Kernel, Loss: LogisticLoss, Landmarks: x, Solver: Direct}
	require.NoError(t, repeated.Fit(ctx, twice, append(append([]int(nil), y...), y...)))
	assert.InEpsilon(t, 2*c.ChosenRidge(), repeated.ChosenRidge(), 1e-6, "twice the losses")
	weighted := &Classifier{Kernel: c.Kernel, Loss: LogisticLoss, Landmarks: x, Solver: Direct}
	weights := make([]float64, 150)
	for i := range weights {
		weights[i] = 7
	}
	require.NoError(t, weighted.FitWeighted(ctx, x, y, weights))
	assert.InEpsilon(t, 7*c.ChosenRidge(), weighted.ChosenRidge(), 1e-6)
}

// leftLogOdds returns the log odds of the classes for row i, from a fit without it.
func leftLogOdds(t *testing.T, c *Classifier, x *mat.Dense, y []int, i int) []float64 {
	t.Helper()
	var rest []int
	for j := range y {
		if j != i {
			rest = append(rest, j)
		}
	}
	without := &Classifier{Kernel: c.Kernel, Loss: LogisticLoss, Ridge: c.ChosenRidge(), Landmarks: x, Solver: Direct}
	require.NoError(t, without.Fit(ctx, linalg.Rows(x, rest), linalg.Pick(y, rest)))
	f, err := without.Decision(x.Slice(i, i+1, 0, 2))
	require.NoError(t, err)
	return f.RawRowView(0)
}

func TestNoLeaveOneOutProba(t *testing.T) {
	x, y := overlapping(60, 2, 4)
	_, err := (&Classifier{}).LeaveOneOutProba()
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	grouped := make([]int, 60)
	for i := range grouped {
		grouped[i] = i / 2
	}
	for name, c := range map[string]*Classifier{
		"gradients": {Components: 20, Solver: ConjugateGradients},
		"groups":    {Components: 20, Solver: Direct, Groups: grouped},
	} {
		for _, c.Loss = range []Loss{SquaredLoss, LogisticLoss} {
			require.NoError(t, c.Fit(ctx, x, y), name)
			_, err := c.LeaveOneOutProba()
			assert.ErrorIs(t, err, errors.ErrUnsupported, "%s, %v", name, c.Loss)
		}
	}
	c := &Classifier{Kernel: kernels.RBF{Gamma: 1}, Solver: Direct}
	require.NoError(t, c.Fit(ctx, x, y))
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	require.NoError(t, c.UnmarshalBinary(data))
	_, err = c.LeaveOneOutProba()
	assert.ErrorIs(t, err, errors.ErrUnsupported)
}
