package inspection

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// assertNeighbours checks that the weights of all rows, Rest and Intercept sum to the prediction, and that the rows are sorted.
func assertNeighbours(t *testing.T, l NeighbourList, prediction float64) {
	t.Helper()
	total := l.Rest + l.Intercept
	for i, n := range l.Rows {
		total += n.Weight
		if i > 0 {
			assert.LessOrEqual(t, math.Abs(n.Weight), math.Abs(l.Rows[i-1].Weight))
			assert.LessOrEqual(t, n.Share, l.Rows[i-1].Share)
		}
	}
	assert.InDelta(t, prediction, total, 1e-9)
}

func TestNeighboursOfAMachine(t *testing.T) {
	x, y := houses(60, 1)
	x.SetRow(17, x.RawRowView(5)) // a repeated row
	k := kernels.RBF{Gamma: 0.5}
	r := &lssvm.Regressor{Kernel: k, Ridge: 0.1}
	require.NoError(t, r.Fit(ctx, x, y))
	row := []float64{0.3, 0.8, -0.5, 2, 0.1}
	l, err := Neighbours(ctx, r, row, x, &NeighbourOptions{Count: 60})
	require.NoError(t, err)
	require.Len(t, l.Rows, 60)
	assert.Equal(t, r.Intercept(), l.Intercept)
	assert.InDelta(t, 0, l.Rest, 1e-12)
	assertNeighbours(t, l, predict(t, r, mat.NewDense(1, 5, row))[0])
	weights, shares := map[int]float64{}, 0.0
	for _, n := range l.Rows {
		assert.InDelta(t, k.Eval(row, x.RawRowView(n.Row)), n.Kernel, 1e-14)
		weights[n.Row] = n.Weight
		shares += n.Share
	}
	assert.InDelta(t, 1, shares, 1e-12)
	assert.InDelta(t, weights[5], weights[17], 1e-15, "copies have half each")
	assert.InDelta(t, r.Coefficients()[5]*k.Eval(row, x.RawRowView(5)), 2*weights[5], 1e-12)
	assert.InDelta(t, r.Coefficients()[3]*k.Eval(row, x.RawRowView(3)), weights[3], 1e-12)

	few, err := Neighbours(ctx, r, row, x, nil)
	require.NoError(t, err)
	assert.Equal(t, l.Rows[:10], few.Rows)
	assertNeighbours(t, few, predict(t, r, mat.NewDense(1, 5, row))[0])
	assert.Contains(t, few.String(), "all other rows")
	part, err := Neighbours(ctx, r, row, x.Slice(0, 20, 0, 5), nil)
	require.NoError(t, err)
	assertNeighbours(t, part, predict(t, r, mat.NewDense(1, 5, row))[0])

	alike, err := Neighbours(ctx, r, x.RawRowView(8), x, &NeighbourOptions{ByKernel: true, Count: 3})
	require.NoError(t, err)
	assert.Equal(t, 8, alike.Rows[0].Row, "the row itself is nearest")
	assert.InDelta(t, 1, alike.Rows[0].Kernel, 1e-15)
}

// Weights refer to the original rows, for any preprocessing and any number of machines.
func TestNeighboursBehindSteps(t *testing.T) {
	x, y := houses(60, 1)
	row := []float64{0.3, 0.8, -0.5, 2, 0.1}
	for name, r := range map[string]estimators.Regressor{
		"pipeline": &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{}},
		"search":   &selection.Regressor{Target: selection.PlainTarget},
		"falkon":   &falkon.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, Components: 30},
		"svm":      &svm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}},
	} {
		require.NoError(t, r.Fit(ctx, x, y), name)
		l, err := Neighbours(ctx, r, row, x, nil)
		require.NoError(t, err, name)
		assertNeighbours(t, l, predict(t, r, mat.NewDense(1, 5, row))[0])
		assert.NotZero(t, l.Rows[0].Weight)
		_, err = Neighbours(ctx, r, row, uniform(20, 5, -1, 1, 7), nil)
		assert.ErrorIs(t, err, estimators.ErrParam, "%s: rows of another fit", name)
	}
}

func TestClassNeighbours(t *testing.T) {
	x, y := houses(60, 1)
	labels := make([]int, len(y))
	for i, v := range y {
		labels[i] = 3 + min(2, max(0, int(v*1.5)))
	}
	c := &lssvm.Classifier{}
	require.NoError(t, c.Fit(ctx, x, labels))
	row := []float64{0.3, 0.8, -0.5, 2, 0.1}
	scores, err := c.Decision(mat.NewDense(1, 5, row))
	require.NoError(t, err)
	for k, class := range c.Classes() {
		l, err := ClassNeighbours(ctx, c, row, x, class, nil)
		require.NoError(t, err)
		assertNeighbours(t, l, scores.At(0, k))
	}
	_, err = ClassNeighbours(ctx, c, row, x, 9, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	mean := &selection.Classifier{}
	require.NoError(t, mean.Fit(ctx, x, labels))
	_, err = ClassNeighbours(ctx, mean, row, x, 3, nil)
	assert.ErrorIs(t, err, errors.ErrUnsupported, "a mean of probabilities is not a sum of kernel values")
}

func TestNeighboursErrors(t *testing.T) {
	x, y := houses(40, 1)
	row := x.RawRowView(0)
	r := fittedTo(t, &lssvm.Regressor{}, x, y)
	for name, c := range map[string]struct {
		r    estimators.Regressor
		row  []float64
		opt  NeighbourOptions
		want error
	}{
		"not fitted": {&lssvm.Regressor{}, row, NeighbourOptions{}, estimators.ErrNotFitted}, "a short row": {r, row[1:], NeighbourOptions{}, estimators.ErrShape},
		"count": {r, row, NeighbourOptions{Count: -1}, estimators.ErrParam}, "linear": {fittedTo(t, &ridge.Regressor{}, x, y), row, NeighbourOptions{}, estimators.ErrParam},
		"frequencies": {fittedTo(t, &gabasr.Regressor{Sweeps: 10, Chains: 1}, x, y), row, NeighbourOptions{}, errors.ErrUnsupported},
	} {
		_, err := Neighbours(ctx, c.r, c.row, x, &c.opt)
		assert.ErrorIs(t, err, c.want, name)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err := Neighbours(gone, r, row, x, nil)
	assert.ErrorIs(t, err, context.Canceled)
}
