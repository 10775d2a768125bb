package grids

import (
	"context"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
)

// Fold is one division of a grid's rows. Train and Test are dense copies, with the attributes of the grid.
type Fold struct{ Train, Test *base.DenseInstances }

// Folds shuffles the rows of grid and divides them into test sets, one for each fold, whose sizes differ by at most one row. Each
// class of a categorical or a binary class attribute is divided evenly among the folds. The same seed, including 0, gives the same
// folds, and the grid is not changed. The copies need as many times the memory of the grid as there are folds. Folds returns
// ErrParam for fewer than 2 folds. It returns ErrShape unless there are at least as many rows as folds and exactly one class
// attribute.
func Folds(grid base.FixedDataGrid, folds int, seed uint64) ([]Fold, error) {
	return gridtable.EachFold(context.Background(), "grids: Folds", grid, gridtable.ReadLabelled, folds, seed,
		func(train, test *gridtable.Table) (out Fold, err error) {
			if out.Train, err = train.GridSharing(); err == nil {
				out.Test, err = test.GridSharing()
			}
			return out, err
		})
}
