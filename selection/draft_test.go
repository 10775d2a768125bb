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

// Landmarks are used if the system exceeds the memory limit, and with a Budget.
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
		"with a Budget":  {&Regressor{Budget: time.Minute}, 6000, true, false},
	} {
		t.Run(name, func(t *testing.T) {
			e := c.of.engine()
			assert.Equal(t, c.handed, e.needsFalkon(c.rows))
			assert.Equal(t, c.drafted, e.drafts(c.rows))
		})
	}
	x, y := problemOf(400, 2, .1, 4)
	e := (&Regressor{Budget: time.Hour}).engine()
	e.draftedFrom = 300
	f, err := e.fit(ctx, x, y, nil, y, nil)
	require.NoError(t, err)
	assert.IsType(t, &falkon.Regressor{}, (&Regressor{f: f}).Models()[0].Estimator)
}
