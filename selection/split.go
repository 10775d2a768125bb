package selection

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Fold is one division of the rows 0..n-1. Both lists ascend and they share no
// row.
type Fold struct{ Train, Test []int }

// Splitter divides rows into folds. Labels guide stratified splitters and may be
// nil for the others.
type Splitter interface {
	Split(n int, labels []int) ([]Fold, error)
}

// Defaults of the splitters.
const (
	DefaultFolds        = 3
	DefaultSplits       = 10
	DefaultTestFraction = 0.25
)

// KFold cuts the rows, shuffled, into Folds parts whose sizes differ by at most
// one; each is the test part once. Repeats shuffles anew and does it again.
type KFold struct {
	Folds   int // 0: DefaultFolds
	Repeats int // 0: 1
	Seed    uint64
}

// Split returns Folds × Repeats folds. Errors: ErrParam; ErrShape for fewer rows
// than folds.
func (k KFold) Split(n int, _ []int) ([]Fold, error) {
	return folds("selection: KFold", k.Folds, k.Repeats, k.Seed, n, make([]int, max(n, 0)))
}

// StratifiedKFold is KFold that deals the rows of each class evenly to the
// parts. A class with fewer rows than folds is absent from some test parts, and
// one with a single row from a training part.
type StratifiedKFold struct {
	Folds   int // 0: DefaultFolds
	Repeats int // 0: 1
	Seed    uint64
}

// Split returns Folds × Repeats folds. Errors: ErrParam; ErrShape for fewer rows
// than folds, or labels of another length than n.
func (k StratifiedKFold) Split(n int, labels []int) ([]Fold, error) {
	if len(labels) != n {
		return nil, fault.Shape("labels has", len(labels), "entries", "want %d", n)
	}
	return folds("selection: StratifiedKFold", k.Folds, k.Repeats, k.Seed, n, labels)
}

// folds deals the rows of each label in turn to the parts, going on where the
// label before stopped, so that the parts stay of even size.
func folds(typ string, k, repeats int, seed uint64, n int, labels []int) ([]Fold, error) {
	if k == 0 {
		k = DefaultFolds
	}
	if repeats == 0 {
		repeats = 1
	}
	switch {
	case k < 2:
		return nil, fault.Param(typ, "Folds", k, ">= 2, or 0 for the default")
	case repeats < 1:
		return nil, fault.Param(typ, "Repeats", repeats, ">= 1, or 0 for the default")
	case n < k:
		return nil, fault.Shape("x has", n, "rows", "want at least one for each of %d folds", k)
	}
	out := make([]Fold, 0, k*repeats)
	for r := range repeats {
		// Each repeat has a stream of its own: the first three of five repeats
		// are those of three.
		order := permutation(n, seed, uint64(r))
		slices.SortStableFunc(order, func(a, b int) int { return labels[a] - labels[b] })
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

// ShuffleSplit draws Splits independent divisions with TestFraction of the rows,
// rounded, in the test part: repeated hold-out.
type ShuffleSplit struct {
	Splits       int     // 0: DefaultSplits
	TestFraction float64 // in (0, 1); 0: DefaultTestFraction
	Seed         uint64
}

// Split returns Splits folds, both parts of each with at least one row. Errors:
// ErrParam; ErrShape for fewer than two rows.
func (s ShuffleSplit) Split(n int, _ []int) ([]Fold, error) {
	const typ = "selection: ShuffleSplit"
	if s.Splits == 0 {
		s.Splits = DefaultSplits
	}
	if s.TestFraction == 0 {
		s.TestFraction = DefaultTestFraction
	}
	switch {
	case s.Splits < 1:
		return nil, fault.Param(typ, "Splits", s.Splits, ">= 1, or 0 for the default")
	case !(s.TestFraction > 0 && s.TestFraction < 1):
		return nil, fault.Param(typ, "TestFraction", s.TestFraction, "in (0, 1), or 0 for the default")
	case n < 2:
		return nil, fault.Shape("x has", n, "rows", "want at least 2 to split")
	}
	size := min(max(int(math.Round(s.TestFraction*float64(n))), 1), n-1)
	out := make([]Fold, s.Splits)
	for i := range out {
		order := permutation(n, s.Seed, uint64(i))
		out[i] = Fold{Test: order[:size:size], Train: order[size:]}
		slices.Sort(out[i].Test)
		slices.Sort(out[i].Train)
	}
	return out, nil
}

func permutation(n int, seed, stream uint64) []int {
	return rand.New(rand.NewPCG(seed, 0x73706c6974+stream)).Perm(n) // the streams "split", "split"+1, ...
}
