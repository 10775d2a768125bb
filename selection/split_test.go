package selection

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// partition fails unless a fold's parts ascend, share nothing and cover 0..n-1.
func partition(t require.TestingT, f Fold, n int) {
	seen := make([]int, n)
	for _, rows := range [][]int{f.Train, f.Test} {
		for i, r := range rows {
			require.True(t, i == 0 || rows[i-1] < r, "rows ascend")
			seen[r]++
		}
	}
	for _, s := range seen {
		require.Equal(t, 1, s)
	}
}

func TestKFoldProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := rapid.IntRange(2, 6).Draw(t, "folds")
		n := rapid.IntRange(k, 40).Draw(t, "n")
		repeats := rapid.IntRange(1, 3).Draw(t, "repeats")
		seed := rapid.Uint64().Draw(t, "seed")
		labels := rapid.SliceOfN(rapid.IntRange(-2, 2), n, n).Draw(t, "labels")
		for _, s := range []Splitter{KFold{k, repeats, seed}, StratifiedKFold{k, repeats, seed}} {
			folds, err := s.Split(n, labels)
			require.NoError(t, err)
			require.Len(t, folds, k*repeats)
			for r := range repeats {
				times := make([]int, n)
				for _, f := range folds[r*k : (r+1)*k] {
					partition(t, f, n)
					require.GreaterOrEqual(t, len(f.Test), n/k)
					require.LessOrEqual(t, len(f.Test), n/k+1)
					for _, row := range f.Test {
						times[row]++
					}
				}
				for _, v := range times {
					require.Equal(t, 1, v, "each row is tested once a repeat")
				}
			}
			again, err := s.Split(n, labels)
			require.NoError(t, err)
			require.Equal(t, folds, again)
		}
		folds, err := StratifiedKFold{k, repeats, seed}.Split(n, labels)
		require.NoError(t, err)
		for label := -2; label <= 2; label++ {
			count := func(rows []int) (c int) {
				for _, r := range rows {
					if labels[r] == label {
						c++
					}
				}
				return c
			}
			for _, f := range folds {
				all := count(f.Test) + count(f.Train)
				require.GreaterOrEqual(t, count(f.Test), all/k)
				require.LessOrEqual(t, count(f.Test), all/k+1)
			}
		}
	})
}

func TestRepeatsAreStreams(t *testing.T) {
	one, err := KFold{Folds: 4, Repeats: 1, Seed: 9}.Split(30, nil)
	require.NoError(t, err)
	three, err := KFold{Folds: 4, Repeats: 3, Seed: 9}.Split(30, nil)
	require.NoError(t, err)
	assert.Equal(t, one, three[:4])
	assert.NotEqual(t, one, three[4:8])
	other, err := KFold{Folds: 4, Seed: 10}.Split(30, nil)
	require.NoError(t, err)
	assert.NotEqual(t, one, other)
}

func TestShuffleSplit(t *testing.T) {
	folds, err := ShuffleSplit{Seed: 3}.Split(41, nil)
	require.NoError(t, err)
	require.Len(t, folds, DefaultSplits)
	for _, f := range folds {
		partition(t, f, 41)
		assert.Len(t, f.Test, 10) // a quarter of 41, rounded
	}
	assert.NotEqual(t, folds[0], folds[1])
	folds, err = ShuffleSplit{TestFraction: 0.01}.Split(2, nil)
	require.NoError(t, err)
	assert.Len(t, folds[0].Test, 1, "never empty")
}

// bad is a third party's splitter.
type bad []Fold

func (b bad) Split(int, []int) ([]Fold, error) { return b, nil }

func TestSplitErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		s    Splitter
		n    int
		want error
		text string
	}{
		"folds":        {KFold{Folds: 1}, 9, fault.ErrParam, "KFold: Folds = 1"},
		"repeats":      {StratifiedKFold{Repeats: -1}, 9, fault.ErrParam, "StratifiedKFold: Repeats = -1"},
		"few rows":     {KFold{Folds: 5}, 4, fault.ErrShape, "x has 4 rows"},
		"splits":       {ShuffleSplit{Splits: -1}, 9, fault.ErrParam, "Splits = -1"},
		"fraction":     {ShuffleSplit{TestFraction: 1}, 9, fault.ErrParam, "TestFraction = 1"},
		"one row":      {ShuffleSplit{}, 1, fault.ErrShape, "x has 1 rows"},
		"no folds":     {bad{}, 9, fault.ErrShape, "0 folds"},
		"empty part":   {bad{{Train: []int{1}}}, 9, fault.ErrShape, "fold 0"},
		"row too far":  {bad{{Train: []int{1}, Test: []int{9}}}, 9, fault.ErrShape, "row 9"},
		"negative row": {bad{{Train: []int{-1}, Test: []int{2}}}, 9, fault.ErrShape, "row -1"},
	} {
		_, err := split(tc.s, tc.n, make([]int, max(tc.n, 0)))
		require.ErrorIs(t, err, tc.want, name)
		assert.ErrorContains(t, err, tc.text, name)
	}
	_, err := StratifiedKFold{}.Split(3, []int{1})
	assert.ErrorIs(t, err, fault.ErrShape)
}
