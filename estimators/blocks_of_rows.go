package estimators

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// blockRows is the default number of rows of a block.
const blockRows = 2048

// InBlocks calls f for each block of rows of x in turn, with the number of the block's first row. The argument rows sets the
// approximate number of rows in a block. If it is 0, 2048 is used. InBlocks checks ctx before each block and reports its progress
// to the observer of [Observed]. Use it for predictions, and for any other function of rows without a context. It returns the
// errors of f and of ctx, ErrShape if x is empty, and ErrParam if rows is negative. If f returns a [NotFiniteError], its row number
// is converted from the block to x.
func InBlocks(ctx context.Context, x mat.Matrix, rows int, f func(first int, block *mat.Dense) error) (err error) {
	defer BeginFit(&ctx, nil)(&err)
	if rows < 0 {
		return fault.Param("estimators: InBlocks", "rows", rows, ">= 0")
	}
	if rows == 0 {
		rows = blockRows
	}
	if check.IsNil(x) {
		return fault.Shape("x is nil: it has", 0, "rows", "want at least 1")
	}
	xd, ok := x.(*mat.Dense)
	if !ok {
		xd = mat.DenseCopyOf(x)
	}
	if xd.IsEmpty() {
		return fault.Shape("x has", 0, "rows", "want at least 1")
	}
	n, d := xd.Dims()
	blocks := max(1, n/rows) // all blocks have about the same size, so that the last one is not small
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for i := range blocks {
		if err := ctx.Err(); err != nil {
			return err
		}
		loop.Report(float64(i) / float64(blocks))
		first, last := i*n/blocks, (i+1)*n/blocks
		if err := f(first, xd.Slice(first, last, 0, d).(*mat.Dense)); err != nil {
			return fault.FromRow(err, first)
		}
	}
	return ctx.Err()
}

// PredictContext returns p.Predict(x) for any [Regressor] (Y is float64) or [Classifier] (Y is int), computed with [InBlocks]. The
// prediction of a row must not depend on the other rows, which holds for all estimators of this module. It returns the errors of
// Predict and of ctx.
func PredictContext[Y float64 | int](ctx context.Context, p interface {
	Predict(x mat.Matrix) ([]Y, error)
}, x mat.Matrix) (_ []Y, err error) {
	defer fault.Recover(&err)
	if check.IsNil(p) {
		return nil, fault.Param("estimators: PredictContext", "p", nil, "an estimator")
	}
	var out []Y
	err = InBlocks(ctx, x, 0, func(_ int, block *mat.Dense) error {
		y, err := p.Predict(block)
		out = append(out, y...)
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}
