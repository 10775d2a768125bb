package columns

import (
	"context"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

// Fit fits a clone of the transformer of each part to its columns of x.
func (c Choice) Fit(ctx context.Context, x mat.Matrix) (*Fitted, error) {
	return c.fit(ctx, x, nil, func(_ int, of transformers.Transformer, some *mat.Dense) error { return of.Fit(ctx, some) })
}

// FitTransform is like Fit, and passes the targets to the parts that need them. It also returns the rows to which the next
// estimator is to be fitted.
func (c Choice) FitTransform(ctx context.Context, x, targets mat.Matrix) (*Fitted, *mat.Dense, error) {
	b := &buffers{}
	f, err := c.fit(ctx, x, b, func(i int, of transformers.Transformer, some *mat.Dense) error {
		z, err := transformers.FitTransform(ctx, of, some, targets)
		if err == nil {
			b.out[i] = *z
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	out := &mat.Dense{}
	return f, out, f.join(out, b)
}

// fit calls learn to fit the transformer of each part to its columns. If b is not nil, fit stores the columns of each part in b.
func (c Choice) fit(ctx context.Context, x mat.Matrix, b *buffers,
	learn func(i int, of transformers.Transformer, some *mat.Dense) error) (*Fitted, error) {
	in, err := check.DenseGaps("x", x, check.Anywhere)
	if err != nil {
		return nil, fault.AddPlace(name, err)
	}
	_, d := in.Dims()
	f, err := c.unfitted(d)
	if err != nil {
		return nil, err
	}
	if _, err := f.dense(in); err != nil {
		return nil, fault.AddPlace(name, err)
	}
	if b != nil {
		b.in, b.out = make([]mat.Dense, len(f.parts)), make([]mat.Dense, len(f.parts))
	}
	for i, p := range f.parts {
		if p.Of == nil && b == nil {
			continue
		}
		some := &mat.Dense{}
		if b != nil {
			some = &b.in[i]
		}
		pick(some, in, p.Columns)
		if p.Of == nil {
			continue
		}
		if err := learn(i, p.Of, some); err != nil {
			return nil, fmt.Errorf("%s: %w", partName(i, p), placed(err, p, window(some, 0)))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f, nil
}

// FitBlocks is like Fit for a stream. It reads the stream once to check it, and once for each pass of a part.
func (c Choice) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error]) (*Fitted, error) {
	for i, p := range c.Parts {
		if !check.IsNil(p.Of) && !estimators.Supports(p.Of, estimators.Blocks) {
			return nil, estimators.Unsupported(partName(i, p), p.Of, estimators.Blocks)
		}
	}
	if blocks == nil {
		return nil, fault.Param(name, "blocks", nil, "an iterator over blocks")
	}
	// This pass checks the unchanged columns. The parts check the other columns.
	var f *Fitted
	first := 0
	for b, err := range blocks {
		x := b.X
		if err == nil {
			err = ctx.Err()
		}
		if err == nil && f == nil {
			if x == nil || x.IsEmpty() {
				err = fault.Shape("x has", 0, "rows", "want at least 1")
			} else {
				_, d := x.Dims()
				f, err = c.unfitted(d)
			}
		}
		if err == nil {
			_, err = f.dense(x)
		}
		if err != nil {
			return nil, fmt.Errorf("%s: the block after %d rows: %w", name, first, fault.FromRow(err, first))
		}
		n, _ := x.Dims()
		first += n
	}
	if f == nil {
		return nil, fmt.Errorf("%s: %w", name, fault.Shape("the stream has", 0, "blocks", "want at least 1"))
	}
	for i, p := range f.parts {
		if p.Of == nil {
			continue
		}
		var piece mat.Dense
		first, rows := 0, 0 // of the piece
		some := func(yield func(streaming.Block[streaming.None], error) bool) {
			first, rows = 0, 0
			for b, err := range blocks {
				x := b.X
				if err == nil && (x == nil || x.IsEmpty() || x.RawMatrix().Cols != f.width) {
					err = fault.Param(name, "blocks", "rows that changed between two passes", "the same rows in the same order each time")
				}
				if err != nil {
					yield(streaming.Rows(nil), err)
					return
				}
				n, _ := x.Dims()
				for from := 0; from < n; from += stream.PieceRows {
					pick(&piece, x.Slice(from, min(from+stream.PieceRows, n), 0, f.width).(*mat.Dense), p.Columns)
					first += rows
					rows, _ = piece.Dims()
					if !yield(streaming.Rows(&piece), nil) {
						return
					}
				}
			}
		}
		if err := p.Of.(streaming.BlockFitter[streaming.None]).FitBlocks(ctx, some); err != nil {
			return nil, fmt.Errorf("%s: %w", partName(i, p), placed(err, p, window(&piece, first)))
		}
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return f, nil
}
