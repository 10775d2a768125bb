package ridge_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

// patients returns n rows of d columns in groups of one to five. Some rows are equal, and the targets of a group share an error.
func patients(n, d int, seed uint64) (x *mat.Dense, y []float64, groups []int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x, y, groups = mat.NewDense(n, d, nil), make([]float64, n), make([]int, n)
	shared, group := 0.0, 0
	for i := range y {
		if i == 0 || rng.IntN(3) == 0 {
			group -= 3
			shared = rng.NormFloat64()
		}
		groups[i] = group
		for j := range d {
			x.Set(i, j, 5+rng.NormFloat64())
		}
		if i%7 == 6 && groups[i-1] == group {
			x.SetRow(i, x.RawRowView(i-1))
		}
		y[i] = x.At(i, 0) + shared + .1*rng.NormFloat64()
	}
	return x, y, groups
}

// The closed-form residuals equal the residuals of models refitted without each group.
func TestLeaveGroupsOutIsRefitted(t *testing.T) {
	for _, c := range []struct {
		columns          int
		weighted, origin bool
	}{{3, false, false}, {3, true, false}, {3, false, true}, {90, false, false}, {90, true, true}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			const n = 60
			x, y, groups := patients(n, c.columns, 1)
			weights := make([]float64, n)
			for i := range weights {
				weights[i] = 1
				if c.weighted {
					weights[i] = 1 + float64(i%3)
				}
			}
			r := &ridge.Regressor{Ridge: 2, NoIntercept: c.origin, Groups: groups}
			require.NoError(t, r.FitWeighted(t.Context(), x, y, weights))
			got, err := r.LeaveOneOutResiduals(t.Context())
			require.NoError(t, err)
			both := mat.NewDense(n, 2, nil)
			both.SetCol(0, y)
			multi := &ridge.MultiRegressor{Ridge: 2, NoIntercept: c.origin, Groups: groups}
			require.NoError(t, multi.FitWeighted(t.Context(), x, both, weights))
			ofMulti, err := multi.LeaveOneOutResiduals(t.Context())
			require.NoError(t, err)
			for i, v := range y {
				var rows, targets, own []float64
				for k, w := range y {
					if groups[k] != groups[i] {
						rows, targets, own = append(rows, x.RawRowView(k)...), append(targets, w), append(own, weights[k])
					}
				}
				without := &ridge.Regressor{Ridge: 2, NoIntercept: c.origin}
				require.NoError(t, without.FitWeighted(t.Context(), mat.NewDense(len(targets), c.columns, rows), targets, own))
				p, err := without.Predict(x.Slice(i, i+1, 0, c.columns))
				require.NoError(t, err)
				assert.InDelta(t, v-p[0], got[i], 1e-8, "row %d", i)
				assert.InDelta(t, v-p[0], ofMulti.At(i, 0), 1e-8, "row %d of several targets", i)
			}
		})
	}
}

// alike returns rows like those of patients, except that the rows of a group are nearly equal in all columns but the first. These
// columns therefore identify the group of a row.
func alike(seed uint64) (x *mat.Dense, y []float64, groups []int) {
	x, y, groups = patients(150, 40, seed)
	for i, g := range groups {
		own := rand.New(rand.NewPCG(seed, uint64(-g)))
		for j := 1; j < 40; j++ {
			x.Set(i, j, own.NormFloat64()+.02*x.At(i, j))
		}
	}
	return x, y, groups
}

// With Groups, the ridge minimises the error of left-out groups, and the intervals cover new groups.
func TestGroupsChooseForNewGroups(t *testing.T) {
	covered, total, larger := [2]float64{}, 0.0, 0
	for seed := range uint64(20) {
		x, y, groups := alike(30 + seed)
		single, grouped := &ridge.Regressor{}, &ridge.Regressor{Groups: groups}
		require.NoError(t, single.Fit(t.Context(), x, y))
		require.NoError(t, grouped.Fit(t.Context(), x, y))
		if grouped.ChosenRidge() > single.ChosenRidge() {
			larger++
		}
		residuals, err := grouped.LeaveOneOutResiduals(t.Context())
		require.NoError(t, err)
		squares := 0.0
		for _, e := range residuals {
			squares += e * e / float64(len(y))
		}
		assert.InEpsilon(t, squares, grouped.Report().Objective, 1e-9)

		other, targets, _ := alike(130 + seed)
		for k, r := range []*ridge.Regressor{single, grouped} {
			low, high, err := r.PredictInterval(other, .9)
			require.NoError(t, err)
			for i, v := range targets {
				if low[i] <= v && v <= high[i] {
					covered[k]++
				}
			}
		}
		total += float64(len(targets))
	}
	t.Logf("90%% intervals of new groups cover %.3f by rows, %.3f by groups", covered[0]/total, covered[1]/total)
	assert.Greater(t, covered[1]/total, .8)
	assert.Less(t, covered[0]/total, covered[1]/total-.2)
	assert.GreaterOrEqual(t, larger, 15, "fits of 20 with a larger ridge")
}

func TestGroupsOfRows(t *testing.T) {
	x, y, groups := patients(30, 2, 5)
	assert.ErrorIs(t, (&ridge.Regressor{Groups: groups[:5]}).Fit(t.Context(), x, y), estimators.ErrShape)
	assert.ErrorIs(t, (&ridge.Regressor{Groups: make([]int, 30)}).Fit(t.Context(), x, y), estimators.ErrShape)
	err := (&ridge.Regressor{Groups: groups}).PartialFit(t.Context(), x, y)
	assert.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "Groups")

	// Groups of single rows, and groups of equal rows, are equivalent to no groups.
	own := make([]int, len(y))
	for i := range own {
		own[i] = i
	}
	plain, single := &ridge.Regressor{}, &ridge.Regressor{Groups: own}
	require.NoError(t, plain.Fit(t.Context(), x, y))
	require.NoError(t, single.Fit(t.Context(), x, y))
	assert.Equal(t, plain.ChosenRidge(), single.ChosenRidge())
	assert.Equal(t, plain.Coefficients(), single.Coefficients())
}
