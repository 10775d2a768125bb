package ridge_test

import (
	"context"
	"errors"
	"math"
	"runtime"
	"strconv"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/testkit/sparsetest"
	"github.com/kernelearn/kernelearn/sparse"
)

// wideColumns is so large that 80 rows exceed the size of a dense copy.
const wideColumns = 1 << 18

// spread moves the 60 columns of x to distant positions among wideColumns columns.
func spread(x *sparse.Rows) *sparse.Rows { return sparsetest.Widened(x, 4096, wideColumns) }

// The system of the inner products of the rows has the same coefficients, ridge and leave-one-out residuals as a fit to a dense
// copy.
func TestSparseRowsGiveTheDenseRegression(t *testing.T) {
	ctx := context.Background()
	x, y := sparsetest.Rows(80, 60, 8, 1)
	fresh, _ := sparsetest.Rows(9, 60, 8, 2)
	numbers, weights, groups := []int{0, 0}, []float64{1, 2}, []int{0, 0}
	for i := range 80 {
		numbers, weights, groups = append(numbers, i), append(weights, 1+float64(i%3)), append(groups, i/2)
	}
	x, y = x.Pick(numbers), append([]float64{y[0] + .1, y[0] - .2}, y...)
	for name, c := range map[string]struct {
		model   ridge.Regressor
		weights []float64
	}{
		"leave-one-out": {}, "weights": {weights: weights}, "groups": {model: ridge.Regressor{Groups: groups}},
		"ridge": {model: ridge.Regressor{Ridge: .3}}, "heuristic": {model: ridge.Regressor{RidgeRule: ridge.Heuristic}, weights: weights},
		"ridge and groups": {model: ridge.Regressor{Ridge: .3, Groups: groups}, weights: weights},
	} {
		want, got := c.model, c.model
		fit := func(r *ridge.Regressor, x mat.Matrix) error {
			if c.weights == nil {
				return r.Fit(ctx, x, y)
			}
			return r.FitWeighted(ctx, x, y, c.weights)
		}
		require.NoError(t, fit(&want, x.Dense()), name)
		require.NoError(t, fit(&got, spread(x)), name)
		assert.InEpsilon(t, want.ChosenRidge(), got.ChosenRidge(), 1e-6, name)
		assert.InDelta(t, want.Report().Objective, got.Report().Objective, 1e-8, name)
		if c.model.Groups == nil {
			assert.InDelta(t, want.PriorVariance(), got.PriorVariance(), 1e-6*want.PriorVariance(), name)
		}
		for j, b := range want.Coefficients() {
			require.InDelta(t, b, got.Coefficients()[j*4096], 1e-7, name)
		}
		p, err := got.Predict(spread(fresh))
		require.NoError(t, err, name)
		w, err := want.Predict(fresh.Dense())
		require.NoError(t, err, name)
		assert.InDeltaSlice(t, w, p, 1e-7, name)
		onSparse, err := want.Predict(fresh)
		require.NoError(t, err, name)
		assert.InDeltaSlice(t, w, onSparse, 1e-12, name)
		wantLeft, err := want.LeaveOneOutResiduals(ctx)
		require.NoError(t, err, name)
		left, err := got.LeaveOneOutResiduals(ctx)
		require.NoError(t, err, name)
		assert.InDeltaSlice(t, wantLeft, left, 1e-6, name)
		_, _, err = got.PredictVariance(spread(fresh))
		assert.ErrorIs(t, err, errors.ErrUnsupported, name)
		_, _, err = got.PredictInterval(spread(fresh), .9)
		assert.ErrorIs(t, err, errors.ErrUnsupported, name)
		_, err = got.Predict(fresh)
		assert.ErrorIs(t, err, estimators.ErrShape, name)
	}
}

func TestSparseTargets(t *testing.T) {
	ctx := context.Background()
	x, y := sparsetest.Rows(80, 60, 8, 1)
	two := mat.NewDense(80, 2, nil)
	for i, v := range y {
		two.SetRow(i, []float64{v, 1e6 * math.Sin(float64(i))})
	}
	for _, model := range []ridge.MultiRegressor{{}, {RidgePerTarget: true}} {
		want, got := model, model
		require.NoError(t, want.Fit(ctx, x.Dense(), two))
		require.NoError(t, got.Fit(ctx, spread(x), two))
		w, err := want.Predict(x.Dense())
		require.NoError(t, err)
		p, err := got.Predict(spread(x))
		require.NoError(t, err)
		for i := range 80 {
			assert.InDelta(t, w.At(i, 0), p.At(i, 0), 1e-6)
			assert.InDelta(t, w.At(i, 1), p.At(i, 1), 1)
		}
		for j, r := range want.ChosenRidges() {
			assert.InEpsilon(t, r, got.ChosenRidges()[j], 1e-6)
		}
	}
}

// gcv computes the generalised cross-validation error from its definition, with the eigenvalues of the centred products of the
// columns.
func gcv(t *testing.T, x *mat.Dense, y []float64, ridges []float64) []float64 {
	n, d := x.Dims()
	z, target := mat.DenseCopyOf(x), mat.NewVecDense(n, nil)
	mean := 0.
	for _, v := range y {
		mean += v / float64(n)
	}
	for i, v := range y {
		target.SetVec(i, v-mean)
	}
	for j := range d {
		column := mat.Sum(z.ColView(j)) / float64(n)
		for i := range n {
			z.Set(i, j, z.At(i, j)-column)
		}
	}
	var svd mat.SVD
	require.True(t, svd.Factorize(z, mat.SVDThin))
	var u mat.Dense
	svd.UTo(&u)
	var rotated mat.VecDense
	rotated.MulVec(u.T(), target)
	out := make([]float64, len(ridges))
	for r, ridge := range ridges {
		squares, free := mat.Dot(target, target), float64(n-1)
		for j, s := range svd.Values(nil) {
			h := s * s / (s*s + ridge)
			free -= h
			squares += ((1-h)*(1-h) - 1) * rotated.AtVec(j) * rotated.AtVec(j)
		}
		out[r] = squares / float64(n) / (free / float64(n)) / (free / float64(n))
	}
	return out
}

// With many rows the chosen ridge has the smallest generalised cross-validation error, and the coefficients equal those of the
// dense regression.
func TestSparseGradients(t *testing.T) {
	ctx := context.Background()
	x, y := sparsetest.Rows(4200, 60, 8, 1)
	got := &ridge.Regressor{}
	require.NoError(t, got.Fit(ctx, spread(x), y))
	var ridges []float64
	for e := -4.; e < 4; e += .05 {
		ridges = append(ridges, math.Pow(10, e))
	}
	least := math.Inf(1)
	for _, v := range gcv(t, x.Dense(), y, ridges) {
		least = min(least, v)
	}
	own := gcv(t, x.Dense(), y, []float64{got.ChosenRidge()})[0]
	assert.LessOrEqual(t, own, 1.0005*least)
	assert.InEpsilon(t, own, got.Report().Objective, .01, "the trace is estimated by random signs")
	assert.True(t, got.Report().Converged)

	for name, c := range map[string]struct {
		model ridge.Regressor
		n     int
	}{
		"chosen": {ridge.Regressor{Ridge: got.ChosenRidge()}, 4200}, "no intercept": {ridge.Regressor{Ridge: 2, NoIntercept: true}, 80},
		"one row": {ridge.Regressor{}, 1},
	} {
		if c.n == 1 && strconv.IntSize == 32 {
			continue // its vectors would take a gigabyte
		}
		few := x.Slice(0, c.n)
		want, got := c.model, c.model
		require.NoError(t, want.Fit(ctx, few.Dense(), y[:c.n]), name)
		wide := spread(few)
		if c.n == 1 {
			wide = sparsetest.Widened(few, 1<<18, 60<<18)
		}
		require.NoError(t, got.Fit(ctx, wide, y[:c.n]), name)
		w, err := want.Predict(few.Dense())
		require.NoError(t, err, name)
		p, err := got.Predict(wide)
		require.NoError(t, err, name)
		assert.InDeltaSlice(t, w, p, 1e-8, name)
		_, err = got.LeaveOneOutResiduals(ctx)
		assert.ErrorIs(t, err, errors.ErrUnsupported, name)
		assert.InDelta(t, want.PriorVariance(), got.PriorVariance(), .05*want.PriorVariance(), name)
	}

	several := ridge.Regressor{Workers: 1}
	require.NoError(t, several.Fit(ctx, spread(x), y))
	assert.Equal(t, several.Coefficients(), got.Coefficients(), "for any number of workers")
	pairs := make([]int, 4200)
	for i := range pairs {
		pairs[i] = i / 2
	}
	assert.ErrorIs(t, (&ridge.Regressor{Groups: pairs}).Fit(ctx, spread(x), y), estimators.ErrParam)
	ended, cancel := context.WithCancel(ctx)
	steps := 0
	stopped := &ridge.Regressor{Observe: func(estimators.Step) {
		if steps++; steps == 2 {
			cancel()
		}
	}}
	assert.ErrorIs(t, stopped.Fit(ended, spread(x), y), context.Canceled)
}

// A fit of 20 000 documents of 50 000 words, whose dense copy takes 8 GB, needs less than 200 MB in total.
func TestSparseDocumentsAreNeverDense(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds")
	}
	x, y := sparsetest.Rows(20_000, 50_000, 60, 1)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	model := &ridge.Regressor{}
	require.NoError(t, model.Fit(context.Background(), x, y))
	p, err := model.Predict(x)
	require.NoError(t, err)
	runtime.ReadMemStats(&after)
	assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(200<<20))
	squares, total := 0., 0.
	for i, v := range y {
		squares, total = squares+(v-p[i])*(v-p[i]), total+v*v
	}
	assert.Less(t, squares, .5*total, "the fit explains most of the targets")
}

func TestSparseModelFiles(t *testing.T) {
	ctx := context.Background()
	x, y := sparsetest.Rows(6, 60, 8, 1)
	wide := sparsetest.Widened(x, 1<<12, 1<<21)
	for name, model := range map[string]*ridge.Regressor{"rows": {}, "gradients": {NoIntercept: true, Ridge: 1}} {
		require.NoError(t, model.Fit(ctx, wide, y), name)
		data, err := model.MarshalBinary()
		require.NoError(t, err)
		read := &ridge.Regressor{}
		require.NoError(t, read.UnmarshalBinary(data), name)
		w, err := model.Predict(wide)
		require.NoError(t, err)
		p, err := read.Predict(wide)
		require.NoError(t, err)
		assert.LessOrEqual(t, golden.MaxError(p, w), 0.)
		_, _, err = read.PredictVariance(wide)
		assert.ErrorIs(t, err, errors.ErrUnsupported, name)
		_, err = read.LeaveOneOutResiduals(ctx)
		assert.Equal(t, name == "gradients", errors.Is(err, errors.ErrUnsupported))
	}
	huge := sparsetest.Widened(x, 1<<20, 2_000_000_000)
	assert.ErrorIs(t, (&ridge.Regressor{}).Fit(ctx, huge, y), estimators.ErrTooLarge)
}
