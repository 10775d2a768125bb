package selection

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

var errAllRows = errors.New("fewer rows")

// upTo returns an error if there are more than most rows, and counts its fits.
type upTo struct {
	lssvm.Regressor
	most int
	fits *int
}

func (u *upTo) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	*u.fits++
	if n, _ := x.Dims(); n > u.most {
		return errAllRows
	}
	return u.Regressor.Fit(ctx, x, y)
}

func (u *upTo) Clone() estimators.Regressor {
	return &upTo{Regressor: u.Regressor, most: u.most, fits: u.fits}
}

// If a Fit fails after the search, the error contains the results of the search. Another Fit continues from them without further
// fits of the search.
func TestSearchErrorOfTheLastFit(t *testing.T) {
	x, y := problemOf(60, 2, .3, 4)
	fits := 0
	space := func(most int) Space[estimators.Regressor] {
		return Kernels(func(k kernels.Kernel) estimators.Regressor {
			return &upTo{lssvm.Regressor{Kernel: k, Ridge: .1}, most, &fits}
		}, families.RBF{})
	}
	r := &Regressor{Space: space(59), Search: &grid.Search{Points: 5}, Workers: 1}
	err := r.Fit(ctx, x, y)
	require.ErrorIs(t, err, errAllRows)
	var unfinished *SearchError
	require.ErrorAs(t, err, &unfinished)
	require.Len(t, unfinished.Trace, 5)
	require.NotNil(t, unfinished.Result)
	assert.NotEmpty(t, unfinished.Result.Kernel)
	assert.Nil(t, r.Result(), "nothing was fitted")

	fits = 0
	r.Space, r.Resume = space(60), unfinished.Trace
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, 1, fits)
	assert.Equal(t, unfinished.Result.Kernel, r.Result().Kernel)
}

// If the context of a Fit ends, the error contains the rows of all families. The next Fit then has the same result as an
// uninterrupted Fit.
func TestSearchErrorOfAContext(t *testing.T) {
	x, y := problemOf(80, 2, .3, 4)
	fit := func(ctx context.Context, resume []search.TraceRow, observe func(search.TraceRow)) (*Regressor, error) {
		r := &Regressor{Space: over(families.RBF{}, families.Matern{}), Search: &grid.Search{Points: 6}, Workers: 1, Resume: resume, Observe: observe}
		return r, r.Fit(ctx, x, y)
	}
	whole, err := fit(ctx, nil, nil)
	require.NoError(t, err)
	cancelled, cancel := context.WithCancel(ctx)
	seen := 0
	_, err = fit(cancelled, nil, func(row search.TraceRow) {
		if row.Step == nil && row.Iteration > 0 {
			if seen++; seen == 8 {
				cancel()
			}
		}
	})
	var unfinished *SearchError
	require.ErrorAs(t, err, &unfinished)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Nil(t, unfinished.Result)
	assert.NotEmpty(t, unfinished.Trace)
	resumed, err := fit(ctx, unfinished.Trace, nil)
	require.NoError(t, err)
	assert.Equal(t, withoutSeconds(t, whole.Result()), withoutSeconds(t, resumed.Result()))

	// If there are no results, the error is the cause, and not a SearchError.
	ended, end := context.WithCancel(ctx)
	end()
	_, err = fit(ended, nil, nil)
	require.ErrorIs(t, err, context.Canceled)
	assert.False(t, errors.As(err, &unfinished))
}

// If a learner cannot hold the rows, Fit returns an error before the search. The error names the learner, also inside a pipeline.
func TestLearnersThatCannotHoldTheRows(t *testing.T) {
	x, y := problemOf(60, 2, .3, 4)
	small := &lssvm.Regressor{Ridge: 1, MaxKernelBytes: 8 * 50 * 50}
	piped := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: small}
	fine := &ridge.Regressor{}
	for want, r := range map[string]*Regressor{
		"selection: Regressor: candidate 1, machine: lssvm: Regressor: a kernel matrix of 60×60 needs": {
			Space: NamedCandidates(Candidate[estimators.Regressor]{"ridge", fine}, Candidate[estimators.Regressor]{"machine", small}), Search: &grid.Search{}},
		"selection: Regressor: pipeline: Regressor: final (lssvm.Regressor): a kernel matrix of 60×60 needs": {
			Space: Kernels(func(kernels.Kernel) estimators.Regressor { return estimators.Clone(piped) }, families.RBF{}), Search: &grid.Search{}},
	} {
		r.Observe = func(search.TraceRow) { t.Error("the search began") }
		err := r.Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrTooLarge)
		assert.ErrorContains(t, err, want)
		assert.ErrorContains(t, err, "use package falkon, which fits any number of rows on landmarks")
	}
}

func TestStringOfASearch(t *testing.T) {
	x, y := problemOf(40, 2, .3, 4)
	r := &Regressor{Search: &grid.Search{Points: 3}, Space: over(families.RBF{})}
	assert.Equal(t, "selection.Regressor(not fitted)", r.String())
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Equal(t, "selection.Regressor("+r.Result().Choice()+"; fitted)", r.String())
	assert.Contains(t, r.String(), "RBF")
	assert.Equal(t, "selection.Classifier(not fitted)", (&Classifier{}).String())
}

// An error begins with the name of the type that the caller used. A single class is reported before any search begins.
func TestErrorsNameWhatWasCalled(t *testing.T) {
	x, y := problemOf(10, 1, .1, 1)
	for name, c := range map[string]*Classifier{
		"nothing set": {}, "Entropy": {Search: &entropy.Search{}}, "Shape": {Search: &shape.Search{}}, "Grid": {Search: &grid.Search{}},
		"groups": {Groups: []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 9}},
	} {
		err := c.Fit(ctx, x, slices.Repeat([]int{3}, 10))
		assert.ErrorIs(t, err, estimators.ErrShape, name)
		assert.EqualError(t, err, "selection: Classifier: y has 1 class, want at least 2", name)
	}
	for _, r := range []*Regressor{
		{MaxKernelBytes: 10}, {MaxKernelBytes: 10, Space: over(families.RBF{}, defaultFamily)},
	} {
		err := r.Fit(ctx, x, y)
		require.ErrorIs(t, err, estimators.ErrTooLarge)
		assert.Regexp(t, "^selection: Regressor: ", err.Error())
	}
}
