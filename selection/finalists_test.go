package selection

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/search"
)

// With more than a few hundred rows, the machine that the search computed agrees with a fit of the chosen kernel and ridge.
func TestChoiceIsTheMachine(t *testing.T) {
	x, y := problemOf(700, 4, .3, 1)
	r := &Regressor{}
	r.Search = &entropy.Search{}
	require.NoError(t, r.Fit(ctx, x, y))
	m := r.Fitted().(*lssvm.Regressor)
	require.True(t, onMatrix(r.Result()))
	plain := &lssvm.Regressor{Kernel: m.ChosenKernel(), Ridge: r.Result().Ridge}
	require.NoError(t, plain.Fit(ctx, x, y))
	assert.InDeltaSlice(t, plain.Coefficients(), m.Coefficients(), 1e-8)
	assert.InDelta(t, plain.Intercept(), m.Intercept(), 1e-8)
	assert.NotEqual(t, plain.Report().Objective, m.Report().Objective, "it was not solved again")

	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = 3 * int(math.Copysign(1, v))
	}
	c := &Classifier{Search: &entropy.Search{}}
	require.NoError(t, c.Fit(ctx, x, labels))
	own := c.Fitted().(*lssvm.Classifier)
	require.True(t, onMatrix(c.Result()))
	same := &lssvm.Classifier{Kernel: own.ChosenKernel(), Ridge: c.Result().Ridge}
	require.NoError(t, same.Fit(ctx, x, labels))
	assert.True(t, mat.EqualApprox(same.Coefficients(), own.Coefficients(), 1e-8))
	want, err := same.PredictProba(x)
	require.NoError(t, err)
	got, err := c.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-6))
}

func onMatrix(r *search.Result) bool {
	return chosenRow(r).Basis == search.OnMatrix && chosenRow(r).Rows == 700
}

// If few rows prefer one family and all rows another, both families are scored on more rows, and the better one is refined.
func TestFamiliesOnMoreRows(t *testing.T) {
	x, y := problemOf(1200, 8, .3, 3)
	r := &Regressor{Search: &entropy.Search{Seed: 1}}
	require.NoError(t, r.Fit(ctx, x, y))
	results := append([]*search.Result{r.Result()}, r.Result().Others...)
	require.Len(t, results, 2)
	var first []float64
	for _, result := range results {
		i := slices.IndexFunc(result.Trace, func(row search.TraceRow) bool { return row.Round > 0 })
		require.GreaterOrEqual(t, i, 0, result.Family)
		first = append(first, result.Trace[i].Score)
	}
	assert.Less(t, first[0], first[1])
	assert.Len(t, slices.DeleteFunc(results[1].Trace, func(row search.TraceRow) bool { return row.Round == 0 }), 1, "it went no further")
}

// The search passes its machine only to machines of package lssvm. Other learners may use other rows or kernels.
func TestPrepare(t *testing.T) {
	known := loo.Start{Near: 2, Solved: &loo.Solved{Ridge: 1}}
	machine, other := &lssvm.Regressor{}, &lssvmBehind{}
	for _, e := range []estimators.Regressor{machine, other} {
		x, y := problemOf(5, 1, 0, 1)
		run := search.New(search.Problem{Family: families.RBF{}, X: x, Targets: y}, unlimited())
		_, err := run.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(1), Rows: 5}, func(context.Context, *search.TraceRow) error { return nil })
		require.NoError(t, err)
		r, err := run.Finish("test", search.Choice{Iteration: 1, Start: known})
		require.NoError(t, err)
		engine[float64, estimators.Regressor]{}.prepare(e, r)
		assert.Zero(t, r.TakeStart(), "it is forgotten")
	}
	assert.Equal(t, known, machine.TakeStart())
	assert.Zero(t, machine.TakeStart(), "once")
	assert.Zero(t, other.TakeStart())
	assert.True(t, areRidgeMachines([]estimators.Regressor{&lssvm.Regressor{}}))
	assert.False(t, areRidgeMachines([]estimators.Regressor{&svm.Regressor{}}))
}

// lssvmBehind has the methods of a machine, but may be fitted in any way.
type lssvmBehind struct{ lssvm.Regressor }
