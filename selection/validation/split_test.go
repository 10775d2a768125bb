package validation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// partition fails unless both parts of a fold are in ascending order, have no row in common and together contain the rows 0 to n-1.
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

// The folds depend only on the order of the labels, not on the labels themselves.
func TestStratifiedFoldsOfFarLabels(t *testing.T) {
	near := []int{0, 1, 2, 0, 0, 1, 2, 2, 1, 0, 2, 1, 0, 1, 2, 0, 0, 1}
	far := make([]int, len(near))
	for i, l := range near {
		far[i] = []int{math.MinInt, -1, math.MaxInt}[l]
	}
	for _, s := range []Splitter{StratifiedKFold{Folds: 3, Seed: 5}, StratifiedShuffleSplit{Splits: 3, Seed: 5}} {
		want, err := s.Split(len(near), near)
		require.NoError(t, err)
		got, err := s.Split(len(far), far)
		require.NoError(t, err)
		assert.Equal(t, want, got)
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
	require.Len(t, folds, defaultSplits)
	for _, f := range folds {
		partition(t, f, 41)
		assert.Len(t, f.Test, 10) // a quarter of 41, rounded
	}
	assert.NotEqual(t, folds[0], folds[1])
	folds, err = ShuffleSplit{TestFraction: 0.01}.Split(2, nil)
	require.NoError(t, err)
	assert.Len(t, folds[0].Test, 1, "never empty")
}

func TestStratifiedShuffleSplitProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "n")
		labels := rapid.SliceOfN(rapid.IntRange(-1, rapid.IntRange(-1, 20).Draw(t, "last")), n, n).Draw(t, "labels")
		fraction := rapid.Float64Range(0.001, 0.999).Draw(t, "fraction")
		seed := rapid.Uint64().Draw(t, "seed")
		s := StratifiedShuffleSplit{Splits: 3, TestFraction: fraction, Seed: seed}
		folds, err := s.Split(n, labels)
		require.NoError(t, err)
		again, err := s.Split(n, labels)
		require.NoError(t, err)
		require.Equal(t, folds, again)
		plain, err := ShuffleSplit{Splits: 3, TestFraction: fraction, Seed: seed}.Split(n, nil)
		require.NoError(t, err)
		one, err := StratifiedShuffleSplit{Splits: 3, TestFraction: fraction, Seed: seed}.Split(n, make([]int, n))
		require.NoError(t, err)
		require.Equal(t, plain, one, "of a single class it is ShuffleSplit")
		total := map[int]int{}
		for _, l := range labels {
			total[l]++
		}
		for i, f := range folds {
			partition(t, f, n)
			require.Len(t, f.Test, len(plain[i].Test))
			got := map[int]int{}
			for _, row := range f.Test {
				got[labels[row]]++
			}
			atCap, over := false, len(f.Train) < len(total)
			for l, c := range total {
				share := float64(len(f.Test)*c) / float64(n)
				require.GreaterOrEqual(t, got[l], int(share), "the integer part of the share")
				if !over {
					require.Less(t, got[l], c, "a training row is kept")
					atCap = atCap || float64(got[l]) < share && got[l] == c-1
				}
			}
			for l, c := range total { // except for classes that keep a training row, each class is within one row of its share
				if !over && !atCap {
					require.Less(t, float64(got[l]), float64(len(f.Test)*c)/float64(n)+1)
				}
			}
		}
	})
}

// The expected values are divisions by largest remainder, computed by hand.
func TestAllot(t *testing.T) {
	for _, tc := range []struct {
		counts []int
		size   int
		want   []int
	}{
		{[]int{60, 30, 10}, 25, []int{15, 8, 2}}, // 15, 7.5, 2.5: the first wins the tie
		{[]int{6, 3, 1}, 3, []int{2, 1, 0}},      // 1.8, .9, .3
		{[]int{10, 1, 1}, 6, []int{6, 0, 0}},     // 5, .5, .5: a class with one row keeps it for training
		{[]int{2, 2, 2}, 5, []int{2, 2, 1}},      // fewer training rows than classes
		{[]int{1, 1, 1, 1}, 2, []int{1, 1, 0, 0}},
		{[]int{2, 8}, 8, []int{1, 7}}, // 1.6, 6.4
	} {
		got := allot(tc.counts, tc.size)
		assert.Equal(t, tc.want, got, "%v, %d", tc.counts, tc.size)
	}
}

func TestStratifiedShuffleSplitTies(t *testing.T) {
	// With one test row and two classes of equal size, the row is from either class in about half of the splits.
	labels := []int{0, 0, 1, 1}
	folds, err := StratifiedShuffleSplit{Splits: 200, TestFraction: 0.25}.Split(4, labels)
	require.NoError(t, err)
	ones := 0
	for _, f := range folds {
		ones += labels[f.Test[0]]
	}
	assert.InDelta(t, 100, ones, 40)
}

// bad is a third-party splitter.
type bad []Fold

func (b bad) Split(int, []int) ([]Fold, error) { return b, nil }

func TestSplitErrors(t *testing.T) {
	for name, tc := range map[string]struct {
		s    Splitter
		n    int
		want error
		text string
	}{
		"folds":          {KFold{Folds: 1}, 9, fault.ErrParam, "KFold: Folds = 1"},
		"repeats":        {StratifiedKFold{Repeats: -1}, 9, fault.ErrParam, "StratifiedKFold: Repeats = -1"},
		"few rows":       {KFold{Folds: 5}, 4, fault.ErrShape, "x has 4 rows"},
		"splits":         {ShuffleSplit{Splits: -1}, 9, fault.ErrParam, "Splits = -1"},
		"strat. splits":  {StratifiedShuffleSplit{Splits: -1}, 9, fault.ErrParam, "StratifiedShuffleSplit: Splits = -1"},
		"strat. NaN":     {StratifiedShuffleSplit{TestFraction: math.NaN()}, 9, fault.ErrParam, "StratifiedShuffleSplit: TestFraction = NaN"},
		"strat. one row": {StratifiedShuffleSplit{}, 1, fault.ErrShape, "x has 1 rows"},
		"fraction":       {ShuffleSplit{TestFraction: 1}, 9, fault.ErrParam, "TestFraction = 1"},
		"one row":        {ShuffleSplit{}, 1, fault.ErrShape, "x has 1 rows"},
		"no folds":       {bad{}, 9, fault.ErrShape, "0 folds"},
		"empty part":     {bad{{Train: []int{1}}}, 9, fault.ErrShape, "fold 0"},
		"row too far":    {bad{{Train: []int{1}, Test: []int{9}}}, 9, fault.ErrShape, "row 9"},
		"negative row":   {bad{{Train: []int{-1}, Test: []int{2}}}, 9, fault.ErrShape, "row -1"},
	} {
		_, err := Split(tc.s, tc.n, make([]int, max(tc.n, 0)))
		require.ErrorIs(t, err, tc.want, name)
		assert.ErrorContains(t, err, tc.text, name)
	}
	for _, s := range []Splitter{StratifiedKFold{}, StratifiedShuffleSplit{}} {
		_, err := s.Split(3, []int{1})
		assert.ErrorIs(t, err, fault.ErrShape)
	}
}

// If the folds would not fit in memory, Split returns an error, and the program continues.
func TestTooManyFolds(t *testing.T) {
	labels := make([]int, 10)
	for i := range labels {
		labels[i] = i % 2
	}
	for _, s := range []Splitter{
		KFold{Repeats: math.MaxInt32}, StratifiedKFold{Repeats: math.MaxInt}, KFold{Repeats: math.MaxInt / 2},
		ShuffleSplit{Splits: math.MaxInt}, StratifiedShuffleSplit{Splits: math.MaxInt32},
	} {
		_, err := s.Split(len(labels), labels)
		var large *estimators.TooLargeError
		require.ErrorAs(t, err, &large, "%#v", s)
		assert.Greater(t, large.Bytes, large.Limit)
	}
}
