package validation

import (
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
)

// Split calls a splitter for n rows and checks its folds. There must be at least one fold, each fold must have training and test
// rows, and all row numbers must be between 0 and n-1. It returns the error of the splitter, [estimators.ErrParam] for a nil
// splitter, or [estimators.ErrShape].
func Split(s Splitter, n int, labels []int) (_ []Fold, err error) {
	defer fault.Recover(&err)
	if check.IsNil(s) {
		return nil, fault.Param("validation: Split", "splitter", "nil", "one such as KFold{}")
	}
	folds, err := s.Split(n, labels)
	if err != nil {
		return nil, err
	}
	if len(folds) == 0 {
		return nil, fault.Shape("the splitter made", 0, "folds", "want at least 1")
	}
	if err := partsHaveRows(folds); err != nil {
		return nil, err
	}
	for i, f := range folds {
		for _, rows := range [][]int{f.Train, f.Test} {
			for _, r := range rows {
				if r < 0 || r >= n {
					return nil, fault.Shape(fmt.Sprintf("fold %d has row", i), r, "", "x has %d rows", n)
				}
			}
		}
	}
	return folds, nil
}

func partsHaveRows(folds []Fold) error {
	for i, f := range folds {
		if len(f.Train) == 0 || len(f.Test) == 0 {
			return fault.Shape(fmt.Sprintf("fold %d has", i), 0, "rows in one part", "want at least 1")
		}
	}
	return nil
}

// If a copy of a test row is a training row, it reveals the target of the test row. Therefore equal rows stay together.

// SplitDistinct divides the distinct rows of a matrix. It receives the labels of the distinct rows and those of all rows. A
// splitter of this package that does not depend on groups or order divides the distinct rows. Any other splitter divides all rows,
// and equal rows are assigned to the part of the first of them. The searches of this module use it.
func SplitDistinct(s Splitter, rows *distinct.Rows, labels, allLabels []int) ([]Fold, error) {
	if !rows.Repeated() || numbersRows(s) {
		return Split(s, rows.Len(), labels)
	}
	folds, err := Split(s, len(rows.Index), allLabels)
	if err != nil {
		return nil, err
	}
	for i, f := range folds {
		folds[i] = Fold{Train: firsts(f.Train, rows), Test: firsts(f.Test, rows)}
	}
	return folds, partsHaveRows(folds)
}

// SpreadDistinct converts folds of distinct rows to folds of all rows. The searches of this module use it.
func SpreadDistinct(folds []Fold, rows *distinct.Rows) []Fold {
	if !rows.Repeated() {
		return folds
	}
	members := make([][]int, rows.Len())
	for i, at := range rows.Index {
		members[at] = append(members[at], i)
	}
	spread := func(distinct []int) []int {
		var out []int
		for _, at := range distinct {
			out = append(out, members[at]...)
		}
		slices.Sort(out)
		return out
	}
	out := make([]Fold, len(folds))
	for i, f := range folds {
		out[i] = Fold{Train: spread(f.Train), Test: spread(f.Test)}
	}
	return out
}

// splitTogether divides the rows so that equal rows stay together. If the splitter does not only number the rows, it divides all
// rows instead.
func splitTogether[Y float64 | int](s Splitter, of folds.Rows[Y], labels []int) ([]Fold, error) {
	n, _ := of.Matrix().Dims()
	if !numbersRows(s) {
		return Split(s, n, labels)
	}
	var rows *distinct.Rows
	if of.X == nil {
		rows, _ = distinct.MergeSparse(of.Sparse, nil)
	} else {
		rows = distinct.Merge(of.X, nil)
	}
	if labels != nil && rows.Repeated() {
		labels = rows.MostFrequent(labels)
	}
	divided, err := Split(s, rows.Len(), labels)
	return SpreadDistinct(divided, rows), err
}

// numbersRows reports whether a splitter uses only row numbers.
func numbersRows(s Splitter) bool {
	switch s.(type) {
	case KFold, *KFold, StratifiedKFold, *StratifiedKFold, ShuffleSplit, *ShuffleSplit, StratifiedShuffleSplit, *StratifiedShuffleSplit:
		return true
	}
	return false
}

// firsts returns the distinct rows whose first occurrence is in rows. The argument rows must be in ascending order.
func firsts(rows []int, of *distinct.Rows) []int {
	var out []int
	for _, i := range rows {
		if at := of.Index[i]; of.First[at] == i {
			out = append(out, at)
		}
	}
	return out
}
