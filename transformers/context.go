package transformers

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/sparse"
)

// leastPiece is the smallest number of rows between two checks of a context. A piece may have up to twice as many. With this many
// rows, products run at full speed, and rows are never mapped one by one.
const leastPiece = 2048

// TransformContext returns a result that is bit-identical to t.Transform(x), computed in blocks of several thousand rows. Between
// the blocks it checks ctx and reports its progress to the observer of [estimators.Observed]. If t does not implement
// [TransformerTo], the rows of its result may depend on each other, so all rows are transformed at once. It returns the errors of
// Transform, [estimators.ErrTooLarge] if the result exceeds 8 GiB, or the error of ctx.
//
// [estimators.Observed]: https://pkg.go.dev/github.com/kernelearn/kernelearn/estimators#Observed
// [estimators.ErrTooLarge]: https://pkg.go.dev/github.com/kernelearn/kernelearn/estimators#ErrTooLarge
func TransformContext(ctx context.Context, t Transformer, x mat.Matrix) (_ *mat.Dense, err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	if check.IsNil(t) {
		return nil, fault.Param("transformers: TransformContext", "t", nil, "a transformer")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	to, ok := embedding.As[TransformerTo](t)
	if n := rowsOf(x); !ok || n < 2*leastPiece {
		return t.Transform(x)
	}
	slice, err := slicer(x)
	if err != nil { // Transform itself decides whether NaN is an error
		return t.Transform(x)
	}
	n := rowsOf(x)
	pieces := n / leastPiece
	var out *mat.Dense
	var first mat.Dense
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for i := range pieces {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		loop.Report(float64(i) / float64(pieces))
		from, to0 := i*n/pieces, (i+1)*n/pieces
		dst := &first
		if out != nil {
			_, width := out.Dims()
			dst = out.Slice(from, to0, 0, width).(*mat.Dense)
		}
		if err := to.TransformTo(dst, slice(from, to0)); err != nil {
			return nil, fault.FromRow(err, from)
		}
		if out == nil {
			_, width := first.Dims()
			if err := check.Numbers("transformers: TransformContext: the result", float64(n)*float64(width),
				"transform fewer rows at a time"); err != nil {
				return nil, err
			}
			out = mat.NewDense(n, width, nil)
			out.Slice(0, to0, 0, width).(*mat.Dense).Copy(&first)
			first.Reset()
		}
	}
	return out, ctx.Err()
}

// slicer returns a function that slices the rows of x. Slices of sparse rows are sparse.
func slicer(x mat.Matrix) (func(first, last int) mat.Matrix, error) {
	if sparse.Is(x) {
		rows, err := sparse.From("x", x)
		return func(first, last int) mat.Matrix { return rows.Slice(first, last) }, err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	_, d := xd.Dims()
	return func(first, last int) mat.Matrix { return xd.Slice(first, last, 0, d) }, nil
}

func rowsOf(x mat.Matrix) int {
	if check.IsNil(x) {
		return 0
	}
	n, _ := x.Dims()
	return n
}
