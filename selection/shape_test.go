package selection

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
)

// scoreNames are the names of the objectives in a Result.
var scoreNames = map[shape.Objective]string{
	shape.RestrictedEvidence:  "restricted log evidence",
	shape.FullEvidence:        "log evidence",
	shape.LeaveOneOutError:    "log leave-one-out error, negated",
	shape.LeaveOneOutDensity:  "leave-one-out log density",
	shape.LeaveOneOutLogistic: "leave-one-out logistic loss, negated",
	shape.LaplaceEvidence:     "Laplace's log evidence",
}

// ofNumbers holds the objectives for numeric targets that use all rows.
var ofNumbers = []shape.Objective{shape.RestrictedEvidence, shape.FullEvidence, shape.LeaveOneOutError, shape.LeaveOneOutDensity}

// shaped returns a Regressor fitted with a shape.Search.
func shaped(t *testing.T, s *shape.Search, x *mat.Dense, y []float64) *Regressor {
	t.Helper()
	r := &Regressor{Space: over(defaultFamily), Search: s}
	require.NoError(t, r.Fit(ctx, x, y))
	return r
}

// nmseOf returns the normalised mean squared error on other rows.
func nmseOf(t *testing.T, r estimators.Regressor, x mat.Matrix, y []float64) float64 {
	t.Helper()
	p, err := r.Predict(x)
	require.NoError(t, err)
	out, err := metrics.NMSE(y, p, nil)
	require.NoError(t, err)
	return out
}

// scaled multiplies each column of x by a factor.
func scaled(x *mat.Dense, by ...float64) *mat.Dense {
	out := mat.DenseCopyOf(x)
	out.Apply(func(_, j int, v float64) float64 { return v * by[j] }, out)
	return out
}

// withColumns appends columns to x.
func withColumns(x *mat.Dense, more ...[]float64) *mat.Dense {
	n, d := x.Dims()
	out := mat.NewDense(n, d+len(more), nil)
	out.Slice(0, n, 0, d).(*mat.Dense).Copy(x)
	for j, c := range more {
		out.SetCol(d+j, c)
	}
	return out
}

// isotropic returns a search in which all columns share one length.
func isotropic(d int) *shape.Search { return &shape.Search{Groups: make([]int, d)} }

// Lengths are in the units of their columns: multiplying all columns by c multiplies the lengths by c and leaves predictions
// unchanged. Without a prior for similar lengths, this also holds for a single column.
func TestShapeFollowsTheUnits(t *testing.T) {
	x, y := problemOf(80, 3, .1, 4)
	x2, _ := problemOf(20, 3, .1, 5)
	for name, c := range map[string]struct {
		shape *shape.Search
		by    []float64
		delta float64
	}{
		"all":        {&shape.Search{}, []float64{8, 8, 8}, 1e-6},
		"all, small": {&shape.Search{}, []float64{1e-3, 1e-3, 1e-3}, 1e-6},
		"one":        {&shape.Search{NoPrior: true}, []float64{2, 1, 1}, 1e-2},
	} {
		a, b := shaped(t, c.shape, x, y), shaped(t, c.shape, scaled(x, c.by...), y)
		for j, by := range c.by {
			if name == "one" && j > 0 {
				continue // irrelevant columns may have any long length
			}
			assert.InEpsilon(t, by*a.Result().Lengths[j], b.Result().Lengths[j], c.delta, "%s, column %d", name, j)
		}
		want, err := a.Predict(x2)
		require.NoError(t, err)
		got, err := b.Predict(scaled(x2, c.by...))
		require.NoError(t, err)
		assert.InDeltaSlice(t, want, got, 100*c.delta*math.Sqrt(variance(y)), name)
	}
}

// A constant column has no length to learn. It keeps its initial length, and nothing else changes.
func TestShapeOfAConstantColumn(t *testing.T) {
	x, y := problemOf(60, 2, .1, 4)
	ones := slices.Repeat([]float64{3}, 60)
	a, b := shaped(t, &shape.Search{}, x, y), shaped(t, &shape.Search{}, withColumns(x, ones), y)
	assert.InEpsilonSlice(t, a.Result().Lengths, b.Result().Lengths[:2], 1e-6)
	assert.InEpsilon(t, a.Result().Ridge, b.Result().Ridge, 1e-6)
	assert.False(t, math.IsNaN(b.Result().Lengths[2]))
	want, err := a.Predict(x)
	require.NoError(t, err)
	got, err := b.Predict(withColumns(x, ones))
	require.NoError(t, err)
	assert.InDeltaSlice(t, want, got, 1e-6)
}

// Two copies of a column share its effect. They have the same length, and their sum of 1/l² equals 1/l² of the single column.
func TestShapeOfCopies(t *testing.T) {
	x, y := problemOf(80, 2, .1, 4)
	x2, y2 := problemOf(400, 2, .1, 5)
	twice := func(x *mat.Dense) *mat.Dense { return withColumns(x, mat.Col(nil, 0, x)) }
	s := &shape.Search{NoPrior: true}
	a, b := shaped(t, s, x, y), shaped(t, s, twice(x), y)
	one, two := a.Result().Lengths, b.Result().Lengths
	assert.InEpsilon(t, 1/one[0]/one[0], 1/two[0]/two[0]+1/two[2]/two[2], .02)
	assert.InEpsilon(t, two[0], two[2], 1e-3)
	assert.InEpsilon(t, nmseOf(t, a, x2, y2), nmseOf(t, b, twice(x2), y2), .02)
	// With the prior, copies hardly change the error.
	a, b = shaped(t, &shape.Search{}, x, y), shaped(t, &shape.Search{}, twice(x), y)
	assert.InEpsilon(t, nmseOf(t, a, x2, y2), nmseOf(t, b, twice(x2), y2), .1)
}

// One column has one length, and it equals the length that a search for one common length finds.
func TestShapeOfOneColumn(t *testing.T) {
	x, y := problemOf(60, 1, .1, 4)
	x2, y2 := problemOf(400, 1, .1, 5)
	r := shaped(t, &shape.Search{}, x, y)
	require.Len(t, r.Result().Lengths, 1)
	assert.Less(t, nmseOf(t, r, x2, y2), .1)
	assert.InEpsilon(t, shaped(t, isotropic(1), x, y).Result().Lengths[0], r.Result().Lengths[0], .01)
}

// With few rows, equal rows or constant targets, the search returns a model and a warning.
func TestShapeWithoutAnythingToLearn(t *testing.T) {
	same := mat.NewDense(20, 2, slices.Repeat([]float64{1, 2}, 20))
	x, y := problemOf(20, 2, .1, 4)
	one, two := mat.DenseCopyOf(x.Slice(0, 1, 0, 2)), mat.DenseCopyOf(x.Slice(0, 2, 0, 2))
	for name, c := range map[string]struct {
		x      *mat.Dense
		y      []float64
		warned bool
	}{
		"one row":        {one, y[:1], true},
		"two rows":       {two, y[:2], true},
		"equal targets":  {x, slices.Repeat([]float64{2.5}, 20), true},
		"equal rows":     {same, y, true},
		"both equal":     {same, slices.Repeat([]float64{2.5}, 20), true},
		"small targets":  {x, slices.Repeat([]float64{1e-148, 2e-148}, 10), false},
		"two equal rows": {mat.DenseCopyOf(same.Slice(0, 2, 0, 2)), y[:2], true},
	} {
		r := shaped(t, &shape.Search{}, c.x, c.y)
		p, err := r.Predict(c.x)
		require.NoError(t, err, name)
		low, high := slices.Min(c.y), slices.Max(c.y)
		for _, v := range p {
			assert.True(t, v >= low-1e-9 && v <= high+1e-9, "%s: %v between %v and %v", name, v, low, high)
		}
		if name == "equal rows" {
			assert.InDelta(t, floats.Sum(y)/20, p[0], 1e-9, "the mean")
		}
		assert.Equal(t, c.warned, strings.Contains(strings.Join(r.Result().Warnings, "; "), "no shape was learnt"), "%s: %v", name, r.Result().Warnings)
		assert.Equal(t, c.warned, r.Result().Lengths == nil, name)
	}
}

// With more columns than rows, of which one is relevant, the lengths identify the relevant column. The search also accepts 5000
// columns.
func TestShapeOfManyColumns(t *testing.T) {
	x, y := problemOf(150, 200, .1, 41)
	x2, y2 := problemOf(200, 200, .1, 5)
	r := shaped(t, &shape.Search{}, x, y)
	assert.Equal(t, 0, floats.MinIdx(r.Result().Lengths))
	assert.Less(t, nmseOf(t, r, x2, y2), .2*nmseOf(t, shaped(t, isotropic(200), x, y), x2, y2))

	x, y = problemOf(200, 5000, .1, 4)
	wide := shaped(t, &shape.Search{Start: &entropy.Search{Targets: []float64{.3}}, MaxIterations: 1}, x, y)
	require.Len(t, wide.Result().Lengths, 5000)
	assert.Equal(t, 0, floats.MinIdx(wide.Result().Lengths), "one step shows the column that counts")
}

// On columns and targets of pure noise, the prior keeps the test error near the variance. Without it the error is larger.
func TestShapeOfNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	sums := map[string]float64{}
	const draws = 5
	for draw := range uint64(draws) {
		x, _ := problemOf(60, 8, 0, draw)
		x2, _ := problemOf(500, 8, 0, draw+100)
		y, y2 := make([]float64, 60), make([]float64, 500)
		for _, v := range [][]float64{y, y2} {
			for i := range v {
				v[i] = rng.NormFloat64()
			}
		}
		for name, s := range map[string]*shape.Search{"prior": {}, "error, no prior": {Objective: shape.LeaveOneOutError, NoPrior: true}} {
			sums[name] += nmseOf(t, shaped(t, s, x, y), x2, y2) / draws
		}
	}
	assert.Less(t, sums["prior"], 1.1)
	assert.Greater(t, sums["error, no prior"], 1.1)
}

// Every objective uses the weights, and weights of 1 change nothing. The evidence treats a weight as a number of observations. The
// fit to weighted mean targets is much nearer to the fit to all single rows than a fit to the mean targets without weights.
func TestShapeWeights(t *testing.T) {
	x, y := problemOf(60, 2, 0, 4)
	rng := rand.New(rand.NewPCG(4, 2))
	const noise, times = .5, 6
	weights := slices.Repeat([]float64{1}, 60)
	var data, each []float64
	for i := range y {
		truth := y[i]
		if y[i] += noise * rng.NormFloat64(); i%3 == 0 {
			data, each = append(data, x.RawRowView(i)...), append(each, y[i])
			continue
		}
		weights[i], y[i] = times, 0
		for range times {
			v := truth + noise*rng.NormFloat64()
			data, each = append(data, x.RawRowView(i)...), append(each, v)
			y[i] += v / times
		}
	}
	rows := mat.NewDense(len(each), 2, data)
	for _, objective := range ofNumbers {
		s := &shape.Search{Objective: objective}
		weighted, ones := &Regressor{Space: over(defaultFamily), Search: s}, &Regressor{Space: over(defaultFamily), Search: s}
		require.NoError(t, weighted.FitWeighted(ctx, x, y, weights))
		require.NoError(t, ones.FitWeighted(ctx, x, y, slices.Repeat([]float64{1}, 60)))
		plain := shaped(t, s, x, y)
		assert.InDeltaSlice(t, plain.Result().Values, ones.Result().Values, 1e-9, "%v: weights of one", objective)
		without, err := plain.Predict(x)
		require.NoError(t, err)
		with, err := weighted.Predict(x)
		require.NoError(t, err)
		assert.Greater(t, floats.Distance(without, with, 2), 1e-2, "%v: weights count", objective)
		if objective == shape.RestrictedEvidence || objective == shape.FullEvidence {
			want, err := shaped(t, s, rows, each).Predict(x)
			require.NoError(t, err)
			assert.Less(t, floats.Distance(want, with, 2), .5*floats.Distance(want, without, 2), "%v", objective)
		}
	}
}

// The climb improves every objective and identifies the relevant column. The leave-one-out error is that of the fitted machine.
func TestShapeObjectives(t *testing.T) {
	x, y := problemOf(60, 3, .2, 4)
	for _, objective := range ofNumbers {
		r := shaped(t, &shape.Search{Objective: objective, NoPrior: true}, x, y)
		res := r.Result()
		best := math.Inf(-1)
		for _, row := range res.Trace {
			if row.Basis != search.OnStarts { // this value is an evidence relative to noise, maximised over several climbs
				best = max(best, row.Score)
			}
		}
		assert.Equal(t, best, res.Score, "%v", objective)
		assert.Greater(t, best, res.Trace[0].Score, "%v", objective)
		assert.Equal(t, scoreNames[objective], res.ScoreName)
		assert.Equal(t, 0, floats.MinIdx(res.Lengths), "%v", objective)
		assert.Equal(t, res.Ridge, r.Fitted().(*lssvm.Regressor).ChosenRidge(), "%v", objective)
		if objective == shape.LeaveOneOutError {
			residuals, err := r.Fitted().(*lssvm.Regressor).LeaveOneOutResiduals(ctx)
			require.NoError(t, err)
			assert.InEpsilon(t, -30*math.Log(floats.Dot(residuals, residuals)/60), res.Score, 1e-6)
		}
	}
}

// For families whose kernels have a length and derivatives, lengths are learnt. For any other family, the error names the family
// and the missing method.
func TestShapeFamilies(t *testing.T) {
	x, y := problemOf(60, 2, .1, 4)
	x2, y2 := problemOf(200, 2, .1, 5)
	for _, family := range []families.Family{
		families.RBF{}, families.Laplacian{}, families.RationalQuadratic{},
		families.Matern{Nu: .5}, families.Matern{Nu: 1.5}, families.Matern{Nu: 2.5},
	} {
		r := &Regressor{Space: over(family), Search: &shape.Search{}}
		require.NoError(t, r.Fit(ctx, x, y), family)
		assert.Less(t, r.Result().Lengths[0], r.Result().Lengths[1], family)
		one := &Regressor{Space: over(family), Search: isotropic(2)}
		require.NoError(t, one.Fit(ctx, x, y), family)
		assert.Less(t, nmseOf(t, r, x2, y2), nmseOf(t, one, x2, y2), family)
		start := &Regressor{Space: over(family), Search: &shape.Search{Start: &entropy.Search{}}}
		require.NoError(t, start.Fit(ctx, x, y), family)
		assert.Less(t, start.Result().Lengths[0], start.Result().Lengths[1], family)
	}
	for _, family := range []families.Family{families.Polynomial{}, families.ELM{}} {
		err := (&Regressor{Space: over(family), Search: &shape.Search{}}).Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrParam, family)
		assert.ErrorContains(t, err, "shape: Search")
		assert.ErrorContains(t, err, fmt.Sprint("Space = ", family))
	}
	err := (&Regressor{Space: Candidates[estimators.Regressor](&lssvm.Regressor{}), Search: &shape.Search{}}).Fit(ctx, x, y)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "shape: Search")
}

// With every objective for classes, the relevant column gets the smallest length.
func TestShapeOfClasses(t *testing.T) {
	x, y := problemOf(120, 3, .1, 4)
	two, three := make([]int, len(y)), make([]int, len(y))
	for i := range y {
		if x.At(i, 0) > .3 {
			two[i], three[i] = 1, 1
		}
		if x.At(i, 0) < -.5 {
			three[i] = 2
		}
	}
	two[3], two[60] = 1-two[3], 1-two[60]
	many := make([]int, len(y)) // each class occupies an interval of the first column
	for i := range many {
		many[i] = int(math.Floor(2 * x.At(i, 0)))
	}
	for _, of := range []struct {
		set, want shape.Objective
		labels    []int
	}{
		{shape.AutomaticObjective, shape.LaplaceEvidence, two}, {shape.AutomaticObjective, shape.LaplaceEvidence, three}, {shape.AutomaticObjective, shape.LeaveOneOutError, many},
		{shape.LeaveOneOutLogistic, shape.LeaveOneOutLogistic, two}, {shape.LaplaceEvidence, shape.LaplaceEvidence, many}, {shape.RestrictedEvidence, shape.RestrictedEvidence, two},
	} {
		if testing.Short() && !slices.Equal(of.labels, two) {
			continue // each objective is tested only once with two classes
		}
		c, want := &Classifier{Space: Kernels[estimators.Classifier](nil, defaultFamily), Search: &shape.Search{Objective: of.set}}, of.want
		require.NoError(t, c.Fit(ctx, x, of.labels))
		res := c.Result()
		assert.Equal(t, scoreNames[want], res.ScoreName)
		assert.Equal(t, 0, floats.MinIdx(res.Lengths), "%v: %v", want, res.Lengths)
		assert.Less(t, res.Lengths[0], .7*min(res.Lengths[1], res.Lengths[2]))
	}
	err := (&Classifier{Search: &shape.Search{Objective: shape.LeaveOneOutLogistic}}).Fit(ctx, x, three)
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "two classes")
	err = (&Regressor{Search: &shape.Search{Objective: shape.LaplaceEvidence}}).Fit(ctx, x, y)
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "for classes")
}

// The lengths that the estimators learn themselves equal those that the search finds with default settings. The estimators and the
// search first use a sample of the rows, or all rows if there are few.
func TestLengthsOfEstimators(t *testing.T) {
	for _, n := range []int{120, 400} {
		x, y := problemOf(n, 3, .2, 4)
		want := shaped(t, &shape.Search{}, x, y).Result().Lengths
		base := defaultFamily.Kernel(1)
		targets := learning.Targets{Y: mat.NewDense(n, 1, slices.Clone(y)), Outputs: 1}
		got, err := learning.Lengths{Base: base, Kind: learning.Restricted, Rows: []int{300, 1000}}.Learn(ctx, x, targets)
		require.NoError(t, err)
		for j, v := range got.Lengths {
			// Estimators and search draw different rows first, and with more rows a climb ends on a flat part of the objective.
			assert.InEpsilon(t, math.Min(want[j], 30), math.Min(v, 30), .1, "%d rows: %v, %v", n, want, got.Lengths)
		}
	}
	flat, err := learning.Lengths{Base: defaultFamily.Kernel(1), Rows: []int{300}}.Learn(ctx, mat.NewDense(4, 1, []float64{0, 1, 2, 3}), learning.Targets{Y: mat.NewDense(4, 1, nil), Outputs: 1})
	require.NoError(t, err)
	assert.InDelta(t, math.Sqrt(2.5), flat.Lengths[0], 1e-12, "the median distance if nothing can be learnt")
}

// Most targets of these rows are exactly 0, and the others have long tails. The evidence favours lengths that predict worse than the
// mean of the targets, with an NMSE of 1.59. AutomaticObjective is therefore the leave-one-out error.
func TestManyTargetsAreZero(t *testing.T) {
	draw := func(n int, seed uint64) (*mat.Dense, []float64) {
		rng := rand.New(rand.NewPCG(seed, 9))
		x, y := mat.NewDense(n, 6, nil), make([]float64, n)
		for i := range n {
			for j := range 6 {
				x.Set(i, j, rng.NormFloat64())
				if j > 3 {
					x.Set(i, j, float64(rng.IntN(3)))
				}
			}
			tail := math.Round(math.Exp(10+.5*x.At(i, 1)+.4*x.At(i, 5)+.8*rng.NormFloat64())/100) * 100
			if x.At(i, 4) == 2 || x.At(i, 0) >= .5 || rng.Float64() < .02 {
				y[i] = tail
			}
		}
		return x, y
	}
	x, y := draw(1000, 1)
	test, want := draw(2000, 101)
	for objective, limits := range map[shape.Objective][2]float64{shape.RestrictedEvidence: {1.2, 1.8}, shape.AutomaticObjective: {.6, .76}} {
		r := shaped(t, &shape.Search{Objective: objective}, x, y)
		got, err := r.Predict(test)
		require.NoError(t, err)
		nmse, err := metrics.NMSE(want, got, nil)
		require.NoError(t, err)
		assert.Greater(t, nmse, limits[0], objective)
		assert.Less(t, nmse, limits[1], objective)
	}
}

// The share of a value is that of its weight: two fifths of the targets are 0, or fewer.
func TestShareOfEqualTargets(t *testing.T) {
	x, y := problemOf(50, 2, .2, 3)
	for i := range 20 {
		y[i] = 0
	}
	even := slices.Repeat([]float64{1}, 50)
	light := slices.Clone(even)
	light[0] = .9
	y2 := append(slices.Clone(y[:19]), append([]float64{1}, y[20:]...)...)
	for name, c := range map[string]struct {
		y, weights []float64
		want       string
	}{
		"two fifths":  {y, even, scoreNames[shape.LeaveOneOutError]},
		"one fewer":   {y2, even, scoreNames[shape.RestrictedEvidence]},
		"less weight": {y, light, scoreNames[shape.RestrictedEvidence]},
	} {
		r := &Regressor{Space: over(defaultFamily), Search: &shape.Search{}}
		require.NoError(t, r.FitWeighted(ctx, x, c.y, c.weights), name)
		assert.Equal(t, c.want, r.Result().ScoreName, name)
	}
}
