package lssvm_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
)

// patients returns n rows in groups of one to four. Some rows are equal, and the targets of a group share an error.
func patients(seed uint64, n int) (x *mat.Dense, y []float64, groups []int) {
	rng := rand.New(rand.NewPCG(seed, 3))
	x, y, groups = mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n)
	shared, at := 0.0, 0
	for i := range y {
		if i == 0 || rng.IntN(3) == 0 {
			at -= 3
			shared = rng.NormFloat64()
		}
		groups[i] = at
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		if i%7 == 6 && groups[i-1] == at {
			x.SetRow(i, x.RawRowView(i-1))
		}
		y[i] = math.Sin(2*x.At(i, 0)) + shared + .1*rng.NormFloat64()
	}
	return x, y, groups
}

// without returns the rows for which keep is true.
func without(x *mat.Dense, y []float64, keep func(i int) bool) (*mat.Dense, []float64) {
	var rows, targets []float64
	for i, v := range y {
		if keep(i) {
			rows, targets = append(rows, x.RawRowView(i)...), append(targets, v)
		}
	}
	return mat.NewDense(len(targets), x.RawMatrix().Cols, rows), targets
}

// The closed-form residuals equal the residuals of machines refitted without each group.
func TestLeaveGroupsOutIsRefitted(t *testing.T) {
	x, y, groups := patients(1, 60)
	m := lssvm.Regressor{Kernel: kernels.RBF{Gamma: .7}, Ridge: .05}
	whole := lssvm.Regressor{Kernel: m.Kernel, Ridge: m.Ridge, Groups: groups}
	fromMatrix := lssvm.Regressor{Kernel: m.Kernel, Ridge: m.Ridge, Groups: groups}
	require.NoError(t, whole.Fit(t.Context(), x, y))
	k, err := kernels.Matrix(t.Context(), m.Kernel, x, nil)
	require.NoError(t, err)
	require.NoError(t, fromMatrix.FitMatrix(t.Context(), k, y))
	got, err := whole.LeaveOneOutResiduals(t.Context())
	require.NoError(t, err)
	matrix, err := fromMatrix.LeaveOneOutResiduals(t.Context())
	require.NoError(t, err)
	for i, v := range y {
		rows, targets := without(x, y, func(j int) bool { return groups[j] != groups[i] })
		require.NoError(t, m.Fit(t.Context(), rows, targets))
		p, err := m.Predict(x.Slice(i, i+1, 0, 2))
		require.NoError(t, err)
		assert.InDelta(t, v-p[0], got[i], 1e-9, "row %d", i)
		assert.InDelta(t, v-p[0], matrix[i], 1e-9, "row %d by the kernel matrix", i)
	}
}

// With Groups, the ridge and the intervals are chosen for new groups. Here a row contains information about the other rows of its
// group that no row of another group contains.
func TestGroupsChooseForNewGroups(t *testing.T) {
	covered, total := [2]float64{}, 0.0
	for seed := range uint64(10) {
		x, y, groups := patients(20+seed, 200)
		for i := range y { // a column that identifies the group of a row
			x.Set(i, 1, float64(groups[i])/40)
		}
		test, want, of := patients(40+seed, 100)
		for i := range want {
			test.Set(i, 1, float64(of[i])/40-.031)
		}
		for i, g := range [][]int{nil, groups} {
			m := lssvm.Regressor{Groups: g}
			require.NoError(t, m.Fit(t.Context(), x, y))
			low, high, err := m.PredictInterval(test, .9)
			require.NoError(t, err)
			for j, v := range want {
				if v >= low[j] && v <= high[j] {
					covered[i]++
				}
			}
		}
		total += float64(len(want))
	}
	t.Log(covered[0]/total, covered[1]/total)
	assert.Greater(t, covered[1]/total, .85)
	assert.Greater(t, covered[1], covered[0])
}

// The probabilities of a classifier are fitted to scores of left-out groups, and files contain the groups.
func TestGroupsOfAClassifier(t *testing.T) {
	x, y, groups := patients(3, 90)
	at := make([]int, len(y))
	for i, v := range y {
		if v > 0 {
			at[i] = 1
		}
	}
	plain, whole := lssvm.Classifier{}, lssvm.Classifier{}
	whole.SetGroups(groups)
	require.NoError(t, plain.Fit(t.Context(), x, at))
	require.NoError(t, whole.Fit(t.Context(), x, at))
	p, err := plain.PredictProba(x)
	require.NoError(t, err)
	q, err := whole.PredictProba(x)
	require.NoError(t, err)
	assert.False(t, mat.EqualApprox(p, q, 1e-3))

	data, err := whole.MarshalBinary()
	require.NoError(t, err)
	var loaded lssvm.Classifier
	require.NoError(t, loaded.UnmarshalBinary(data))
	again, err := loaded.PredictProba(x)
	require.NoError(t, err)
	assert.True(t, mat.Equal(q, again))
}

func TestGroupsErrors(t *testing.T) {
	x, y, groups := patients(3, 20)
	for _, c := range []struct {
		groups []int
		says   string
	}{
		{groups[:19], "Groups has 19 entries, x has 20 rows"},
		{slices.Repeat([]int{4}, 20), "Groups has 1 group"},
	} {
		m := lssvm.Regressor{Groups: c.groups}
		err := m.Fit(t.Context(), x, y)
		require.ErrorIs(t, err, estimators.ErrShape)
		assert.ErrorContains(t, err, c.says)
	}
}
