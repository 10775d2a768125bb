package grids

import (
	"context"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
)

// Fold is one division of a grid's rows. Both parts are dense copies, with the
// attributes of the grid.
type Fold struct{ Train, Test *base.DenseInstances }

// Folds cuts the rows of grid, shuffled, into as many parts of even size as folds
// says; each is the test part once. Each class of a categorical or a binary class
// attribute is dealt evenly to the parts. The same seed gives the same folds, 0
// included, and the grid stays as it is. The copies take folds times the grid's
// memory. Errors: ErrParam for fewer than 2 folds; ErrShape for fewer rows than
// folds or not one class attribute.
func Folds(grid base.FixedDataGrid, folds int, seed uint64) ([]Fold, error) {
	return gridtable.EachFold(context.Background(), "grids: Folds", grid, gridtable.ReadLabelled, folds, seed,
		func(train, test *gridtable.Table) (out Fold, err error) {
			if out.Train, err = train.GridSharing(); err == nil {
				out.Test, err = test.GridSharing()
			}
			return out, err
		})
}
