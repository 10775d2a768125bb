package selection

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// draftedRegressor is a Regressor that treats more than 300 rows as many.
func draftedRegressor(t *testing.T, r *Regressor, x *mat.Dense, y []float64) *Regressor {
	t.Helper()
	e := r.engine()
	assert.Equal(t, 5000, e.draftedFrom)
	e.draftedFrom = 300
	f, err := e.fit(ctx, x, y, nil, y, nil)
	require.NoError(t, err)
	return &Regressor{Categories: r.Categories, f: f}
}

// With many rows, each kind is fitted exactly after the scaling that the draft chose. The result does not depend on the number of
// workers.
func TestManyRowsAreDrafted(t *testing.T) {
	x, y := problemOf(600, 2, .1, 4)
	r := draftedRegressor(t, &Regressor{}, x, y)
	models := r.Models()
	require.NotEmpty(t, models)
	for _, m := range models {
		assert.IsType(t, &lssvm.Regressor{}, m.Estimator)
		assert.Equal(t, models[0].Columns, m.Columns)
	}
	assert.Zero(t, r.Result().Landmarks)
	xNew, yNew := problemOf(300, 2, .1, 5)
	assert.Less(t, nmseOf(t, r, xNew, yNew), .1)
	want, err := r.Predict(xNew)
	require.NoError(t, err)

	data, err := r.MarshalBinary()
	require.NoError(t, err)
	again := &Regressor{}
	require.NoError(t, again.UnmarshalBinary(data))
	got, err := again.Predict(xNew)
	require.NoError(t, err)
	assert.Equal(t, want, got)
	for _, workers := range []int{1, 3} {
		other := draftedRegressor(t, &Regressor{Workers: workers}, x, y)
		got, err := other.Predict(xNew)
		require.NoError(t, err)
		assert.Equal(t, want, got, "%d workers", workers)
	}
}

// The draft also chooses the transformation of the target.
func TestDraftChoosesTheTarget(t *testing.T) {
	x, y := problemOf(600, 2, .1, 4)
	for i, v := range y {
		y[i] = math.Exp(2 * v)
	}
	assert.Contains(t, draftedRegressor(t, &Regressor{}, x, y).Result().Columns, "of targets")
	plain := &Regressor{Target: PlainTarget}
	assert.NotContains(t, draftedRegressor(t, plain, x, y).Result().Columns, "of targets")
}

// A logarithm that suits the draft is not used if any row has a target without a logarithm. This also holds for a row outside the
// sample, and for a row that is equal to a sampled one.
func TestDraftKnowsTheSigns(t *testing.T) {
	x, y := problemOf(600, 2, .1, 4)
	for i, v := range y {
		y[i] = math.Exp(3 * v)
	}
	require.Contains(t, draftedRegressor(t, &Regressor{}, x, y).Result().Columns, "logarithm of targets")
	drawn := rand.New(rand.NewPCG(0, draftStream)).Perm(600)
	y[drawn[599]] = 0
	assert.NotContains(t, draftedRegressor(t, &Regressor{}, x, y).Result().Columns, "logarithm")

	x, y = problemOf(60, 2, .1, 4)
	for i, v := range y {
		y[i] = math.Exp(3 * v)
	}
	x.SetRow(1, x.RawRowView(0))
	y[1] = 0
	r := &Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.NotContains(t, r.Result().Columns, "logarithm")
	assert.ErrorIs(t, (&Regressor{Target: LogTarget}).Fit(ctx, x, y), estimators.ErrParam)
}

// A draft uses the categories. The classes are those of all rows, also if no row of the sample has one of them.
func TestDraftOfClassesAndCategories(t *testing.T) {
	const n = 600
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	random := rand.New(rand.NewPCG(1, 1))
	for i := range n {
		x.Set(i, 0, float64(random.IntN(20)))
		x.Set(i, 1, random.NormFloat64())
		if int(x.At(i, 0))%2 == 0 {
			y[i] = 1
		}
	}
	c := &Classifier{Categories: []int{0}}
	e := c.engine()
	e.draftedFrom = 300
	f, err := e.fit(ctx, x, y, nil, nil, y)
	require.NoError(t, err)
	fitted := &Classifier{Categories: []int{0}, f: f}
	got, err := fitted.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, y, got)

	clear(y)
	drawn := map[int]bool{}
	for _, i := range rand.New(rand.NewPCG(0, draftStream)).Perm(n)[:n/2] {
		drawn[i] = true
	}
	for i := range n {
		if !drawn[i] && x.At(i, 1) > 0 {
			y[i] = 1
		}
	}
	f, err = e.fit(ctx, x, y, nil, nil, y)
	require.NoError(t, err)
	assert.Equal(t, []int{0, 1}, (&Classifier{f: f}).Classes())
	for _, m := range (&Classifier{f: f}).Models() {
		assert.Equal(t, "standardised", strings.TrimSuffix(m.Columns, logisticLabel))
	}
}

// Landmarks are used if the system exceeds the memory limit.
func TestWhereLandmarksBegin(t *testing.T) {
	for name, c := range map[string]struct {
		of      *Regressor
		rows    int
		handed  bool
		drafted bool
	}{
		"few":            {&Regressor{}, 5000, false, false},
		"many":           {&Regressor{}, 5001, false, true},
		"in 8 GiB":       {&Regressor{}, 50_000, false, true},
		"too many":       {&Regressor{}, 80_000, true, false},
		"in more memory": {&Regressor{MaxKernelBytes: 1 << 36}, 80_000, false, true},
		"most":           {&Regressor{MaxKernelBytes: 1 << 40}, 100_001, true, false},
		"in less memory": {&Regressor{MaxKernelBytes: 1 << 26}, 6000, true, false},
		"with a Budget":  {&Regressor{Budget: time.Minute}, 6000, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			e := c.of.engine()
			assert.Equal(t, c.handed, e.needsFalkon(c.rows))
			assert.Equal(t, c.drafted, e.drafts(c.rows))
		})
	}
}

// ticking returns a clock that advances by a second each time it is read.
func ticking() func() time.Time {
	at := time.Time{}
	return func() time.Time { at = at.Add(time.Second); return at }
}

// With a Budget, the seconds of the draft decide between all rows, by the default kinds, and landmarks, by the first kind. If a
// draft learns nothing, landmarks are used.
func TestDraftAndBudget(t *testing.T) {
	x, y := problemOf(600, 2, .1, 4)
	assert.InDelta(t, 1+2*(3.5+4), fullFit(20_000, 2), 1e-12)
	fit := func(budget time.Duration, x *mat.Dense, y []float64) *Regressor {
		t.Helper()
		e := (&Regressor{}).engine()
		e.draftedFrom, e.Budget, e.Now = 300, budget, ticking()
		f, err := e.fit(ctx, x, y, nil, y, nil)
		require.NoError(t, err)
		return &Regressor{f: f}
	}
	without := fit(0, x, y)
	require.IsType(t, &lssvm.Regressor{}, without.Models()[0].Estimator)
	enough := fit(24*time.Hour, x, y)
	require.Len(t, enough.Models(), len(without.Models()))
	for i, m := range enough.Models() {
		assert.Equal(t, without.Models()[i].Columns, m.Columns)
	}
	xNew, yNew := problemOf(300, 2, .1, 5)
	want, err := without.Predict(xNew)
	require.NoError(t, err)
	got, err := enough.Predict(xNew)
	require.NoError(t, err)
	assert.Equal(t, want, got, "a Budget that suffices changes nothing")

	late := fit(time.Minute, x, y) // the draft uses a quarter of it, and a fit of all rows takes at least 4.5 times as long
	assert.Less(t, nmseOf(t, late, xNew, yNew), .2)
	assert.Less(t, late.Result().Seconds, 60.)
	assert.Equal(t, defaultFamily.String(), late.Result().Family)
	require.Len(t, late.Models(), 1, "the draft chose the scaling")
	assert.IsType(t, &falkon.Regressor{}, late.Models()[0].Estimator)
	flats, rents := prices(600, 1)
	assert.Equal(t, LogTarget, fit(time.Minute, flats, rents).Models()[0].Target, "the draft chose the transformation")

	drawn := rand.New(rand.NewPCG(0, draftStream)).Perm(600)
	even := make([]float64, 600)
	for _, i := range drawn[300:] {
		even[i] = y[i]
	}
	for _, m := range fit(24*time.Hour, x, even).Models() {
		assert.IsType(t, &falkon.Regressor{}, m.Estimator)
	}

	x, labels := classesOf(600, 4)
	e := (&Classifier{}).engine()
	e.draftedFrom, e.Budget, e.Now = 300, time.Minute, ticking()
	f, err := e.fit(ctx, x, labels, nil, nil, labels)
	require.NoError(t, err)
	models := (&Classifier{f: f}).Models()
	assert.Len(t, models, 2, "classes have a model for each scaling")
	for _, m := range models {
		assert.IsType(t, &falkon.Classifier{}, m.Estimator)
	}
}
