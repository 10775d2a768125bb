package falkon

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// stream reads blocks of a caller's as a source.
type stream[Y float64 | int] struct {
	typ    string
	blocks iter.Seq2[estimators.Block[Y], error]
	d      int                      // 0 until the first block
	target func(dst []float64, y Y) // into the targets
	weight func(y Y) float64        // of a class; nil: 1
}

// each calls visit on the blocks, which are valid.
func (s *stream[Y]) each(ctx context.Context, visit func(estimators.Block[Y]) error) error {
	if s.blocks == nil {
		return fault.Param(s.typ, "blocks", nil, "an iterator over blocks")
	}
	first, none := 0, true
	for b, err := range s.blocks {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = s.valid(b)
		}
		if err != nil {
			return fmt.Errorf("%s: the block after %d rows: %w", s.typ, first, fault.FromRow(err, first))
		}
		if err := visit(b); err != nil {
			return err
		}
		first += len(b.Y)
		none = false
	}
	if none {
		return fault.Shape("the stream has", 0, "blocks", "want at least 1")
	}
	return ctx.Err()
}

func (s *stream[Y]) valid(b estimators.Block[Y]) error {
	x, err := check.Labelled(b.X, len(b.Y))
	if err != nil {
		return err
	}
	if _, d := x.Dims(); s.d == 0 {
		s.d = d
	} else if d != s.d {
		return fault.Shape("x has", d, "columns", "the first block has %d", s.d)
	}
	if targets, ok := any(b.Y).([]float64); ok {
		if err := check.Vector("y", targets); err != nil {
			return err
		}
	}
	if b.Weights != nil {
		return check.Weights(s.typ, b.Weights, len(b.Y))
	}
	return nil
}

// source reads the stream once to count its rows, of k targets each.
func (s *stream[Y]) source(ctx context.Context, k int) (*source, error) {
	m := newMoments(k)
	if err := s.batches(ctx, k, 64*blockRows, func(b batch) error { m.add(b); return nil }); err != nil {
		return nil, err
	}
	out := &source{d: s.d, k: k}
	m.copyTo(out)
	out.read = func(ctx context.Context, size int, visit func(batch) error) error {
		again := newMoments(k)
		err := s.batches(ctx, k, size, func(b batch) error {
			if b.first+b.rows() > out.n {
				return s.changed()
			}
			again.read(b)
			return visit(b)
		})
		if err == nil && (again.n != out.n || again.hash != out.hash) {
			err = s.changed()
		}
		return err
	}
	return out, nil
}

// noGroups is the error of a stream with groups.
func noGroups(typ string, groups []int) error {
	return fault.Param(typ, "Groups", fmt.Sprintf("%d groups of rows", len(groups)), "nil: blocks of rows are not left out by groups")
}

func (s *stream[Y]) changed() error {
	return fault.Param(s.typ, "blocks", "rows that changed between two passes", "the same rows in the same order each time")
}

// errStop ends a reader whose rows nobody wants any more.
var errStop = errors.New("stop")

// filled is memory for rows, of which some are there.
type filled struct {
	memory batch
	rows   int
}

// batches calls visit on the rows of the stream, size at a time but for the last. The next ones
// are read meanwhile, by another goroutine, which ends before batches does.
func (s *stream[Y]) batches(ctx context.Context, k, size int, visit func(batch) error) error {
	full, empty, stop := make(chan filled), make(chan *batch, 2), make(chan struct{})
	empty <- nil
	empty <- nil
	var failed error
	go func() {
		defer close(full)
		defer fault.Recover(&failed)
		failed = s.fill(ctx, k, size, empty, full, stop)
	}()
	var err error
	first, ended := 0, false
	defer func() { // where visit panics the reader ends as well
		if !ended {
			close(stop)
			for range full {
			}
		}
	}()
	for f := range full {
		if err != nil {
			continue
		}
		b := f.memory.part(0, f.rows)
		b.first = first
		first += f.rows
		if err = visit(b); err != nil {
			ended = true
			close(stop)
			continue
		}
		empty <- &f.memory
	}
	ended = true
	if err != nil {
		return err
	}
	return failed
}

// fill copies rows into memory and sends it when it is full.
func (s *stream[Y]) fill(ctx context.Context, k, size int, empty chan *batch, full chan filled, stop chan struct{}) error {
	var next *filled
	send := func() error {
		select {
		case full <- *next:
			next = nil
			return nil
		case <-stop:
			return errStop
		}
	}
	err := s.each(ctx, func(b estimators.Block[Y]) error {
		for i := range b.Y {
			if next == nil {
				select {
				case memory := <-empty:
					if memory == nil {
						memory = &batch{x: mat.NewDense(size, s.d, nil), y: mat.NewDense(size, k, nil), w: make([]float64, size)}
					}
					next = &filled{memory: *memory}
				case <-stop:
					return errStop
				}
			}
			s.copyRow(next.memory, next.rows, b, i)
			if next.rows++; next.rows == size {
				if err := send(); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err == nil && next != nil {
		err = send()
	}
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

func (s *stream[Y]) copyRow(to batch, at int, b estimators.Block[Y], i int) {
	to.x.SetRow(at, b.X.RawRowView(i))
	s.target(to.y.RawRowView(at), b.Y[i])
	w := 1.0
	if b.Weights != nil {
		w = b.Weights[i]
	}
	if s.weight != nil {
		w *= s.weight(b.Y[i])
	}
	to.w[at] = w
}
