package selection

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var ctx = context.Background()

func problemOf(n, d int, noise float64, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = math.Sin(2*x.At(i, 0)) + noise*rng.NormFloat64()
	}
	return x, y
}

func over(families ...families.Family) Space[estimators.Regressor] {
	return Kernels[estimators.Regressor](nil, families...)
}

func overClasses(families ...families.Family) Space[estimators.Classifier] {
	return Kernels[estimators.Classifier](nil, families...)
}

func overTwo(family families.Family2) Space[estimators.Regressor] {
	return Kernels2[estimators.Regressor](nil, family)
}

func classesOf(n int, seed uint64) (*mat.Dense, []int) {
	x, y := problemOf(n, 3, 0.3, seed)
	labels := make([]int, n)
	for i, v := range y {
		labels[i] = 7
		if v > 0 {
			labels[i] = -2
		}
	}
	return x, labels
}

// counting builds estimators whose fits are counted.
type counting struct {
	families.RBF
	fits *atomic.Int64
}

func (c counting) regressor(k kernels.Kernel) estimators.Regressor {
	return countedRegressor{Regressor: &lssvm.Regressor{Kernel: k}, fits: c.fits}
}

func (c counting) classifier(k kernels.Kernel) estimators.Classifier {
	return countedClassifier{Classifier: &lssvm.Classifier{Kernel: k}, fits: c.fits}
}

type countedRegressor struct {
	*lssvm.Regressor
	fits *atomic.Int64
}

func (c countedRegressor) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	c.fits.Add(1)
	return c.Regressor.Fit(ctx, x, y)
}

type countedClassifier struct {
	*lssvm.Classifier
	fits *atomic.Int64
}

func (c countedClassifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	c.fits.Add(1)
	return c.Classifier.Fit(ctx, x, y)
}

func TestEntropyForRegression(t *testing.T) {
	x, y := problemOf(90, 2, 0.2, 1)
	c := counting{fits: new(atomic.Int64)}
	seen := 0
	r := Regressor{Space: Kernels(c.regressor, c), Search: &entropy.Search{Score: entropy.LeaveOneOut, NoMinRidge: true}, Observe: func(row search.TraceRow) {
		if row.Step == nil {
			seen++
		}
	}}
	require.NoError(t, r.Fit(ctx, x, y))
	res := r.Result()
	assert.EqualValues(t, 1, c.fits.Load())
	assert.Equal(t, 1, res.Fits)
	assert.Equal(t, len(res.Trace), res.Evaluations)
	assert.Equal(t, len(res.Trace), res.KernelMatrices)
	assert.Equal(t, len(res.Trace), seen)
	assert.LessOrEqual(t, res.Evaluations, 20)
	assert.Equal(t, "leave-one-out NMSE", res.ScoreName)
	assert.Equal(t, "RBF", res.Family)

	best, chosen := math.Inf(1), 0
	for i, row := range res.Trace {
		k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: row.Param}, x, nil)
		require.NoError(t, err)
		s, err := measures.Entropy(ctx, k)
		require.NoError(t, err)
		assert.InDelta(t, s.Entropy, row.Entropy, 1e-12)
		assert.InDelta(t, s.Bits, row.Bits, 1e-10)
		// The score is the leave-one-out error of the learner at that ridge, and close to the minimum.
		l := lssvm.Regressor{Kernel: kernels.RBF{Gamma: row.Param}, Ridge: row.Ridge}
		require.NoError(t, l.Fit(ctx, x, y))
		residuals, err := l.LeaveOneOutResiduals(ctx)
		require.NoError(t, err)
		// The smallest ridges are 1e-8 of the diagonal, so that the condition number is 1e10. The rounding errors of the
		// tridiagonal reduction and of the Cholesky factor are then different.
		assert.InEpsilon(t, floats.Dot(residuals, residuals)/90, row.Score*variance(y), 1e-5)
		l.Ridge = 0
		require.NoError(t, l.Fit(ctx, x, y))
		assert.LessOrEqual(t, row.Score*variance(y), 1.1*l.Report().Objective)
		if row.Score < best {
			best, chosen = row.Score, i
		}
	}
	assert.Equal(t, res.Trace[chosen].Param, res.Param)
	assert.Equal(t, best, res.Score)
	assert.True(t, res.Trace[chosen].Chosen)
	for _, target := range []float64{.005, .05, .1, .2, .3, .4, .5} {
		nearest := math.Inf(1)
		for _, row := range res.Trace {
			nearest = min(nearest, math.Abs(row.Entropy-target))
		}
		assert.LessOrEqual(t, nearest, min(.02, target/4), "target %v", target)
	}
}

func variance(y []float64) float64 {
	mean, v := 0.0, 0.0
	for _, a := range y {
		mean += a / float64(len(y))
	}
	for _, a := range y {
		v += (a - mean) * (a - mean) / float64(len(y))
	}
	return v
}

func TestEntropyForClassification(t *testing.T) {
	x, y := classesOf(90, 2)
	c := counting{fits: new(atomic.Int64)}
	closed := Classifier{Space: Kernels(c.classifier, c)}
	require.NoError(t, closed.Fit(ctx, x, y))
	assert.EqualValues(t, 1, c.fits.Load())
	assert.Equal(t, 1, closed.Result().Fits)

	c.fits.Store(0)
	crossed := Classifier{Space: Kernels(c.classifier, c), Search: &entropy.Search{Score: entropy.CrossValidation}}
	require.NoError(t, crossed.Fit(ctx, x, y))
	res := crossed.Result()
	assert.EqualValues(t, c.fits.Load(), res.Fits)
	assert.Equal(t, "Accuracy", res.ScoreName)
	scored := 0
	for _, row := range res.Trace {
		if math.IsNaN(row.Score) {
			continue
		}
		scored++
		assert.LessOrEqual(t, row.Score, res.Score)
		got, err := validation.CrossValidateClassifier(ctx, &lssvm.Classifier{Kernel: kernels.RBF{Gamma: row.Param}}, x, y, nil)
		require.NoError(t, err)
		assert.InDelta(t, got.Mean("Accuracy"), row.Score, 1e-12)
	}
	assert.Equal(t, scored*defaultFolds+1, res.Fits)
	for _, m := range []*Classifier{&closed, &crossed} {
		xt, yt := classesOf(300, 3)
		p, err := m.Predict(xt)
		require.NoError(t, err)
		acc, err := metrics.Accuracy(yt, p, nil)
		require.NoError(t, err)
		assert.Greater(t, acc, 0.7)
		assert.Equal(t, []int{-2, 7}, m.Classes())
	}
}

func TestSingleTarget(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Targets: []float64{0.4}}}
	require.NoError(t, r.Fit(ctx, x, y))
	res := r.Result()
	assert.InDelta(t, 0.4, res.Entropy, .02)
	assert.Equal(t, 0.4, res.Target)
	assert.Equal(t, search.StatusOK, res.Status)
	assert.LessOrEqual(t, res.Evaluations, 4)
}

func TestHigherTargets(t *testing.T) {
	// Targets that jump from row to row need a kernel that almost memorises the rows.
	x, y := mat.NewDense(40, 1, nil), make([]float64, 40)
	for i := range y {
		x.Set(i, 0, float64(i))
		y[i] = math.Sin(float64(i)*0.8) * (1 + float64(i%2)/4)
	}
	r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}}
	require.NoError(t, r.Fit(ctx, x, y))
	taken := func(r Regressor, target float64) (search.Status, bool) {
		for _, row := range r.Result().Trace {
			for _, taken := range row.Taken {
				if taken.Target == target {
					return taken.Status, true
				}
			}
		}
		return "", false
	}
	for _, target := range []float64{.7, .9} {
		_, ok := taken(r, target)
		assert.True(t, ok, target)
	}
	// If the smallest entropy of a family exceeds the low targets, the search continues upwards.
	x, y = problemOf(60, 5, 0.1, 3)
	p := Regressor{Space: over(families.Polynomial{})}
	require.NoError(t, p.Fit(ctx, x, y))
	low, _ := taken(p, .05)
	higher, _ := taken(p, .1)
	assert.Contains(t, []search.Status{low, higher}, search.StatusFloor)
	_, ok := taken(p, .9)
	assert.True(t, ok)
	// Neither applies here.
	x, y = problemOf(60, 2, 0.3, 3)
	q := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}}
	require.NoError(t, q.Fit(ctx, x, y))
	_, ok = taken(q, .9)
	assert.False(t, ok)
}

func TestEveryFamilyCanBeSearched(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	for _, f := range []families.Family{families.RBF{}, families.Laplacian{}, families.Matern{}, families.Matern{Nu: 2.5}, families.Polynomial{}, families.ELM{}} {
		r := Regressor{Space: over(f)}
		require.NoError(t, r.Fit(ctx, x, y), f)
		p, err := r.Predict(x)
		require.NoError(t, err)
		v, err := metrics.NMSE(y, p, nil)
		require.NoError(t, err)
		assert.Less(t, v, 0.3, "%v", f)
		assert.LessOrEqual(t, r.Result().Evaluations, 60, "%v", f)
	}
}

func TestStatusesOnRows(t *testing.T) {
	// Five rows are repeated eight times. The entropy is that of the five rows, and is not limited by the copies.
	x, y := mat.NewDense(40, 1, nil), make([]float64, 40)
	for i := range y {
		x.Set(i, 0, float64(i%5))
		y[i] = float64(i % 5)
	}
	r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Targets: []float64{0.9}}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, search.StatusOK, r.Result().Status)
	assert.InDelta(t, 0.9, r.Result().Entropy, .02)

	// Integer degrees are too coarse for a small tolerance.
	x, y = problemOf(40, 3, 0.1, 1)
	p := Regressor{Space: over(families.Polynomial{}), Search: &entropy.Search{Targets: []float64{0.45}, Tolerance: 1e-6}}
	require.NoError(t, p.Fit(ctx, x, y))
	assert.Equal(t, search.StatusAtomic, p.Result().Status)
}

func TestDegenerateRows(t *testing.T) {
	for name, n := range map[string]int{"one row": 1, "equal rows": 5} {
		x, y := mat.NewDense(n, 2, nil), make([]float64, n)
		for i := range y {
			y[i] = float64(i)
		}
		err := (&Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrShape, name)
		assert.ErrorContains(t, err, "the entropy is 0 at every parameter", name)
	}
	for _, n := range []int{2, 3} {
		x, y := problemOf(n, 2, 0.1, 1)
		r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}}
		require.NoError(t, r.Fit(ctx, x, y))
		_, err := r.Predict(x)
		assert.NoError(t, err)
	}
	x, _ := problemOf(20, 2, 0.1, 1)
	r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}}
	require.NoError(t, r.Fit(ctx, x, make([]float64, 20)))
	assert.Contains(t, r.Result().Warnings[0], "constant")
	p, err := r.Predict(x)
	require.NoError(t, err)
	assert.InDelta(t, 0, mat.Norm(mat.NewVecDense(20, p), 2), 1e-12)
	assert.ErrorContains(t, (&Classifier{Space: overClasses(families.RBF{}), Search: &entropy.Search{}}).Fit(ctx, x, make([]int, 20)), "y has 1 class, want at least 2")
}

func TestLogEvidenceScore(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	r := Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Score: entropy.LogEvidence}}
	require.NoError(t, r.Fit(ctx, x, y))
	res := r.Result()
	assert.Equal(t, "log evidence", res.ScoreName)
	for _, row := range res.Trace {
		assert.LessOrEqual(t, row.Score, res.Score)
	}
	xc, yc := classesOf(30, 1)
	err := (&Classifier{Space: overClasses(families.RBF{}), Search: &entropy.Search{Score: entropy.LogEvidence}}).Fit(ctx, xc, yc)
	assert.ErrorContains(t, err, "Score = LogEvidence, want LeaveOneOutEvidence, LeaveOneOut or CrossValidation for a Classifier")
}

func TestCancelledSearchKeepsTheModel(t *testing.T) {
	x, y := problemOf(60, 2, 0.2, 1)
	for name, strategy := range map[string]search.Strategy{"entropy": &entropy.Search{}, "grid": &grid.Search{}} {
		r := Regressor{Search: strategy, Workers: 1}
		require.NoError(t, r.Fit(ctx, x, y))
		before := r.Result()
		c, cancel := context.WithCancel(ctx)
		rows := 0
		r.Observe = func(row search.TraceRow) {
			if row.Step != nil {
				return
			}
			if rows++; rows == 3 {
				cancel()
			}
		}
		require.ErrorIs(t, r.Fit(c, x, y), context.Canceled, name)
		assert.Equal(t, 3, rows, name)
		// NaN does not equal itself, so compare the JSON.
		was, err := json.Marshal(before)
		require.NoError(t, err)
		is, err := json.Marshal(r.Result())
		require.NoError(t, err)
		assert.JSONEq(t, string(was), string(is), name)
	}
}

func TestGridIsExhaustive(t *testing.T) {
	x, y := problemOf(70, 2, 0.2, 4)
	c := counting{fits: new(atomic.Int64)}
	steps := []transformers.Transformer{&scalers.StandardScaler{}}
	r := Regressor{Preprocess: steps, Space: Kernels(c.regressor, c), Search: &grid.Search{Points: 7, Splitter: validation.KFold{Folds: 4, Seed: 2}}}
	require.NoError(t, r.Fit(ctx, x, y))
	res := r.Result()
	assert.Equal(t, 7*4+1, res.Fits)
	assert.EqualValues(t, 29, c.fits.Load())
	require.Len(t, res.Trace, 7)
	ratio := math.Pow(1e2/1e-4, 1.0/6)
	folds, err := validation.KFold{Folds: 4, Seed: 2}.Split(70, nil)
	require.NoError(t, err)
	best := math.Inf(1)
	for i, row := range res.Trace {
		if i > 0 {
			assert.InEpsilon(t, ratio, row.Param/res.Trace[i-1].Param, 1e-9)
		}
		mean := 0.0
		for _, f := range folds { // compute the score explicitly, with the scaler fitted to the training rows only
			s := &scalers.StandardScaler{}
			require.NoError(t, s.Fit(ctx, linalg.Rows(x, f.Train)))
			train, err := s.Transform(linalg.Rows(x, f.Train))
			require.NoError(t, err)
			test, err := s.Transform(linalg.Rows(x, f.Test))
			require.NoError(t, err)
			l := lssvm.Regressor{Kernel: kernels.RBF{Gamma: row.Param}}
			require.NoError(t, l.Fit(ctx, train, linalg.Pick(y, f.Train)))
			p, err := l.Predict(test)
			require.NoError(t, err)
			v, err := metrics.NMSE(linalg.Pick(y, f.Test), p, nil)
			require.NoError(t, err)
			mean += v / 4
		}
		assert.InEpsilon(t, mean, row.Score, 1e-9)
		best = min(best, mean)
	}
	assert.InEpsilon(t, best, res.Score, 1e-9)
}

func TestGridParams(t *testing.T) {
	x, y := problemOf(30, 2, 0.2, 4)
	params := func(f families.Family, g *grid.Search) (out []float64) {
		r := Regressor{Space: over(f), Search: g}
		require.NoError(t, r.Fit(ctx, x, y))
		for _, row := range r.Result().Trace {
			out = append(out, row.Param)
		}
		return out
	}
	assert.Equal(t, []float64{1, 3}, params(families.RBF{}, &grid.Search{Params: []float64{1, 3}}))
	assert.InDeltaSlice(t, []float64{0.1, 1, 10}, params(families.RBF{}, &grid.Search{Points: 3, Lo: 0.1, Hi: 10}), 1e-12)
	assert.Equal(t, []float64{1, 2, 3, 4}, params(families.Polynomial{}, &grid.Search{Points: 5, Lo: 1, Hi: 4}), "whole degrees, each once")
	assert.Len(t, params(families.RBF{}, &grid.Search{}), 24)

	r := Regressor{Search: &grid.Search{Params: []float64{1e-9, 1e-8}}}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Contains(t, r.Result().Warnings[0], "lies on the edge of the grid")
	for text, g := range map[string]*grid.Search{
		"Points = -1":                {Points: -1},
		"Params = empty":             {Params: []float64{}},
		"Params[1] = -3":             {Params: []float64{1, -3}},
		"Lo, Hi = 5, 2":              {Lo: 5, Hi: 2},
		"want one with Values":       {Metric: metrics.Metric{Name: "Accuracy", Labels: metrics.Accuracy}},
		"want at least one for each": {Splitter: validation.KFold{Folds: 31}},
	} {
		assert.ErrorContains(t, (&Regressor{Search: g}).Fit(ctx, x, y), text)
	}
}

func TestEntropyParams(t *testing.T) {
	x, y := problemOf(30, 2, 0.2, 4)
	for text, e := range map[string]*entropy.Search{
		"Targets = empty":    {Targets: []float64{}},
		"Targets[1] = 1":     {Targets: []float64{0.2, 1}},
		"Tolerance = -1":     {Tolerance: -1},
		"MaxEvaluations = 1": {MaxEvaluations: 1},
		"Score = 9":          {Score: 9},
	} {
		err := (&Regressor{Search: e}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam, text)
		assert.ErrorContains(t, err, text)
	}
	assert.ErrorIs(t, (&Regressor{MaxKernelBytes: 100, Search: &entropy.Search{}}).Fit(ctx, x, y), estimators.ErrTooLarge)
	assert.ErrorContains(t, (&Regressor{MaxKernelBytes: -1, Search: &entropy.Search{}}).Fit(ctx, x, y), "selection: Regressor: MaxKernelBytes = -1")
	y[3] = math.NaN()
	assert.ErrorContains(t, (&Regressor{Space: over(families.RBF{}), Search: &entropy.Search{}}).Fit(ctx, x, y), "y[3] is NaN")
}

var errMoody = errors.New("moody")

// moody is a regressor whose Fit returns an error if fails is set.
type moody struct {
	estimators.Regressor
	fails bool
}

func (m moody) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	if m.fails {
		return errMoody
	}
	return m.Regressor.Fit(ctx, x, y)
}

func TestLearnersThatFail(t *testing.T) {
	x, y := problemOf(30, 2, 0.2, 4)
	build := func(above float64) func(k kernels.Kernel) estimators.Regressor {
		return func(k kernels.Kernel) estimators.Regressor {
			return moody{&lssvm.Regressor{Kernel: k}, k.(kernels.RBF).Gamma > above}
		}
	}
	for _, s := range []search.Strategy{&grid.Search{}, &grid.Halving{}, &entropy.Search{Score: entropy.CrossValidation}} {
		r := Regressor{Space: Kernels(build(0.5), families.RBF{}), Search: s}
		require.NoError(t, r.Fit(ctx, x, y))
		assert.Contains(t, r.Result().Warnings[0], "some fits failed, the first with: RBF(")
		assert.LessOrEqual(t, r.Result().Param, 0.5)
		err := (&Regressor{Space: Kernels(build(0), families.RBF{}), Search: s}).Fit(ctx, x, y)
		require.ErrorIs(t, err, errMoody)
		assert.ErrorContains(t, err, "no point could be scored")
	}
	err := (&Regressor{Space: Kernels(func(kernels.Kernel) estimators.Regressor { return nil })}).Fit(ctx, x, y)
	assert.ErrorIs(t, err, estimators.ErrParam)
}

func TestResultJSON(t *testing.T) {
	want := search.Result{Strategy: "grid", Entropy: math.NaN(), Score: math.Inf(1), Ridge: math.Inf(-1), Point: search.ParamPoint(2), Warnings: []string{"w"},
		Trace: []search.TraceRow{search.NewRow(search.ParamPoint(3)), {Iteration: 2, Score: math.Inf(1), EntropyRow: search.EntropyRow{Entropy: 0.5, Taken: []search.Taken{{Target: 0.5, Status: search.StatusOK}}}}}}
	data, err := json.Marshal(want)
	require.NoError(t, err)
	assert.Contains(t, string(data), `"entropy":null`)
	assert.Contains(t, string(data), `"score":"+Inf"`)
	var got search.Result
	require.NoError(t, json.Unmarshal(data, &got))
	assert.True(t, math.IsNaN(got.Entropy) && math.IsInf(got.Score, 1) && math.IsInf(got.Ridge, -1))
	assert.True(t, math.IsNaN(got.Trace[0].Score) && got.Trace[1].Entropy == 0.5)
	again, err := json.Marshal(got)
	require.NoError(t, err)
	assert.Equal(t, string(data), string(again))
	assert.Error(t, json.Unmarshal([]byte(`{"score":"many"}`), &got))
}

// Closed-form scores use only ridges that suit the learner: any ridge for lssvm, and at least MinRidge for other learners. Without
// noise in the targets, small ridges are best, so that the limits matter.
func TestMinRidge(t *testing.T) {
	x, y := problemOf(90, 1, 0, 1)
	type other struct{ estimators.Regressor }
	build := func(k kernels.Kernel) estimators.Regressor { return other{&lssvm.Regressor{Kernel: k}} }
	least := func(r *Regressor) float64 {
		require.NoError(t, r.Fit(ctx, x, y))
		out := math.Inf(1)
		for _, row := range r.Result().Trace {
			if row.Ridge < out { // false for NaN
				out = row.Ridge
			}
		}
		return out
	}
	for _, score := range []entropy.Score{entropy.LeaveOneOut, entropy.LogEvidence} {
		for _, method := range []entropy.Method{entropy.Exact, entropy.LowRank} {
			strategy := func(min float64) *entropy.Search {
				return &entropy.Search{Score: score, Method: method, MinRidge: max(min, 0), NoMinRidge: min < 0}
			}
			assert.Less(t, least(&Regressor{Search: strategy(0)}), 1e-4, "lssvm")
			assert.InEpsilon(t, 1e-3, least(&Regressor{Space: Kernels(build), Search: strategy(0)}), 1e-9, "another")
			assert.Less(t, least(&Regressor{Space: Kernels(build), Search: strategy(-1)}), 1e-4)
			assert.InEpsilon(t, .3, least(&Regressor{Search: strategy(.3)}), 1e-9)
		}
	}
	for _, v := range []float64{math.NaN(), math.Inf(1), -1} {
		assert.ErrorIs(t, (&Regressor{Space: over(families.RBF{}), Search: &entropy.Search{MinRidge: v}}).Fit(ctx, x, y), estimators.ErrParam)
	}
	// MinRidge is relative to the mean weight: if all weights are equal, the score does not depend on them.
	weights := slices.Repeat([]float64{4}, len(y))
	r := &Regressor{Space: over(families.RBF{}), Search: &entropy.Search{MinRidge: .1}}
	require.NoError(t, r.Fit(ctx, x, y))
	plain := r.Result()
	require.NoError(t, r.FitWeighted(ctx, x, y, weights))
	assert.InEpsilon(t, plain.Score, r.Result().Score, 1e-9)
}

// periodic is a family whose entropy rises and falls again as its parameter rises.
type periodic struct{ families.RBF }

func (periodic) Kernel(param float64) kernels.Kernel {
	return kernels.RBF{Gamma: math.Exp(math.Sin(math.Log(param)/4) - 1)}
}
func (periodic) String() string { return "periodic" }

// With each method, the status reports that the family or the rows do not allow an entropy.
func TestStatusesByEachMethod(t *testing.T) {
	x, y := problemOf(60, 3, .1, 1)
	for _, method := range []entropy.Method{entropy.Exact, entropy.LowRank, entropy.Subsample} {
		strategy := func(target float64) *entropy.Search {
			return &entropy.Search{Method: method, Targets: []float64{target}}
		}
		fitted := func(r *Regressor) *search.Result {
			t.Helper()
			require.NoError(t, r.Fit(ctx, x, y), "%v", method)
			return r.Result()
		}
		elm := fitted(&Regressor{Space: over(families.ELM{}), Search: strategy(.8)})
		assert.Equal(t, search.StatusCeiling, elm.Status, "%v: the ELM kernel stays below", method)
		assert.Less(t, elm.Entropy, .8)
		assert.Equal(t, search.StatusNonMonotone, fitted(&Regressor{Space: over(periodic{}), Search: strategy(.9)}).Status, "%v", method)
		assert.Equal(t, search.StatusOK, fitted(&Regressor{Search: strategy(.3)}).Status, "%v", method)

		// A row of zeros has no direction for a normalised kernel, but the polynomial kernel has a shift.
		zero := mat.DenseCopyOf(x)
		zero.SetRow(3, []float64{0, 0, 0})
		r := &Regressor{Space: over(families.Polynomial{}), Search: strategy(.7)}
		require.NoError(t, r.Fit(ctx, zero, y), "%v", method)
		assert.Contains(t, []search.Status{search.StatusOK, search.StatusAtomic}, r.Result().Status, "%v", method)

		// Equal rows count as one row in the entropy, and do not limit it.
		twice := mat.NewDense(60, 1, nil)
		for i := range 60 {
			twice.Set(i, 0, float64(i%4))
		}
		r = &Regressor{Search: strategy(.9)}
		require.NoError(t, r.Fit(ctx, twice, y), "%v", method)
		assert.Equal(t, search.StatusOK, r.Result().Status, "%v", method)
		assert.Equal(t, 4, r.Result().Trace[0].Rows, "%v", method)
		assert.ErrorIs(t, r.Fit(ctx, mat.NewDense(60, 2, nil), y), estimators.ErrShape, "%v: all rows are equal", method)

		// With few rows, or with constant targets, Fit succeeds. A single row is an error.
		for n := 1; n <= 3; n++ {
			few, of := problemOf(n, 2, .1, 1)
			r := &Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Method: method}}
			if n == 1 {
				assert.ErrorIs(t, r.Fit(ctx, few, of), estimators.ErrShape, "%v", method)
				continue
			}
			require.NoError(t, r.Fit(ctx, few, of), "%v, %d rows", method, n)
			assert.NotEmpty(t, r.Result().Status)
		}
		r = &Regressor{Space: over(families.RBF{}), Search: &entropy.Search{Method: method}}
		require.NoError(t, r.Fit(ctx, x, slices.Repeat([]float64{7}, 60)), "%v", method)
		assert.Contains(t, strings.Join(r.Result().Warnings, ";"), "the targets are constant", "%v", method)
	}
}
