package ranking

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// rings returns two noisy classes, one surrounding the other, and the radius of each row.
func rings(n int) (*mat.Dense, []int, []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y, radius := mat.NewDense(n, 2, nil), make([]int, n), make([]float64, n)
	for i := range n {
		y[i] = i % 2
		a, r := 2*math.Pi*rng.Float64(), 1+float64(y[i])+0.3*rng.NormFloat64()
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
		radius[i] = r
	}
	return x, y, radius
}

func machine(k kernels.Kernel) estimators.Classifier { return &lssvm.Classifier{Kernel: k} }

func names(r *Ranking) (out []string) {
	for _, e := range r.Entries {
		out = append(out, e.Kernel.String())
	}
	return out
}

var (
	linear   = kernels.Linear{}
	smooth   = kernels.RBF{Gamma: 0.3}
	identity = kernels.RBF{Gamma: 1e6} // the kernel matrix of these rows is the identity in float64
)

func TestForClassification(t *testing.T) {
	x, y, _ := rings(80)
	candidates := []kernels.Kernel{linear, identity, smooth}
	var seen []string
	r, err := ForClassification(ctx, candidates, machine, x, y, &Options{Observe: func(e Entry) { seen = append(seen, e.Kernel.String()) }})
	require.NoError(t, err)
	assert.Equal(t, []string{linear.String(), identity.String(), smooth.String()}, seen)
	assert.Equal(t, smooth, r.Entries[0].Kernel, "the learner's best kernel")
	for _, e := range r.Entries {
		want, err := measures.SeparabilityOfKernel(ctx, e.Kernel, x, y, nil)
		require.NoError(t, err)
		assert.Equal(t, want, e.Separability)
		scores, err := validation.CrossValidateClassifier(ctx, machine(e.Kernel), x, y, nil)
		require.NoError(t, err)
		assert.Equal(t, []float64{scores.Mean("Accuracy"), scores.SD("Accuracy")}, []float64{e.Score, e.ScoreSD})
		assert.True(t, math.IsNaN(e.Entropy), "not computed for a cross-validation")
	}

	// FSM prefers the identity, but the entropy of the identity is outside the band.
	blind, err := ForClassification(ctx, candidates, nil, x, y, &Options{By: FSM, NoEntropy: true})
	require.NoError(t, err)
	assert.Equal(t, identity, blind.Entries[0].Kernel)
	r, err = ForClassification(ctx, candidates, nil, x, y, &Options{By: FSM})
	require.NoError(t, err)
	assert.Equal(t, smooth, r.Entries[0].Kernel)
	assert.False(t, r.Entries[0].Outside)
	for _, e := range r.Entries {
		km, err := kernels.Matrix(ctx, e.Kernel, x, nil)
		require.NoError(t, err)
		s, err := measures.Entropy(ctx, km)
		require.NoError(t, err)
		assert.InDelta(t, s.Entropy, e.Entropy, 1e-12)
		assert.Equal(t, e.Entropy < defaultMinEntropy || e.Entropy > defaultMaxEntropy, e.Outside)
	}
	// Of the kernels outside the band, the one with the nearest entropy comes first, whatever its FSM.
	r, err = ForClassification(ctx, candidates, nil, x, y, &Options{By: FSM, MinEntropy: 0.01, MaxEntropy: 0.02})
	require.NoError(t, err)
	assert.Equal(t, []string{linear.String(), smooth.String(), identity.String()}, names(r))
	wide, err := ForClassification(ctx, candidates, nil, x, y, &Options{By: FSM, MinEntropy: 1e-9, MaxEntropy: 1})
	require.NoError(t, err)
	assert.Equal(t, names(blind), names(wide))
}

func TestBy(t *testing.T) {
	x, y, _ := rings(60)
	r, err := ForClassification(ctx, []kernels.Kernel{linear, identity, smooth}, machine, x, y, &Options{By: KTA, NoEntropy: true})
	require.NoError(t, err)
	before := names(r)
	for c, less := range map[Criterion]func(a, b Entry) bool{
		CrossValidation: func(a, b Entry) bool { return a.Score > b.Score },
		KTA:             func(a, b Entry) bool { return a.KTA > b.KTA },
		CentredKTA:      func(a, b Entry) bool { return a.CentredKTA > b.CentredKTA },
		FSM:             func(a, b Entry) bool { return a.FSM < b.FSM },
		CSM:             func(a, b Entry) bool { return a.CSM < b.CSM },
	} {
		o, err := r.SortedBy(c)
		require.NoError(t, err)
		assert.Equal(t, c, o.Criterion)
		for i := range o.Entries[1:] {
			assert.False(t, less(o.Entries[i+1], o.Entries[i]), "%v: %v", c, names(o))
		}
	}
	assert.Equal(t, before, names(r), "By leaves its receiver")
	same, err := ForClassification(ctx, []kernels.Kernel{kernels.Scaled{Kernel: smooth, Factor: 2}, smooth}, nil, x, y, &Options{By: KTA, NoEntropy: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"Scaled(2, RBF(gamma=0.3))", "RBF(gamma=0.3)"}, names(same), "equal ones keep their order")
}

func TestForRegression(t *testing.T) {
	x, _, y := rings(80)
	build := func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }
	rmse := metrics.Metric{Name: "RMSE", Values: metrics.RMSE}
	r, err := ForRegression(ctx, []kernels.Kernel{identity, linear, smooth}, build, x, y, &Options{CV: &validation.Options{Metrics: []metrics.Metric{rmse}}})
	require.NoError(t, err)
	assert.Equal(t, smooth, r.Entries[0].Kernel)
	scores, err := validation.CrossValidateRegressor(ctx, build(smooth), x, y, &validation.Options{Metrics: []metrics.Metric{rmse}})
	require.NoError(t, err)
	assert.Equal(t, scores.Mean("RMSE"), r.Entries[0].Score)
	want, err := measures.AlignmentOfKernel(ctx, smooth, x, y, nil)
	require.NoError(t, err)
	assert.Equal(t, want, r.Entries[0].Alignment)
	assert.True(t, math.IsNaN(r.Entries[0].FSM))
	assert.NotContains(t, r.String(), "FSM")

	r, err = ForRegression(ctx, []kernels.Kernel{linear, smooth}, nil, x, y, &Options{By: CentredKTA})
	require.NoError(t, err)
	assert.Equal(t, smooth, r.Entries[0].Kernel)
	_, err = r.SortedBy(FSM)
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = r.SortedBy(CrossValidation)
	assert.ErrorContains(t, err, "build")
}

// overflowing is a kernel whose values are infinite.
type overflowing struct{}

func (overflowing) Eval(_, _ []float64) float64 { return math.Inf(1) }
func (overflowing) String() string              { return "overflowing" }

var errLearner = errors.New("the learner does not like it")

// picky is a classifier that cannot be fitted with one of the kernels.
type picky struct {
	estimators.Classifier
	kernel kernels.Kernel
}

func (p picky) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	if p.kernel == linear {
		return errLearner
	}
	return p.Classifier.Fit(ctx, x, y)
}

func TestFailures(t *testing.T) {
	x, y, _ := rings(60)
	candidates := []kernels.Kernel{nil, overflowing{}, kernels.RBF{Gamma: -1}, linear, smooth}
	build := func(k kernels.Kernel) estimators.Classifier { return picky{machine(k), k} }
	r, err := ForClassification(ctx, candidates, build, x, y, nil)
	require.NoError(t, err)
	assert.Equal(t, smooth, r.Entries[0].Kernel)
	assert.NoError(t, r.Entries[0].Err)
	want := []error{fault.ErrParam, fault.ErrNotFinite, fault.ErrParam, errLearner}
	for i, e := range r.Entries[1:] {
		assert.ErrorIs(t, e.Err, want[i], "%v", e.Kernel)
		assert.True(t, math.IsNaN(e.Score))
	}
	assert.False(t, math.IsNaN(r.Entries[4].FSM), "a learner's failure leaves the measures")
	for _, text := range []string{"-     <nil>", "the learner does not like it", "overflowing[0,0] is +Inf"} {
		assert.Contains(t, r.String(), text)
	}
	byFSM, err := r.SortedBy(FSM)
	require.NoError(t, err)
	assert.Equal(t, linear, byFSM.Entries[1].Kernel, "and its rank by a measure")

	_, err = ForClassification(ctx, candidates[1:2], build, x, y, nil)
	assert.ErrorIs(t, err, fault.ErrNotFinite)
	assert.ErrorContains(t, err, "no candidate could be ranked: overflowing")
	_, err = ForClassification(ctx, candidates[4:], build, x, y[:3], nil)
	assert.ErrorIs(t, err, fault.ErrShape)
	_, err = ForClassification(ctx, candidates[4:], nil, nil, y, &Options{By: KTA})
	assert.ErrorIs(t, err, fault.ErrShape)
	_, err = ForClassification(ctx, candidates[4:], nil, x, y, &Options{By: KTA, MaxKernelBytes: 1})
	assert.ErrorIs(t, err, fault.ErrTooLarge)
	for _, o := range []*Options{nil, {By: -1}, {By: 9}, {By: FSM, MinEntropy: -1}, {By: FSM, MinEntropy: 2}, {By: FSM, MinEntropy: 0.6}, {By: FSM, MaxEntropy: 1.5}, {By: FSM, MaxEntropy: math.NaN()}} {
		_, err = ForClassification(ctx, candidates[4:], nil, x, y, o)
		assert.ErrorIs(t, err, fault.ErrParam, "%+v", o)
	}
	_, err = ForClassification(ctx, nil, build, x, y, nil)
	assert.ErrorIs(t, err, fault.ErrParam)
	_, err = ForRegression(ctx, candidates, nil, x, nil, &Options{By: CSM})
	assert.ErrorIs(t, err, fault.ErrParam)

	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = ForClassification(done, candidates[4:], build, x, y, nil)
	assert.ErrorIs(t, err, context.Canceled)
}

func TestString(t *testing.T) {
	x, y, _ := rings(60)
	r, err := ForClassification(ctx, []kernels.Kernel{identity, smooth}, machine, x, y, &Options{By: FSM})
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(r.String()), "\n")
	require.Len(t, lines, 4)
	assert.Equal(t, "rank kernel KTA centred KTA CSM FSM FSMErr entropy Accuracy sd", strings.Join(strings.Fields(lines[0]), " "))
	assert.Regexp(t, `^1 +RBF\(gamma=0.3\) `, lines[1])
	assert.NotContains(t, lines[1], "*")
	assert.Regexp(t, `^2 +RBF\(gamma=1e\+06\) .* 1.0000\* `, lines[2])
	assert.Equal(t, "* entropy outside [0.1, 0.5]", lines[3])
	assert.Equal(t, "Criterion(7)", Criterion(7).String())
	assert.Equal(t, "CSM", CSM.String())
}
