package rowmap

import (
	"context"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowhash"
	"github.com/kernelearn/kernelearn/streaming"
)

// LearnBlocks stores the result of f for a stream. The function gap reports in which columns NaN is allowed.
func (l *State[M]) LearnBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[streaming.None], error], gap func(column int) bool,
	f func(rows *Stream) (*M, error)) error {
	m, err := f(&Stream{Name: l.TypeName(), blocks: blocks, gap: gap})
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	l.Fitted, l.Sums = m, nil
	return nil
}

// Stream holds rows that are read again for each pass.
type Stream struct {
	Name   string // name of the type that reads the stream, for errors
	blocks iter.Seq2[streaming.Block[streaming.None], error]
	gap    func(column int) bool
	N, D   int    // 0 before the first pass
	hash   uint64 // hash of the rows of the first pass
}

// PieceRows is the number of rows between two checks of the context.
const PieceRows = 4096

// Pass calls visit with all rows, in order and in pieces.
func (s *Stream) Pass(ctx context.Context, visit func(x *mat.Dense) error) error {
	if s.blocks == nil {
		return fault.Param(s.Name, "blocks", nil, "an iterator over blocks")
	}
	again := s.N > 0
	n, hash := 0, uint64(rowhash.Seed)
	for block, err := range s.blocks {
		if err != nil {
			return fmt.Errorf("%s: the block after %d rows: %w", s.Name, n, err)
		}
		x, err := s.checked(block, n)
		if err != nil {
			return err
		}
		rows, _ := x.Dims()
		if again && n+rows > s.N {
			return s.changed()
		}
		for from := 0; from < rows; from += PieceRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			piece := x.Slice(from, min(from+PieceRows, rows), 0, s.D).(*mat.Dense)
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
		return fmt.Errorf("%s: %w", s.Name, fault.Shape("the stream has", 0, "blocks", "want at least 1"))
	case again && (n != s.N || hash != s.hash):
		return s.changed()
	}
	s.N, s.hash = n, hash
	return nil
}

// checked returns the rows of a block. It returns an error if their width differs from that of the first block.
func (s *Stream) checked(b streaming.Block[streaming.None], first int) (x *mat.Dense, err error) {
	switch x = b.X; {
	case b.Weights != nil:
		err = noWeights(s.Name, b)
	case x == nil || x.IsEmpty():
		err = fault.Shape("x has", 0, "rows", "want at least 1")
	case s.D == 0:
		_, s.D = x.Dims()
	case x.RawMatrix().Cols != s.D:
		err = fault.Shape("x has", x.RawMatrix().Cols, "columns", "the first block has %d", s.D)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: the block after %d rows: %w", s.Name, first, err)
	}
	return x, nil
}

// BlockRows returns the rows of a block for statistics of the named transformer. The function gap reports in which columns NaN is
// allowed.
func BlockRows(name string, b streaming.Block[streaming.None], gap func(column int) bool) (*mat.Dense, error) {
	if b.Weights != nil {
		return nil, noWeights(name, b)
	}
	return check.DenseGaps("x", b.X, gap)
}

func noWeights(name string, b streaming.Block[streaming.None]) error {
	return fault.Param(name, "block weights", fmt.Sprintf("%d", len(b.Weights)), "none: a transformer counts each row once")
}

// piece checks the values of some rows and adds them to the hash. The rows start at row from of a block, and the stream has first
// rows before the block.
func (s *Stream) piece(x *mat.Dense, first, from int, hash uint64) (uint64, error) {
	if _, err := check.DenseGaps("x", x, s.gap); err != nil {
		return 0, fmt.Errorf("%s: the block after %d rows: %w", s.Name, first, fault.FromRow(err, first+from))
	}
	rows, _ := x.Dims()
	for i := range rows {
		hash = rowhash.Numbers(hash, x.RawRowView(i))
	}
	return hash, nil
}

func (s *Stream) changed() error {
	return fault.Param(s.Name, "blocks", "rows that changed between two passes", "the same rows in the same order each time")
}
