package rvm_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm"
)

// visits returns six visits for each patient. The rows of a patient are nearly equal, and their targets share an error.
func visits(patients int, seed uint64) (x *mat.Dense, y []float64, patient []int) {
	rng := rand.New(rand.NewPCG(seed, 9))
	x = mat.NewDense(6*patients, 2, nil)
	for p := range patients {
		a, b, own := 2*rng.NormFloat64(), rng.NormFloat64(), .7*rng.NormFloat64()
		for range 6 {
			x.SetRow(len(y), []float64{a + .05*rng.NormFloat64(), b + .05*rng.NormFloat64()})
			y, patient = append(y, math.Sin(a)+own+.1*rng.NormFloat64()), append(patient, -p)
		}
	}
	return x, y, patient
}

// With Groups, the intervals cover more observations of new patients, and the predictions are the same as without.
func TestGroupsCalibrateForNewGroups(t *testing.T) {
	covered, total := [2]float64{}, 0.0
	for seed := range uint64(4) {
		x, y, patient := visits(40, seed)
		other, targets, _ := visits(60, 50+seed)
		var means [2][]float64
		for k, groups := range [][]int{nil, patient} {
			r := &rvm.Regressor{Groups: groups}
			require.NoError(t, r.Fit(t.Context(), x, y))
			var err error
			means[k], err = r.Predict(other)
			require.NoError(t, err)
			low, high, err := r.PredictInterval(other, .9)
			require.NoError(t, err)
			for i, v := range targets {
				if low[i] <= v && v <= high[i] {
					covered[k]++
				}
			}
		}
		assert.Equal(t, means[0], means[1])
		total += float64(len(targets))
	}
	t.Logf("90%% intervals of new patients cover %.3f by rows, %.3f by patients", covered[0]/total, covered[1]/total)
	assert.Greater(t, covered[1]/total, covered[0]/total+.1)
	assert.Greater(t, covered[1]/total, .8)
}

func TestGroupsOfRows(t *testing.T) {
	x, y, patient := visits(10, 3)
	assert.ErrorIs(t, (&rvm.Regressor{Groups: patient[:5]}).Fit(t.Context(), x, y), estimators.ErrShape)
	assert.ErrorIs(t, (&rvm.Regressor{Groups: make([]int, len(y))}).Fit(t.Context(), x, y), estimators.ErrShape)

	// The numbers of the groups do not matter, and groups of single rows are equivalent to no groups.
	other, own := make([]int, len(y)), make([]int, len(y))
	for i, p := range patient {
		other[i], own[i] = 7-3*p, i
	}
	variance := func(groups []int) []float64 {
		r := &rvm.Regressor{Groups: groups}
		require.NoError(t, r.Fit(t.Context(), x, y))
		_, v, err := r.PredictVariance(x)
		require.NoError(t, err)
		return v
	}
	assert.Equal(t, variance(patient), variance(other))
	assert.NotEqual(t, variance(patient), variance(nil))
	assert.Equal(t, variance(nil), variance(own))
}
