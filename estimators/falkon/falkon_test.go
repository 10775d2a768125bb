package falkon

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

// near checks that numbers agree. The tolerance is relative to the largest expected number, or to scale if that is larger.
func near(t *testing.T, want, got []float64, tolerance, scale float64, what string) {
	t.Helper()
	for _, w := range want {
		scale = max(scale, math.Abs(w))
	}
	assert.InDeltaSlice(t, want, got, tolerance*scale, what)
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func fitted(t *testing.T, r Regressor, x *mat.Dense, y []float64) *Regressor {
	t.Helper()
	require.NoError(t, r.Fit(ctx, x, y))
	return &r
}

func predictions(t *testing.T, r *Regressor, x *mat.Dense) []float64 {
	t.Helper()
	f, err := r.Predict(x)
	require.NoError(t, err)
	return f
}

// threeClasses returns labels that depend on the sizes of the targets.
func threeClasses(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = 10 * (min(max(int(v), 9), 20) / 7)
	}
	return out
}

// With the same landmarks, conjugate gradients give the same solution as the normal equations.
func TestGradientsAgainstDirect(t *testing.T) {
	const n = 2500
	x, y, _ := friedman(n, 6, 1, 1)
	at, _, _ := friedman(300, 6, 0, 2)
	kernel := map[LandmarkRule]kernels.Kernel{
		UniformLandmarks: kernels.RBF{Gamma: .6},
		LeverageScores:   kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{1, 1, 1, 2, 2, 9}},
		PivotedCholesky:  kernels.RBF{Gamma: .6},
	}
	for rule, k := range kernel {
		for _, lambda := range []float64{1e-2, 1e-4, 1e-6, 1e-8} {
			base := Regressor{Kernel: k, Components: 100, Rule: rule, Ridge: lambda * n, Solver: Direct}
			want := predictions(t, fitted(t, base, x, y), at)
			base.Solver, base.Tolerance = ConjugateGradients, 1e-9
			r := fitted(t, base, x, y)
			near(t, want, predictions(t, r, at), 1e-6, 0, fmt.Sprintf("%v, λ %g, %v", k, lambda, rule))
			assert.True(t, r.Report().Converged)
			assert.Less(t, r.Report().Iterations, 50)
			t.Logf("%T, λ %g, %v: %d iterations", k, lambda, rule, r.Report().Iterations)
		}
	}
}

// If all rows are landmarks, the model equals the least-squares machine.
func TestAllRowsAreLSSVM(t *testing.T) {
	x, y, _ := friedman(80, 5, 1, 1)
	at, _, _ := friedman(20, 5, 0, 2)
	w := make([]float64, len(y))
	for i := range w {
		w[i] = .5 + float64(i%7)/3
	}
	k := kernels.RBF{Gamma: .8}
	for _, ridge := range []float64{1e-4, .1, 3} {
		theirs := &lssvm.Regressor{Kernel: k, Ridge: ridge}
		require.NoError(t, theirs.FitWeighted(ctx, x, y, w))
		want, err := theirs.Predict(at)
		require.NoError(t, err)
		r := &Regressor{Kernel: k, Ridge: ridge}
		require.NoError(t, r.FitWeighted(ctx, x, y, w))
		near(t, want, predictions(t, r, at), 1e-8, 0, fmt.Sprint(ridge))
		left, err := theirs.LeaveOneOutResiduals(ctx)
		require.NoError(t, err)
		loo, total := 0.0, 0.0
		for i, e := range left {
			loo, total = loo+w[i]*e*e, total+w[i]
		}
		assert.InEpsilon(t, loo/total, r.Details().LeaveOneOut, 1e-6)
	}
	// The ridges chosen by leave-one-out agree.
	theirs := &lssvm.Regressor{Kernel: k}
	require.NoError(t, theirs.Fit(ctx, x, y))
	ours := fitted(t, Regressor{Kernel: k}, x, y)
	assert.InEpsilon(t, theirs.Report().Objective, ours.Report().Objective, 2e-3)

	labels := threeClasses(y)
	c, lc := &Classifier{Kernel: k, Ridge: .1, Balanced: true}, &lssvm.Classifier{Kernel: k, Ridge: .1, Balanced: true}
	require.NoError(t, c.Fit(ctx, x, labels))
	require.NoError(t, lc.Fit(ctx, x, labels))
	p, err := c.PredictProba(at)
	require.NoError(t, err)
	want, err := lc.PredictProba(at)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, p, 1e-5), "%v", mat.Formatted(p))
}

// The model is bit-identical for any number of workers, also if there are more rows than are summed at once.
func TestAnyNumberOfWorkers(t *testing.T) {
	x, y, _ := friedman(3000, 4, 1, 1)
	labels := threeClasses(y)
	for _, solver := range []Solver{Direct, ConjugateGradients} {
		var first [][]byte
		for _, workers := range []int{1, 2, 5} {
			r := fitted(t, Regressor{Components: 60, Solver: solver, Workers: workers}, x, y)
			files := [][]byte{marshalled(t, r)}
			for _, loss := range []Loss{SquaredLoss, LogisticLoss} {
				c := &Classifier{Components: 40, Solver: solver, Loss: loss, Ridge: .1, Workers: workers}
				require.NoError(t, c.Fit(ctx, x, labels))
				files = append(files, marshalled(t, c))
			}
			if first == nil {
				first = files
			}
			assert.Equal(t, first, files, "%v, %d workers", solver, workers)
		}
	}
}

func marshalled(t *testing.T, m interface{ MarshalBinary() ([]byte, error) }) []byte {
	t.Helper()
	data, err := m.MarshalBinary()
	require.NoError(t, err)
	return data
}

// A weight of 2 has the same effect as repeating the row.
func TestWeightsAreRepetitions(t *testing.T) {
	const n = 400
	x, y, _ := friedman(n, 4, 1, 1)
	at, _, _ := friedman(30, 4, 0, 2)
	w := make([]float64, n)
	var numbers []int
	for i := range w {
		w[i] = float64(1 + i%3)
		for range 1 + i%3 {
			numbers = append(numbers, i)
		}
	}
	many, repeated := linalg.Rows(x, numbers), linalg.Pick(y, numbers)
	labels := threeClasses(repeated)
	landmarks := rows.Window(x, 0, 30)
	for _, solver := range []Solver{Direct, ConjugateGradients} {
		one := &Regressor{Landmarks: landmarks, Kernel: kernels.RBF{Gamma: .5}, Ridge: .01, Solver: solver, Tolerance: 1e-10}
		require.NoError(t, one.FitWeighted(ctx, x, y, w))
		other := fitted(t, Regressor{Landmarks: landmarks, Kernel: kernels.RBF{Gamma: .5}, Ridge: .01, Solver: solver, Tolerance: 1e-10}, many, repeated)
		near(t, predictions(t, other, at), predictions(t, one, at), 1e-7, 0, solver.String())
		for _, loss := range []Loss{SquaredLoss, LogisticLoss} {
			c := &Classifier{Landmarks: landmarks, Kernel: kernels.RBF{Gamma: .5}, Ridge: .01, Solver: solver, Tolerance: 1e-10, Loss: loss, Balanced: true}
			d := estimators.Clone(c)
			require.NoError(t, c.FitWeighted(ctx, x, threeClasses(y), w))
			require.NoError(t, d.Fit(ctx, many, labels))
			got, err := c.Decision(at)
			require.NoError(t, err)
			want, err := d.Decision(at)
			require.NoError(t, err)
			near(t, want.RawMatrix().Data, got.RawMatrix().Data, 1e-6, 1, fmt.Sprint(solver, loss))
		}
	}
}

// stopping is a kernel that cancels a context after a number of values. It counts the values that are requested after the context
// has ended, and waits for the context first.
type stopping struct {
	kernels.RBF
	after  int64
	cancel context.CancelFunc
	count  *atomic.Int64
	ended  chan struct{} // nil without cancellation
}

func (s stopping) Eval(x, z []float64) float64 {
	switch n := s.count.Add(1); {
	case n == s.after:
		s.cancel()
		close(s.ended)
	case s.ended != nil && n > s.after:
		<-s.ended
	}
	return s.RBF.Eval(x, z)
}

func (s stopping) String() string { return "stopping" }

// If a fit is cancelled, it ends as soon as the current blocks are computed, and the old model is kept.
func TestCancelledWithinABlock(t *testing.T) {
	x, y, _ := friedman(4000, 3, 1, 1)
	for _, solver := range []Solver{Direct, ConjugateGradients} {
		for _, after := range []int64{1e3, 1e5, 3e5, 1e6} {
			stop, cancel := context.WithCancel(ctx)
			k := stopping{kernels.RBF{Gamma: 1}, after, cancel, &atomic.Int64{}, make(chan struct{})}
			r := &Regressor{Kernel: k, Components: 150, Solver: solver, Workers: 2}
			err := r.Fit(stop, x, y)
			assert.ErrorIs(t, err, context.Canceled)
			assert.Less(t, k.count.Load()-after, int64(3*rows.BlockRows*rows.BlockRows), "values after the end")
			assert.Nil(t, r.m)
			cancel()
		}
	}
}

// If the effective dimension is close to the number of landmarks, the number is doubled. The model is then the same as with the
// larger number, and a State of the second fit can be resumed. If there is only enough memory for the first number, the model keeps
// it, and the Report contains a warning.
func TestCrowdedLandmarks(t *testing.T) {
	x, y, _ := friedman(2600, 10, 0, 1)
	k := kernels.RBF{Gamma: 1}
	var states []*State
	var steps []estimators.Step
	r := Regressor{Kernel: k, Solver: ConjugateGradients, Ridge: 1e-4, Checkpoint: func(s *State) { states = append(states, s) }, Observe: func(s estimators.Step) {
		if !s.Between {
			steps = append(steps, s)
		}
	}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, 1020, r.Details().Landmarks, "510 by the rows, and 1300, half of those, are hardly more than 1020")
	for i, s := range steps {
		require.Equal(t, i+1, s.Iteration)
	}
	assert.True(t, slices.ContainsFunc(steps, func(s estimators.Step) bool { return strings.Contains(s.Message, "are used") }))
	given := fitted(t, Regressor{Kernel: k, Solver: ConjugateGradients, Ridge: 1e-4, Components: 1020}, x, y)
	assert.Equal(t, given.Coefficients(), r.Coefficients())
	assert.Greater(t, r.Details().Passes, given.Details().Passes)

	again := Regressor{Kernel: k, Solver: ConjugateGradients, Ridge: 1e-4, Resume: states[len(states)-1]}
	require.NoError(t, again.Fit(ctx, x, y))
	assert.Equal(t, r.Coefficients(), again.Coefficients())

	little := fitted(t, Regressor{Kernel: k, Solver: ConjugateGradients, Ridge: 1e-4, Workers: 2, MaxBytes: 36 << 20}, x, y)
	assert.Equal(t, 510, little.Details().Landmarks)
	assert.Contains(t, strings.Join(little.Report().Warnings, " "), "is close to the 510 landmarks")
}

// A fit that is resumed from any iteration, through a file, gives the model of an uninterrupted fit.
func TestResumed(t *testing.T) {
	x, y, _ := friedman(3000, 4, 1, 1)
	for _, ridge := range []float64{0, .001} {
		var states []*State
		base := Regressor{Components: 60, Solver: ConjugateGradients, Ridge: ridge, Tolerance: 1e-6}
		r := base
		r.Checkpoint = func(s *State) { states = append(states, s) }
		require.NoError(t, r.Fit(ctx, x, y))
		whole := marshalled(t, &r)
		require.Greater(t, len(states), 4)
		for _, i := range []int{0, 3, len(states) - 1} {
			again, read := base, &State{}
			require.NoError(t, read.UnmarshalBinary(marshalled(t, states[i])))
			assert.Equal(t, i+1, read.Iteration)
			again.Resume = read
			require.NoError(t, again.Fit(ctx, x, y))
			assert.Equal(t, r.Coefficients(), again.Coefficients())
			assert.Equal(t, r.Report(), again.Report())
			a, b := r.Details(), again.Details()
			assert.Equal(t, a.Passes-i-2, b.Passes) // without the first pass and the passes of the earlier iterations
			a.Passes, b.Passes, a.Seconds, b.Seconds = 0, 0, 0, 0
			assert.Equal(t, a, b)
		}
		assert.NotEmpty(t, whole)

		other := base
		other.Resume, other.Seed = states[0], 9
		assert.ErrorIs(t, other.Fit(ctx, x, y), estimators.ErrParam)
		other.Seed = 0
		y[17]++
		assert.ErrorContains(t, other.Fit(ctx, x, y), "Resume = a State after 1 iterations")
		y[17]--
	}
	_, err := (&State{}).MarshalBinary()
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
}

// If a fit would need more memory than the limit, it returns an error before it allocates the memory.
func TestTooLarge(t *testing.T) {
	x, y, _ := friedman(3000, 4, 1, 1)
	for _, r := range []Regressor{{MaxBytes: 1 << 20}, {MaxBytes: 1 << 20, Solver: ConjugateGradients}} {
		var large *estimators.TooLargeError
		require.ErrorAs(t, r.Fit(ctx, x, y), &large)
		assert.EqualValues(t, 1<<20, large.Limit)
		assert.Greater(t, large.Bytes, large.Limit)
		assert.NotEmpty(t, large.Hint)
	}
	r := Regressor{Components: math.MaxInt32}
	require.NoError(t, (&Regressor{Components: 50, MaxBytes: 8 << 20}).Fit(ctx, x, y))
	assert.NoError(t, (&Regressor{Components: math.MaxInt32}).Fit(ctx, rows.Window(x, 0, 50), y[:50]), r)
}

// For a constant target, a single row, or equal rows, the model is a constant.
func TestNothingToLearn(t *testing.T) {
	x, _, _ := friedman(300, 3, 1, 1)
	constant := make([]float64, 300)
	for i := range constant {
		constant[i] = 7.3
	}
	for _, solver := range []Solver{Direct, ConjugateGradients} {
		for _, ridge := range []float64{0, .1} {
			r := fitted(t, Regressor{Components: 20, Solver: solver, Ridge: ridge}, x, constant)
			mean, variance, err := r.PredictVariance(x)
			require.NoError(t, err)
			assert.InDeltaSlice(t, constant, mean, 1e-12)
			assert.InDelta(t, 0, variance[5], 1e-12)
			if ridge == 0 { // with .1 the effective dimension is near the number of landmarks
				assert.Empty(t, r.Report().Warnings)
			}

			one := fitted(t, Regressor{Solver: solver, Ridge: ridge}, rows.Window(x, 0, 1), []float64{4})
			assert.Equal(t, []float64{4, 4}, predictions(t, one, rows.Window(x, 0, 2)))

			same := mat.NewDense(5, 2, []float64{1, 2, 1, 2, 1, 2, 1, 2, 1, 2})
			r = fitted(t, Regressor{Components: 4, Solver: solver, Ridge: ridge}, same, []float64{1, 2, 3, 4, 5})
			assert.InDelta(t, 3, predictions(t, r, same)[0], 1e-9)
			assert.Equal(t, 1, r.Details().Landmarks)
			assert.Equal(t, 1, r.Details().Rows)
		}
	}
}

// A class has a probability even if none of its rows is a landmark.
func TestRareClass(t *testing.T) {
	x, y, _ := friedman(3000, 3, 1, 1)
	labels := make([]int, len(y))
	for i, v := range y {
		if v > 10 {
			labels[i] = 1
		}
	}
	labels[2999] = 7
	for _, loss := range []Loss{SquaredLoss, LogisticLoss} {
		c := &Classifier{Components: 20, Solver: ConjugateGradients, Loss: loss}
		require.NoError(t, c.Fit(ctx, x, labels))
		assert.Equal(t, []int{0, 1, 7}, c.Classes())
		p, err := c.PredictProba(rows.Window(x, 0, 500))
		require.NoError(t, err)
		right := 0.0
		for i := range 500 {
			assert.InDelta(t, 1, p.At(i, 0)+p.At(i, 1)+p.At(i, 2), 1e-9)
			assert.Less(t, p.At(i, 2), .1)
			if p.At(i, labels[i]) > .5 {
				right++
			}
		}
		assert.Greater(t, right/500, .85, loss.String())
	}
}

// For a kernel that is not positive semi-definite, Fit returns an error.
func TestIndefiniteKernel(t *testing.T) {
	x, y, _ := friedman(100, 3, 1, 1)
	assert.ErrorIs(t, (&Regressor{Kernel: kernels.Tanh{Coef0: -1}}).Fit(ctx, x, y), estimators.ErrNotPSD)
}

// The ridge that conjugate gradients choose on rows outside the sample is as good as that of exact leave-one-out.
func TestRidgeOfGradients(t *testing.T) {
	x, y, _ := friedman(12000, 6, 1, 1)
	at, _, clean := friedman(2000, 6, 0, 2)
	base := Regressor{Components: 150, Kernel: kernels.RBF{Gamma: .6}}
	exact := fitted(t, base, x, y)
	base.Solver = ConjugateGradients
	r := fitted(t, base, x, y)
	t.Logf("ridge %g, exact %g", r.ChosenRidge(), exact.ChosenRidge())
	assert.InEpsilon(t, nmse(t, exact, at, clean), nmse(t, r, at, clean), .03)
	assert.InEpsilon(t, exact.Details().LeaveOneOut, r.Details().LeaveOneOut, .1)
	assert.InEpsilon(t, exact.Details().EffectiveDimension, r.Details().EffectiveDimension, .1)
	assert.Zero(t, r.Details().GCV)
	assert.NotZero(t, exact.Details().GCV)

	// If the limit on the iterations is reached, the Report contains a warning.
	base.MaxIterations = 2
	short := fitted(t, base, x, y)
	assert.False(t, short.Report().Converged)
	assert.Contains(t, fmt.Sprint(short.Report().Warnings), "did not converge in 2 iterations")
}

// Intervals contain the stated share of new observations, near the landmarks and far from them.
func TestIntervals(t *testing.T) {
	x, y, _ := friedman(3000, 5, 1, 1)
	at, observed, _ := friedman(3000, 5, 1, 2)
	for _, solver := range []Solver{Direct, ConjugateGradients} {
		r := fitted(t, Regressor{Components: 120, Solver: solver}, x, y)
		low, high, err := r.PredictInterval(at, .95)
		require.NoError(t, err)
		inside := 0.0
		for i, v := range observed {
			if low[i] < v && v < high[i] {
				inside++
			}
		}
		assert.InDelta(t, .95, inside/float64(len(observed)), .02, solver.String())
		_, variance, err := r.PredictVariance(mat.NewDense(2, 5, []float64{.5, .5, .5, .5, .5, 9, 9, 9, 9, 9}))
		require.NoError(t, err)
		assert.Greater(t, variance[1], 3*variance[0])

		read := &Regressor{}
		require.NoError(t, read.UnmarshalBinary(marshalled(t, r)))
		again, _, err := read.PredictInterval(at, .95)
		require.NoError(t, err)
		assert.InDeltaSlice(t, low, again, 1e-7)
	}
}

// Any kernel can be used, also a third-party kernel that has only Eval and String.
func TestAnyKernel(t *testing.T) {
	x, y, _ := friedman(500, 3, .1, 1)
	for _, k := range []kernels.Kernel{
		kernels.Linear{}, kernels.Polynomial{Degree: 3, Coef0: 1}, kernels.Laplacian{Gamma: .5}, kernels.Matern{}, kernels.RationalQuadratic{},
		kernels.Sum{kernels.RBF{Gamma: 1}, kernels.Linear{}}, kernels.ARD{Kernel: kernels.RBF{Gamma: 1}, Lengths: []float64{1, 2, 3}},
		stopping{RBF: kernels.RBF{Gamma: 1}, after: -1, count: &atomic.Int64{}},
	} {
		for _, solver := range []Solver{Direct, ConjugateGradients} {
			r := fitted(t, Regressor{Kernel: k, Components: 30, Solver: solver}, x, y)
			assert.Less(t, r.Details().LeaveOneOut, 30., "%v, %v", k, solver)
			assert.Equal(t, k.String(), r.ChosenKernel().String())
		}
	}
}

// Invalid model files are rejected.
func TestBadModels(t *testing.T) {
	x, y, _ := friedman(60, 3, 1, 1)
	r := fitted(t, Regressor{Components: 6, Kernel: kernels.RBF{Gamma: 1}}, x, y)
	for name, spoil := range map[string]func(*stored){
		"landmarks":    func(s *stored) { s.Landmarks.Rows, s.Landmarks.Data = 5, s.Landmarks.Data[:15] },
		"none":         func(s *stored) { s.Landmarks.Rows, s.Landmarks.Cols, s.Landmarks.Data = 0, 0, nil },
		"coefficients": func(s *stored) { s.Beta.Cols = 5 },
		"bias":         func(s *stored) { s.Bias = nil },
		"ridge":        func(s *stored) { s.Ridge = -1 },
		"kernel":       func(s *stored) { s.Kernel.Name = "RBF(2)" },
		"no spread":    func(s *stored) { s.Spread = nil },
		"noise":        func(s *stored) { s.Spread.Noise = math.NaN() },
		"weight":       func(s *stored) { s.Spread.Weight = 0 },
		"centre":       func(s *stored) { s.Spread.Centre = s.Spread.Centre[:5] },
		"factor":       func(s *stored) { s.Spread.Factor = s.Spread.Factor[1:] },
	} {
		s := r.store(r.Kernel, false)
		spoil(&s)
		f, err := s.fitted(regressorKind, r.Kernel, 1)
		if err == nil {
			_, err = s.Spread.Restore(regressorKind, f.m, false)
		}
		assert.ErrorIs(t, err, estimators.ErrBadModel, name)
	}
}

var (
	errReading = errors.New("the disk is full of holes")
	inf        = math.Inf(1)
)
