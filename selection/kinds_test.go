package selection

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/stack"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
)

var severalKinds = []families.Family{families.Matern{Nu: 2.5}, families.Laplacian{}}

// steps returns rows and targets that jump in each of two columns. A sum of exponentials can follow the jumps, but a smooth
// function of the joint distance cannot.
func steps(n int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x, y := mat.NewDense(n, 3, nil), make([]float64, n)
	for i := range y {
		a, b, c := rng.NormFloat64(), rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b, c})
		y[i] = math.Floor(2*a) + 2*math.Floor(b) + .1*rng.NormFloat64()
	}
	return x, y
}

func nmse(t *testing.T, r *Regressor, x *mat.Dense, y []float64) float64 {
	t.Helper()
	got, err := r.Predict(x)
	require.NoError(t, err)
	floats.Sub(got, y)
	return floats.Dot(got, got) / float64(len(y)) / stat.PopVariance(y, nil)
}

func TestKindsOfNumbers(t *testing.T) {
	x, y := steps(150, 1)
	xNew, yNew := steps(400, 2)
	smooth, stacked := &Regressor{Kinds: severalKinds[:1]}, &Regressor{}
	require.NoError(t, smooth.Fit(ctx, x, y))
	require.NoError(t, stacked.Fit(ctx, x, y))
	assert.Less(t, nmse(t, stacked, xNew, yNew), .8*nmse(t, smooth, xNew, yNew))

	res := stacked.Result()
	all := append([]*search.Result{res}, res.Others...)
	require.Len(t, all, 5)
	total, seen := 0.0, map[string]int{}
	for _, r := range all {
		total += r.Share
		seen[r.Family]++
		assert.Less(t, r.LeaveOneOut, .5)
		assert.Equal(t, all[0].VarianceFactor, r.VarianceFactor)
	}
	assert.InDelta(t, 1, total, 1e-12)
	assert.Equal(t, map[string]int{"Matern(nu=2.5)": 3, "Laplacian": 2}, seen)
	assert.Equal(t, "Laplacian", res.Family)
	assert.InDelta(t, 1, res.VarianceFactor, .5)
	assert.Contains(t, res.String(), "Laplacian, standardised")

	low, high, err := stacked.PredictInterval(xNew, .95)
	require.NoError(t, err)
	inside := 0.0
	for i, v := range yNew {
		if low[i] <= v && v <= high[i] {
			inside++
		}
	}
	assert.InDelta(t, .95, inside/float64(len(yNew)), .04)

	data, err := stacked.MarshalBinary()
	require.NoError(t, err)
	read := &Regressor{}
	require.NoError(t, read.UnmarshalBinary(data))
	wantMean, wantVariance, err := stacked.PredictVariance(xNew)
	require.NoError(t, err)
	mean, variance, err := read.PredictVariance(xNew)
	require.NoError(t, err)
	assert.InDeltaSlice(t, wantMean, mean, 1e-9)
	assert.InEpsilonSlice(t, wantVariance, variance, 1e-9)
	assert.ErrorIs(t, (&Regressor{Kinds: severalKinds[:1]}).UnmarshalBinary(data), estimators.ErrBadModel, "which knows no Laplacian")

	// A search that resumes with the complete trace returns the same result.
	again := &Regressor{}
	for _, r := range all {
		again.Resume = append(again.Resume, r.Trace...)
	}
	require.NoError(t, again.Fit(ctx, x, y))
	assert.Equal(t, withoutSeconds(t, res), withoutSeconds(t, again.Result()))
}

// The shares minimise the leave-one-out error. The variance is multiplied by the mean ratio of the squared residuals to the
// variances of the mixture. This holds with weights and with equal rows.
func TestSharesOfLeaveOneOut(t *testing.T) {
	x, y := steps(60, 4)
	x.SetRow(9, x.RawRowView(8))
	w := make([]float64, len(y))
	for i := range w {
		w[i] = 1 + float64(i%3)
	}
	r := &Regressor{}
	require.NoError(t, r.FitWeighted(ctx, x, y, w))
	models := r.Models()
	require.Len(t, models, 5, "the share of an omitted model would go to the others")
	residuals, variances := make([][]float64, len(models)), make([][]float64, len(models))
	for k, m := range models {
		var err error
		residuals[k], err = m.Estimator.(*lssvm.Regressor).LeaveOneOutResiduals(ctx)
		require.NoError(t, err)
		variances[k], err = m.Estimator.(*lssvm.Regressor).LeaveOneOutVariances(ctx)
		require.NoError(t, err)
	}
	factor := 0.0
	for i := range y {
		mean, variance := 0.0, 0.0
		for k, m := range models {
			mean += m.Share * residuals[k][i]
		}
		for k, m := range models {
			d := residuals[k][i] - mean
			variance += m.Share * (variances[k][i] + d*d)
		}
		factor += w[i] * mean * mean / variance / floats.Sum(w)
	}
	assert.InEpsilon(t, factor, r.Result().VarianceFactor, 1e-9)

	sum := make([]float64, len(y)) // sums of the weights of equal rows
	copy(sum, w)
	sum[8], sum[9] = w[8]+w[9], 0
	rows := floats.Sum(sum) * floats.Sum(sum) / floats.Dot(sum, sum)
	objective := func(share []float64) (out float64) {
		least := math.Inf(1)
		own := make([]float64, len(models))
		for i := range y {
			mean := 0.0
			for k := range models {
				mean += share[k] * residuals[k][i]
				own[k] += w[i] * residuals[k][i] * residuals[k][i] / floats.Sum(w)
			}
			out += w[i] * mean * mean / floats.Sum(w)
		}
		least = min(least, floats.Min(own))
		return out + stack.TowardEqual*least/math.Sqrt(rows)*floats.Dot(share, share)
	}
	best := make([]float64, len(models))
	for k, m := range models {
		best[k] = m.Share
	}
	for a := range models {
		for b := range models {
			moved := append([]float64(nil), best...)
			step := min(.01, moved[a])
			moved[a], moved[b] = moved[a]-step, moved[b]+step
			assert.GreaterOrEqual(t, objective(moved), objective(best)-1e-12, "from %d to %d", a, b)
		}
	}
}

func TestKindsOfClasses(t *testing.T) {
	x, values := steps(150, 1)
	xNew, valuesNew := steps(400, 2)
	classesOf := func(values []float64) []int {
		out := make([]int, len(values))
		for i, v := range values {
			out[i] = 3
			if v > -1.5 {
				out[i] = 4
			}
		}
		return out
	}
	loss := func(c *Classifier) (sum float64) {
		require.NoError(t, c.Fit(ctx, x, classesOf(values)))
		p, err := c.PredictProba(xNew)
		require.NoError(t, err)
		for i, label := range classesOf(valuesNew) {
			sum -= math.Log(p.At(i, label-3))
		}
		return sum
	}
	c := &Classifier{}
	assert.Less(t, loss(c), .95*loss(&Classifier{Kinds: severalKinds[:1]}))
	for _, r := range append(c.Result().Others, c.Result()) {
		want := map[string]string{"Laplacian": "restricted log evidence", "Matern(nu=2.5)": "Laplace's log evidence"}[r.Family]
		if strings.HasSuffix(r.Columns, ", one length") {
			want = "log leave-one-out error, negated"
		}
		assert.Equal(t, want, r.ScoreName)
		assert.InDelta(t, .25, r.LeaveOneOut, .2, "the log loss")
		assert.Contains(t, c.Result().String(), want)
	}
	total := 0.0
	for _, m := range c.Models() {
		total += m.Share
	}
	assert.InDelta(t, 1, total, 1e-12)
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	read := &Classifier{}
	require.NoError(t, read.UnmarshalBinary(data))
	want, err := c.PredictProba(xNew)
	require.NoError(t, err)
	got, err := read.PredictProba(xNew)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-9))
}

func TestSingleModel(t *testing.T) {
	x, y := steps(60, 1)
	for _, kinds := range [][]families.Family{nil, severalKinds} {
		r := &Regressor{Kinds: kinds, SingleModel: true}
		require.NoError(t, r.Fit(ctx, x, y))
		require.Len(t, r.Models(), 1)
		assert.Equal(t, 1., r.Models()[0].Share)
		for _, o := range r.Result().Others {
			assert.Zero(t, o.Share)
		}
		data, err := r.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, (&Regressor{Kinds: kinds}).UnmarshalBinary(data))

		labels := make([]int, len(y))
		for i, v := range y {
			if v > 0 {
				labels[i] = 1
			}
		}
		all, one := &Classifier{Kinds: severalKinds}, &Classifier{Kinds: severalKinds, SingleModel: true}
		require.NoError(t, all.Fit(ctx, x, labels))
		require.NoError(t, one.Fit(ctx, x, labels))
		require.Len(t, one.Models(), 1)
		assert.Equal(t, all.Models()[0].Columns, one.Models()[0].Columns)
		assert.Equal(t, all.Result().Family, one.Result().Family)
	}
}

// Only the first kind is learnt with Groups, and if all rows are equal.
func TestFirstKindAlone(t *testing.T) {
	x, y := steps(40, 1)
	groups := make([]int, 40)
	for i := range groups {
		groups[i] = i / 4
	}
	r := &Regressor{Kinds: severalKinds, Groups: groups}
	require.NoError(t, r.Fit(ctx, x, y))
	for _, o := range append(r.Result().Others, r.Result()) {
		assert.Equal(t, "Matern(nu=2.5)", o.Family)
	}
	few := &Regressor{Kinds: severalKinds}
	require.NoError(t, few.Fit(ctx, mat.NewDense(2, 1, []float64{1, 1}), []float64{1, 2}))
	got, err := few.Predict(mat.NewDense(1, 1, []float64{1}))
	require.NoError(t, err)
	assert.InDelta(t, 1.5, got[0], 1e-9)
}

func TestKindsThatAreRefused(t *testing.T) {
	x, y := steps(20, 1)
	for want, r := range map[string]*Regressor{
		"Kinds = 0, want at least one":             {Kinds: []families.Family{}},
		"Kinds[1] = Laplacian, want families with": {Kinds: []families.Family{families.Laplacian{}, families.Laplacian{}}},
		"Kinds[0] = <nil>, want families with":     {Kinds: []families.Family{nil}},
		"Kinds = 2, want nil with Space or Sear":   {Kinds: severalKinds, Search: &grid.Search{}},
		"Space = NormalizedPolynomial":             {Kinds: []families.Family{families.Polynomial{}}},
	} {
		err := r.Fit(ctx, x, y)
		assert.ErrorIs(t, err, estimators.ErrParam)
		assert.ErrorContains(t, err, want)
	}
	labels := append(make([]int, 10), slices.Repeat([]int{1}, 10)...)
	assert.ErrorIs(t, (&Classifier{Kinds: severalKinds, Search: &grid.Search{}}).Fit(ctx, x, labels), estimators.ErrParam)
}
