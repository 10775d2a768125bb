package validation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// Each row is tested once, no group is in both parts of a fold, and no part is empty. The largest part exceeds the smallest by at
// most the size of the largest group.
func TestGroupKFoldProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 5).Draw(t, "folds")
		n := rapid.IntRange(k, 60).Draw(t, "n")
		groups := rapid.SliceOfN(rapid.IntRange(-9, 9), n, n).Draw(t, "groups")
		for i := range k {
			groups[i] = i
		}
		labels := rapid.SliceOfN(rapid.IntRange(0, 2), n, n).Draw(t, "labels")
		seed := rapid.Uint64().Draw(t, "seed")
		sizes := map[int]int{}
		for _, g := range groups {
			sizes[g]++
		}
		largest := 0
		for _, s := range sizes {
			largest = max(largest, s)
		}
		for i, s := range []Splitter{GroupKFold{groups, k, seed}, StratifiedGroupKFold{groups, k, seed}} {
			folds, err := s.Split(n, labels)
			require.NoError(t, err)
			require.Len(t, folds, k)
			tested := make([]int, n)
			least, most := n, 0
			for _, f := range folds {
				partition(t, f, n)
				require.NotEmpty(t, f.Test)
				least, most = min(least, len(f.Test)), max(most, len(f.Test))
				in := map[int]bool{}
				for _, row := range f.Test {
					tested[row]++
					in[groups[row]] = true
				}
				for _, row := range f.Train {
					require.False(t, in[groups[row]], "group %d is on both sides", groups[row])
				}
			}
			for _, v := range tested {
				require.Equal(t, 1, v)
			}
			if i == 0 {
				require.LessOrEqual(t, most-least, largest)
			}
			again, err := s.Split(n, labels)
			require.NoError(t, err)
			require.Equal(t, folds, again)
		}
	})
}

// If the groups allow it, the parts of both splitters have equal sizes, and StratifiedGroupKFold also divides the classes equally.
func TestGroupKFoldIsEven(t *testing.T) {
	groups := []int{7, 7, 7, 7, 1, 1, 1, 2, 2, 2, 5, 5} // 4, 3, 3 and 2 rows give 4 + 2 and 3 + 3
	folds, err := GroupKFold{Groups: groups, Folds: 2, Seed: 3}.Split(12, nil)
	require.NoError(t, err)
	assert.Len(t, folds[0].Test, 6)
	assert.Equal(t, []int{0, 1, 2, 3, 10, 11}, folds[0].Test)

	// There are twelve groups of three rows, the first six of class 1 and the others of class 0. Each part gets two groups of each
	// class.
	var of, labels []int
	for g := range 12 {
		for range 3 {
			of = append(of, g)
			labels = append(labels, map[bool]int{true: 1}[g < 6])
		}
	}
	for seed := range uint64(20) {
		folds, err := StratifiedGroupKFold{Groups: of, Seed: seed}.Split(36, labels)
		require.NoError(t, err)
		for _, f := range folds {
			ones := 0
			for _, row := range f.Test {
				ones += labels[row]
			}
			assert.Equal(t, 6, ones)
			assert.Len(t, f.Test, 12)
		}
	}
}

func TestGroupKFoldErrors(t *testing.T) {
	for _, c := range []struct {
		s    Splitter
		n    int
		want error
		says string
	}{
		{GroupKFold{Groups: []int{1, 2, 3}, Folds: 1}, 3, fault.ErrParam, "Folds"},
		{GroupKFold{Groups: []int{1, 2, 3}, Folds: -1}, 3, fault.ErrParam, "Folds"},
		{GroupKFold{Groups: []int{1, 2}}, 3, fault.ErrShape, "validation: GroupKFold: Groups has 2 entries, x has 3 rows"},
		{GroupKFold{Groups: []int{1, 2, 2}}, 3, fault.ErrShape, "2 different groups"},
		{GroupKFold{}, 0, fault.ErrShape, "0 different groups"},
		{GroupKFold{}, -1, fault.ErrShape, "-1 rows"},
		{StratifiedGroupKFold{Groups: []int{1, 2, 3}}, 3, fault.ErrShape, "labels has 0 entries"},
		{TimeSeriesSplit{Splits: -1}, 9, fault.ErrParam, "Splits"},
		{TimeSeriesSplit{TestRows: -1}, 9, fault.ErrParam, "TestRows"},
		{TimeSeriesSplit{MaxTrain: -1}, 9, fault.ErrParam, "MaxTrain"},
		{TimeSeriesSplit{Gap: -1}, 9, fault.ErrParam, "Gap"},
		{TimeSeriesSplit{}, 5, fault.ErrShape, "x has 5 rows"},
		{TimeSeriesSplit{}, -5, fault.ErrShape, "rows"},
		{TimeSeriesSplit{Splits: 2, TestRows: 3, Gap: 2}, 8, fault.ErrShape, "want at least 9"},
		{TimeSeriesSplit{Splits: math.MaxInt}, 8, fault.ErrShape, "rows"},
		{TimeSeriesSplit{TestRows: math.MaxInt}, 8, fault.ErrShape, "rows"},
		{TimeSeriesSplit{Gap: math.MaxInt}, 8, fault.ErrShape, "rows"},
	} {
		_, err := c.s.Split(c.n, nil)
		require.ErrorIs(t, err, c.want, "%+v", c.s)
		assert.ErrorContains(t, err, c.says)
	}
}

// The folds follow the definition. The test rows are windows of the last rows. The Gap rows before a window are left out, and the
// training rows are all rows before the gap, or the last of them.
func TestTimeSeriesSplit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := TimeSeriesSplit{
			Splits: rapid.IntRange(1, 6).Draw(t, "splits"), TestRows: rapid.IntRange(1, 5).Draw(t, "rows"),
			MaxTrain: rapid.IntRange(0, 8).Draw(t, "train"), Gap: rapid.IntRange(0, 4).Draw(t, "gap"),
		}
		n := s.Splits*s.TestRows + s.Gap + rapid.IntRange(1, 20).Draw(t, "n")
		folds, err := s.Split(n, nil)
		require.NoError(t, err)
		require.Len(t, folds, s.Splits)
		next := n - s.Splits*s.TestRows
		for _, f := range folds {
			for i, row := range f.Test {
				require.Equal(t, next+i, row)
			}
			require.Len(t, f.Test, s.TestRows)
			before := next - s.Gap
			want := before
			if s.MaxTrain > 0 {
				want = min(want, s.MaxTrain)
			}
			require.Len(t, f.Train, want)
			for i, row := range f.Train {
				require.Equal(t, before-want+i, row)
			}
			next += s.TestRows
		}
		require.Equal(t, n, next)
	})
	folds, err := TimeSeriesSplit{}.Split(12, nil) // the same as the folds of scikit-learn with 5 splits
	require.NoError(t, err)
	assert.Equal(t, Fold{[]int{0, 1}, []int{2, 3}}, folds[0])
	assert.Equal(t, Fold{[]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, []int{10, 11}}, folds[4])
}

// Cross-validation accepts splitters for groups and for time series.
func TestGroupAndTimeSplitters(t *testing.T) {
	n := 48
	x, y, groups, labels := mat.NewDense(n, 1, nil), make([]float64, n), make([]int, n), make([]int, n)
	for i := range n {
		x.Set(i, 0, float64(i)/8)
		y[i], groups[i], labels[i] = math.Sin(float64(i)/8), i/4, i/4%2
	}
	for _, s := range []Splitter{GroupKFold{Groups: groups}, StratifiedGroupKFold{Groups: groups}, TimeSeriesSplit{Splits: 3, Gap: 1}} {
		if _, ok := s.(StratifiedGroupKFold); ok {
			scores, err := CrossValidateClassifier(ctx, &lssvm.Classifier{Kernel: kernels.RBF{Gamma: 1}, Ridge: .1}, x, labels, &Options{Splitter: s})
			require.NoError(t, err)
			assert.Len(t, scores.Values[0], 3)
			continue
		}
		scores, err := CrossValidateRegressor(ctx, &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}, Ridge: .1}, x, y, &Options{Splitter: s})
		require.NoError(t, err)
		assert.Len(t, scores.Values[0], 3)
	}
}
