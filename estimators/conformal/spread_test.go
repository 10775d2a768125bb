package conformal

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
)

func line(ridgeOf float64) estimators.Regressor { return &ridge.Regressor{Ridge: ridgeOf} }

// refitted returns a clone of an estimator that is fitted to the given rows.
func refitted(t *testing.T, of estimators.Regressor, x *mat.Dense, y []float64, rows []int) estimators.Regressor {
	out := estimators.Clone(of)
	require.NoError(t, out.Fit(t.Context(), linalg.Rows(x, rows), linalg.Pick(y, rows)))
	return out
}

func at(t *testing.T, of estimators.Regressor, x *mat.Dense, row int) float64 {
	out, err := of.Predict(x.Slice(row, row+1, 0, 1))
	require.NoError(t, err)
	return out[0]
}

// The interval of Split is f ± q exp(g). The test computes it with refits, and fits g to the logarithms of leave-one-out residuals.
func TestSpreadByDefinition(t *testing.T) {
	x, y := noisy(rand.New(rand.NewPCG(3, 4)), 24, 0)
	r := &Regressor{Estimator: line(1), Spread: line(0.5), Method: Split, NoScaling: true}
	require.NoError(t, r.Fit(t.Context(), x, y))
	held := r.m.held
	choose := complement(24, held)
	f := refitted(t, r.Estimator, x, y, choose)
	logs := make([]float64, 24)
	var off []float64
	for _, row := range choose {
		without := refitted(t, r.Estimator, x, y, slices.DeleteFunc(slices.Clone(choose), func(i int) bool { return i == row }))
		logs[row] = math.Abs(y[row] - at(t, without, x, row))
		off = append(off, logs[row])
	}
	slices.Sort(off)
	for _, row := range choose {
		logs[row] = math.Log(max(logs[row], 0.1*off[6])) // the seventh of twelve
	}
	g := refitted(t, r.Spread, x, logs, choose)
	low, high := math.Inf(1), math.Inf(-1)
	for _, row := range choose {
		low, high = min(low, logs[row]), max(high, logs[row])
	}
	sigma := func(x *mat.Dense, row int) float64 { return math.Exp(min(max(at(t, g, x, row), low), high)) }
	var scores []float64
	for _, row := range held {
		scores = append(scores, math.Abs(y[row]-at(t, f, x, row))/sigma(x, row))
	}
	slices.Sort(scores)
	rows := mat.NewDense(3, 1, []float64{-2, 0.3, 9})
	lows, highs, err := r.PredictInterval(rows, 0.8)
	require.NoError(t, err)
	for i := range 3 {
		width := scores[10] * sigma(rows, i) // rank ⌈0.8·13⌉ = 11 of twelve scores
		assert.InDelta(t, at(t, f, rows, i)-width, lows[i], 1e-9)
		assert.InDelta(t, at(t, f, rows, i)+width, highs[i], 1e-9)
	}
}

// If the estimator does not compute leave-one-out residuals, cross-validation is used instead, and the spread still finds where the
// noise is large.
func TestSpreadByFolds(t *testing.T) {
	x, y := noisy(rand.New(rand.NewPCG(5, 6)), 300, 0)
	r := &Regressor{Estimator: &bare{}, Spread: &lssvm.Regressor{}, Folds: 3}
	require.NoError(t, r.Fit(t.Context(), x, y))
	assert.Equal(t, CrossValidation, r.ChosenMethod())
	low, high, err := r.PredictInterval(mat.NewDense(2, 1, []float64{-1, 1}), 0.9)
	require.NoError(t, err)
	assert.Greater(t, high[1]-low[1], 2.5*(high[0]-low[0]), "the noise is four times as large")
}

// With Spread, the coverage is as promised in both halves of the rows. Plain scores cover the half with much noise too rarely.
func TestCoverageOfSpread(t *testing.T) {
	build := func(m Method) func() *Regressor {
		return func() *Regressor {
			return &Regressor{Estimator: line(1), Spread: &ridge.Regressor{Ridge: 1}, Method: m, Folds: 5}
		}
	}
	share, _ := covered(t, build(Split), 0)
	assert.GreaterOrEqual(t, share, level-deviation)
	assert.LessOrEqual(t, share, level+1.0/21+deviation)
	plain, plainPositive := covered(t, func() *Regressor { return &Regressor{Estimator: line(1), Method: CrossValidation, Folds: 5} }, 0)
	share, positive := covered(t, build(CrossValidation), 0)
	assert.GreaterOrEqual(t, share, 2*level-1-deviation)
	assert.GreaterOrEqual(t, share, plain-0.03)
	assert.Greater(t, positive, plainPositive, "nearer to the promise where the noise is large")
}

func TestSpreadRefuses(t *testing.T) {
	x, y := noisy(rand.New(rand.NewPCG(1, 2)), 20, 0)
	assert.ErrorContains(t, (&Regressor{Spread: line(1), Method: Full}).Fit(t.Context(), x, y), "Method = Full, want CrossValidation or Split with Spread")
	assert.ErrorIs(t, (&Regressor{Spread: (*ridge.Regressor)(nil)}).Fit(t.Context(), x, y), estimators.ErrParam)
	exact := &Regressor{Estimator: line(1), Spread: line(1)}
	require.NoError(t, exact.Fit(t.Context(), x, make([]float64, 20)))
	low, high, err := exact.PredictInterval(x, 0.5)
	require.NoError(t, err)
	assert.InDeltaSlice(t, make([]float64, 20), low, 1e-12)
	assert.InDeltaSlice(t, make([]float64, 20), high, 1e-12)
	unweighted := &Regressor{Estimator: line(1), Spread: &bare{}}
	assert.False(t, estimators.Supports(unweighted, estimators.Weighted))
	assert.False(t, estimators.Supports(unweighted, estimators.Marshalling))
	require.NoError(t, unweighted.Fit(t.Context(), x, y))
	assert.Error(t, unweighted.FitWeighted(t.Context(), x, y, slices.Repeat([]float64{1}, 20)))
	assert.True(t, estimators.Supports(exact, estimators.Weighted))
	require.NoError(t, exact.FitWeighted(t.Context(), x, y, slices.Repeat([]float64{2}, 20)))
}

// bare is a linear estimator without further capabilities.
type bare struct{ of ridge.Regressor }

func (b *bare) Fit(ctx context.Context, x mat.Matrix, y []float64) error { return b.of.Fit(ctx, x, y) }

func (b *bare) Predict(x mat.Matrix) ([]float64, error) { return b.of.Predict(x) }

// A file of version 1 contains the spreads. A Regressor without Spread rejects it.
func TestFilesOfSpreads(t *testing.T) {
	x, y := noisy(rand.New(rand.NewPCG(8, 9)), 12, 0)
	for _, m := range []Method{CrossValidation, Split} {
		r := &Regressor{Estimator: line(0.1), Spread: line(1), Method: m, Folds: 3}
		require.NoError(t, r.Fit(t.Context(), x, y))
		data := golden.Model(t, "Regressor-Spread-"+m.String()+"-v1.keln", r.MarshalBinary)
		read := &Regressor{Estimator: line(0), Spread: line(0)}
		require.NoError(t, read.UnmarshalBinary(data))
		low, high, err := r.PredictInterval(x, 0.7)
		require.NoError(t, err)
		gotLow, gotHigh, err := read.PredictInterval(x, 0.7)
		require.NoError(t, err)
		assert.InDeltaSlice(t, low, gotLow, 1e-8)
		assert.InDeltaSlice(t, high, gotHigh, 1e-8)
		assert.ErrorIs(t, (&Regressor{Estimator: line(0)}).UnmarshalBinary(data), estimators.ErrBadModel)
	}
	plain := &Regressor{Estimator: line(0.1), Method: Split}
	require.NoError(t, plain.Fit(t.Context(), x, y))
	data, err := plain.MarshalBinary()
	require.NoError(t, err)
	assert.ErrorIs(t, (&Regressor{Estimator: line(0), Spread: line(0)}).UnmarshalBinary(data), estimators.ErrBadModel)
}
