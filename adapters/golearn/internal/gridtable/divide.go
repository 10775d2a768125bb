package gridtable

import (
	"context"
	"fmt"
	"math"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// Divisible opens a grid, and returns a table from which rows can be picked.
func Divisible(grid base.FixedDataGrid, open func(base.FixedDataGrid) (*Table, error)) (*Table, error) {
	t, err := open(grid)
	if err == nil {
		err = t.bind()
	}
	if err != nil {
		return nil, err
	}
	return t.Compute()
}

// Strata returns a number for each value, and the number of different values. They are numbered from 0, in the order of their first
// occurrence.
func Strata(values []float64) (of []int, count int) {
	of = make([]int, len(values))
	number := map[uint64]int{}
	for i, v := range values {
		key := math.Float64bits(v) // equal for equal NaN
		if v == 0 {
			key = 0 // also for -0
		}
		k, ok := number[key]
		if !ok {
			k = len(number)
			number[key] = k
		}
		of[i] = k
	}
	return of, len(number)
}

// EachFold calls do with the training and test rows of each fold in turn, so that only the copies of one fold are in memory at a
// time.
func EachFold[R any](ctx context.Context, function string, grid base.FixedDataGrid, open func(base.FixedDataGrid) (*Table, error),
	folds int, seed uint64, do func(train, test *Table) (R, error)) ([]R, error) {
	t, divisions, err := divisions(grid, open, folds, seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", function, err)
	}
	out := make([]R, len(divisions))
	for i, d := range divisions {
		err := ctx.Err()
		if err == nil {
			out[i], err = do(t.Pick(nil, d.Train), t.Pick(nil, d.Test))
		}
		if err != nil {
			return nil, fmt.Errorf("%s: fold %d: %w", function, i, err)
		}
	}
	return out, nil
}

func divisions(grid base.FixedDataGrid, open func(base.FixedDataGrid) (*Table, error), folds int, seed uint64) (*Table,
	[]validation.Fold, error) {
	t, err := Divisible(grid, open)
	if err != nil {
		return nil, nil, err
	}
	class, err := t.Values(&t.Classes[0])
	if err != nil {
		return nil, nil, err
	}
	if folds < 2 {
		return nil, nil, fault.Param("input", "folds", folds, ">= 2")
	}
	if t.Classes[0].Column.Kind == FloatKind {
		clear(class) // a single stratum
	}
	of, _ := Strata(class)
	out, err := validation.StratifiedKFold{Folds: folds, Seed: seed}.Split(t.Rows, of)
	return t, out, err
}
