package estimatortest_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/selection"
)

// Rows whose squared distances overflow are rejected by types that compute distances between unscaled rows. Types that scale
// columns first treat them like any other rows.
func TestRowsWhoseDistancesOverflow(t *testing.T) {
	const n = 40
	for _, scale := range []float64{1e155, 1e200, 1e300} {
		rng := rand.New(rand.NewPCG(1, 2))
		x, y := mat.NewDense(n, 2, nil), make([]float64, n)
		for i := range y {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			x.SetRow(i, []float64{scale * a, scale * b})
			y[i] = math.Sin(a)
		}
		for name, r := range map[string]estimators.Regressor{"lssvm": &lssvm.Regressor{}, "lssvm, ridge given": &lssvm.Regressor{Ridge: 1}, "falkon": &falkon.Regressor{}, "svm": &svm.Regressor{}} {
			err := r.Fit(context.Background(), x, y)
			assert.ErrorIs(t, err, estimators.ErrNotFinite, "%s, %g", name, scale)
			assert.ErrorContains(t, err, "overflow", "%s, %g", name, scale)
		}
		for name, r := range map[string]estimators.Regressor{"rvm": &rvm.Regressor{}, "gabasr": &gabasr.Regressor{}, "selection": &selection.Regressor{}} {
			require.NoError(t, r.Fit(context.Background(), x, y), "%s, %g", name, scale)
			got, err := r.Predict(x)
			require.NoError(t, err, "%s, %g", name, scale)
			assert.InDeltaSlice(t, y, got, .01, "%s, %g", name, scale)
		}
	}
}

// The error message for large but finite numbers does not call them infinite.
func TestErrorsOfLargeNumbersAreTrue(t *testing.T) {
	x, y := mat.NewDense(20, 2, nil), make([]float64, 20)
	for i := range y {
		x.SetRow(i, []float64{math.MaxFloat64 * (float64(i-10) / 10), math.MaxFloat64 / float64(i+1)})
		y[i] = math.Sin(float64(i))
	}
	for name, r := range map[string]estimators.Regressor{
		"lssvm": &lssvm.Regressor{}, "falkon": &falkon.Regressor{}, "svm": &svm.Regressor{}, "rvm": &rvm.Regressor{}, "gabasr": &gabasr.Regressor{}, "selection": &selection.Regressor{},
	} {
		if err := r.Fit(context.Background(), x, y); err != nil {
			assert.NotEqual(t, "gabasr", name, "it scales the columns: %v", err)
			assert.NotContains(t, err.Error(), "Inf", name)
		} else if got, err := r.Predict(mat.NewDense(2, 2, []float64{-math.MaxFloat64, 2, 1, math.MaxFloat64})); err != nil {
			assert.NotContains(t, err.Error(), "Inf", name)
		} else {
			assert.Len(t, got, 2, name)
		}
	}
}
