package validation

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/settings"
)

// Fold is one division of the rows 0 to n-1. Both lists are in ascending order and have no row in common.
type Fold struct{ Train, Test []int }

// Splitter divides rows into folds. Stratified splitters use the labels. For other splitters, the labels may be nil.
type Splitter interface {
	Split(n int, labels []int) ([]Fold, error)
}

// Defaults of the splitters.
const (
	defaultFolds        = 3
	defaultSplits       = 10
	defaultTestFraction = 0.25
)

// KFold shuffles the rows and divides them into Folds parts whose sizes differ by at most one. Each part is the test part once.
// With Repeats > 1 it shuffles and divides them again.
type KFold struct {
	// Folds is the number of folds. If it is 0, 3 is used.
	Folds int `zero:"3" least:"2"`

	// Repeats is the number of repeats. If it is 0, 1 is used.
	Repeats int `zero:"1"`
	Seed    uint64
}

// Split returns Folds × Repeats folds. Errors: ErrParam, and ErrShape if there are fewer rows than folds.
func (k KFold) Split(n int, _ []int) ([]Fold, error) {
	return dealt("validation: KFold", k, k.Folds, k.Repeats, k.Seed, n, make([]int, max(n, 0)))
}

// StratifiedKFold is a KFold that distributes the rows of each class evenly over the parts. If a class has fewer rows than there
// are folds, it is missing from some test parts. A class with a single row is missing from one training part.
type StratifiedKFold struct {
	// Folds is the number of folds. If it is 0, 3 is used.
	Folds int `zero:"3" least:"2"`

	// Repeats is the number of repeats. If it is 0, 1 is used.
	Repeats int `zero:"1"`
	Seed    uint64
}

// Split returns Folds × Repeats folds. Errors: ErrParam, and ErrShape if there are fewer rows than folds or labels does not have n
// entries.
func (k StratifiedKFold) Split(n int, labels []int) ([]Fold, error) {
	if len(labels) != n {
		return nil, fault.Shape("labels has", len(labels), "entries", "want %d", n)
	}
	return dealt("validation: StratifiedKFold", k, k.Folds, k.Repeats, k.Seed, n, labels)
}

// dealt assigns the rows of each label to the parts in turn. The first row of a label goes to the part after that of the last row
// of the previous label, so that the sizes of the parts stay equal.
func dealt(typ string, config Splitter, k, repeats int, seed uint64, n int, labels []int) ([]Fold, error) {
	if err := settings.Check(typ, config); err != nil {
		return nil, err
	}
	k, repeats = cmp.Or(k, defaultFolds), cmp.Or(repeats, 1)
	if n < k {
		return nil, fault.Shape("x has", n, "rows", "want at least one for each of %d folds", k)
	}
	if err := check.Numbers(fmt.Sprintf("%s: %d times %d folds of %d rows", typ, repeats, k, n), float64(n)*float64(k)*float64(repeats),
		"take fewer Folds or Repeats"); err != nil {
		return nil, err
	}
	out := make([]Fold, 0, k*repeats)
	for r := range repeats {
		// Each repeat has its own stream of random numbers, so that the first three of five repeats equal those of three repeats.
		order := permutation(n, seed, uint64(r))
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(labels[a], labels[b]) })
		part := make([]int, n)
		for i, row := range order {
			part[row] = i % k
		}
		for f := range k {
			var fold Fold
			for row, p := range part {
				if p == f {
					fold.Test = append(fold.Test, row)
				} else {
					fold.Train = append(fold.Train, row)
				}
			}
			out = append(out, fold)
		}
	}
	return out, nil
}

// ShuffleSplit draws Splits independent divisions. In each of them, the test part contains the fraction TestFraction of the rows,
// rounded. This is also known as repeated hold-out.
type ShuffleSplit struct {
	// Splits is the number of splits. If it is 0, 10 is used.
	Splits int `zero:"10"`

	// TestFraction is the share of rows for testing, in (0, 1). If it is 0, 0.25 is used.
	TestFraction float64 `zero:"0.25" below:"1"`
	Seed         uint64
}

// Split returns Splits folds, in which both parts have at least one row. Errors: ErrParam, and ErrShape if there are fewer than two
// rows.
func (s ShuffleSplit) Split(n int, _ []int) ([]Fold, error) {
	return holdOut("validation: ShuffleSplit", s, s.Splits, s.TestFraction, s.Seed, n, make([]int, max(n, 0)))
}

// StratifiedShuffleSplit is a [ShuffleSplit] whose test parts contain each class in nearly the same proportion as all rows. With m
// of n rows in the test part, a class of c rows gets the integer part of mc/n. The remaining test rows go, one each, to the classes
// that are furthest below their share. Ties are broken at random in each split.
//
// Each class keeps a training row, so a class with a single row is never tested. If there are fewer training rows than classes,
// this is not possible, and the classes that are furthest below their share have none. A class with few rows may be missing from a
// test part.
type StratifiedShuffleSplit struct {
	// Splits is the number of splits. If it is 0, 10 is used.
	Splits int `zero:"10"`

	// TestFraction is the share of rows for testing, in (0, 1). If it is 0, 0.25 is used.
	TestFraction float64 `zero:"0.25" below:"1"`
	Seed         uint64
}

// Split returns Splits folds, in which both parts have at least one row. Errors: ErrParam, and ErrShape if there are fewer than two
// rows or labels does not have n entries.
func (s StratifiedShuffleSplit) Split(n int, labels []int) ([]Fold, error) {
	if len(labels) != n {
		return nil, fault.Shape("labels has", len(labels), "entries", "want %d", n)
	}
	return holdOut("validation: StratifiedShuffleSplit", s, s.Splits, s.TestFraction, s.Seed, n, labels)
}

// holdOut draws the test rows of each split. The function allot determines the number of test rows of each label.
func holdOut(typ string, config Splitter, splits int, fraction float64, seed uint64, n int, labels []int) ([]Fold, error) {
	if err := settings.Check(typ, config); err != nil {
		return nil, err
	}
	splits, fraction = cmp.Or(splits, defaultSplits), cmp.Or(fraction, defaultTestFraction)
	if n < 2 {
		return nil, fault.Shape("x has", n, "rows", "want at least 2 to split")
	}
	size := min(max(int(math.Round(fraction*float64(n))), 1), n-1)
	if err := check.Numbers(fmt.Sprintf("%s: %d splits of %d rows", typ, splits, n), float64(n)*float64(splits),
		"take fewer Splits"); err != nil {
		return nil, err
	}
	out := make([]Fold, splits)
	for i := range out {
		order := permutation(n, seed, uint64(i))
		// Classes are numbered in the order of the shuffled rows, so that ties between them are broken differently in each split.
		class, counts := map[int]int{}, []int{}
		for _, row := range order {
			c, seen := class[labels[row]]
			if !seen {
				c = len(counts)
				class[labels[row]], counts = c, append(counts, 0)
			}
			counts[c]++
		}
		left := allot(counts, size)
		for _, row := range order {
			if c := class[labels[row]]; left[c] > 0 {
				left[c]--
				out[i].Test = append(out[i].Test, row)
			} else {
				out[i].Train = append(out[i].Train, row)
			}
		}
		slices.Sort(out[i].Test)
		slices.Sort(out[i].Train)
	}
	return out, nil
}

// allot divides size test rows among classes with the given numbers of rows, by largest remainder. It leaves each class a training
// row if possible. In a tie, the first class gets the row.
func allot(counts []int, size int) []int {
	n := 0
	for _, c := range counts {
		n += c
	}
	out := make([]int, len(counts))
	left := size
	for c, count := range counts {
		out[c] = int(int64(size) * int64(count) / int64(n))
		left -= out[c]
	}
	for keep := 1; keep >= 0; keep-- { // number of training rows that each class keeps
		for left > 0 {
			to, furthest := -1, int64(0)
			for c, count := range counts {
				// The distance of the class below its share, in units of 1/n rows.
				below := int64(size)*int64(count) - int64(out[c])*int64(n)
				if out[c]+keep < count && (to < 0 || below > furthest) {
					to, furthest = c, below
				}
			}
			if to < 0 {
				break
			}
			out[to]++
			left--
		}
	}
	return out
}

func permutation(n int, seed, number uint64) []int { return stream(seed, number).Perm(n) }

// stream returns the random numbers of stream "split" + number.
func stream(seed, number uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x73706c6974+number)) }
