package transformers

import (
	"context"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowhash"
)

// BlockFitter is the capability to fit from a stream of rows that are not all in memory, such as a file or a query.
type BlockFitter interface {
	// FitBlocks is Fit on the rows of all blocks, one after the other, whatever their sizes are.
	// The iterator is run from its beginning once or a few times, and has to give the same rows in
	// the same order each time: ErrParam if it does not. What a block holds may be overwritten
	// once the next one is asked for. Errors are Fit's, in which rows are counted from the first of
	// the stream, and the iterator's. ctx is looked at after each block, and within large ones.
	FitBlocks(ctx context.Context, blocks iter.Seq2[*mat.Dense, error]) error
}

var (
	_ BlockFitter = (*StandardScaler)(nil)
	_ BlockFitter = (*RMSScaler)(nil)
	_ BlockFitter = (*MinMaxScaler)(nil)
	_ BlockFitter = (*UnitRows)(nil)
	_ BlockFitter = (*PowerTransformer)(nil)
	_ BlockFitter = (*QuantileTransformer)(nil)
	_ BlockFitter = (*Winsorizer)(nil)
	_ BlockFitter = (*Imputer)(nil)
	_ BlockFitter = (*OneHot)(nil)
	_ BlockFitter = (*PCA)(nil)
)

// learnBlocks assigns what f learns of a stream, in which gap tells what may be missing.
func (l *learned[M]) learnBlocks(ctx context.Context, blocks iter.Seq2[*mat.Dense, error], gap func(column int) bool, f func(rows *stream) (*M, error)) error {
	m, err := f(&stream{name: l.model().name(), blocks: blocks, gap: gap})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.fitted, l.sums = m, nil
	return nil
}

// stream is rows that are read again for each pass.
type stream struct {
	name   string // of the type that reads, for errors
	blocks iter.Seq2[*mat.Dense, error]
	gap    func(column int) bool
	n, d   int    // 0 before the first pass
	hash   uint64 // of the rows of the first pass
}

// pieceRows are the rows between two looks at the context.
const pieceRows = 4096

// pass calls visit on all rows in their order, some at a time.
func (s *stream) pass(ctx context.Context, visit func(x *mat.Dense) error) error {
	if s.blocks == nil {
		return fault.Param(s.name, "blocks", nil, "an iterator over blocks")
	}
	again := s.n > 0
	n, hash := 0, uint64(rowhash.Seed)
	for block, err := range s.blocks {
		if err != nil {
			return fmt.Errorf("%s: the block after %d rows: %w", s.name, n, err)
		}
		rows, err := s.checked(block, n)
		if err != nil {
			return err
		}
		if again && n+rows > s.n {
			return s.changed()
		}
		for from := 0; from < rows; from += pieceRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			piece := block.Slice(from, min(from+pieceRows, rows), 0, s.d).(*mat.Dense)
			if hash, err = s.piece(piece, n, from, hash); err != nil {
				return err
			}
			if err := visit(piece); err != nil {
				return err
			}
		}
		n += rows
	}
	switch err := ctx.Err(); {
	case err != nil:
		return err
	case n == 0:
		return fmt.Errorf("%s: %w", s.name, fault.Shape("the stream has", 0, "blocks", "want at least 1"))
	case again && (n != s.n || hash != s.hash):
		return s.changed()
	}
	s.n, s.hash = n, hash
	return nil
}

// checked returns the rows of a block that is as wide as the first one.
func (s *stream) checked(block *mat.Dense, first int) (rows int, err error) {
	if block == nil || block.IsEmpty() {
		return 0, fmt.Errorf("%s: the block after %d rows: %w", s.name, first, fault.Shape("x has", 0, "rows", "want at least 1"))
	}
	rows, d := block.Dims()
	if s.d == 0 {
		s.d = d
	}
	if d != s.d {
		return 0, fmt.Errorf("%s: the block after %d rows: %w", s.name, first, fault.Shape("x has", d, "columns", "the first block has %d", s.d))
	}
	return rows, nil
}

// piece checks the values of some rows, which begin with this one of a block after first rows,
// and mixes them into the hash.
func (s *stream) piece(x *mat.Dense, first, from int, hash uint64) (uint64, error) {
	if _, err := check.DenseGaps("x", x, s.gap); err != nil {
		return 0, fmt.Errorf("%s: the block after %d rows: %w", s.name, first, fault.FromRow(err, first+from))
	}
	rows, _ := x.Dims()
	for i := range rows {
		hash = rowhash.Numbers(hash, x.RawRowView(i))
	}
	return hash, nil
}

func (s *stream) changed() error {
	return fault.Param(s.name, "blocks", "rows that changed between two passes", "the same rows in the same order each time")
}

// perColumn is a pass in which each column has a T, which take is called on with the values of
// the column in their order, some at a time, in memory that it may write to. Columns go on some
// goroutines at once.
func perColumn[T any](ctx context.Context, s *stream, workers int, start func(column int) T, take func(t *T, values []float64) error) ([]T, error) {
	var out []T
	err := s.pass(ctx, func(x *mat.Dense) error {
		if out == nil {
			out = make([]T, s.d)
			for j := range out {
				out[j] = start(j)
			}
		}
		return onWorkers(ctx, workers, x, func(j int, values []float64) error { return take(&out[j], values) })
	})
	return out, err
}
