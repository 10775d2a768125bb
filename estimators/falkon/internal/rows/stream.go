package rows

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
)

// Stream reads the blocks of the caller as a source.
type Stream[Y float64 | int] struct {
	Type   string
	Blocks iter.Seq2[streaming.Block[Y], error]
	d      int                      // 0 until the first block
	Target func(dst []float64, y Y) // sets dst to the targets of a row
	Weight func(y Y) float64        // factor for the weights of a class; nil: 1
}

// Each validates the blocks and calls visit with them.
func (s *Stream[Y]) Each(ctx context.Context, visit func(streaming.Block[Y]) error) error {
	if s.Blocks == nil {
		return fault.Param(s.Type, "blocks", nil, "an iterator over blocks")
	}
	first, none := 0, true
	for b, err := range s.Blocks {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = s.valid(b)
		}
		if err != nil {
			return fmt.Errorf("%s: the block after %d rows: %w", s.Type, first, fault.FromRow(err, first))
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

func (s *Stream[Y]) valid(b streaming.Block[Y]) error {
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
		return check.Weights(s.Type, b.Weights, len(b.Y))
	}
	return nil
}

// Source reads the stream once to compute the moments of its rows, which have k targets each, and returns it as a source.
func (s *Stream[Y]) Source(ctx context.Context, k int) (*Source, error) {
	m := newMoments(k)
	if err := s.batches(ctx, k, 64*BlockRows, func(b Batch) error { m.add(b); return nil }); err != nil {
		return nil, err
	}
	out := &Source{D: s.d, K: k, Numbers: s.d}
	m.copyTo(out)
	out.read = func(ctx context.Context, size int, visit func(Batch) error) error {
		again := newMoments(k)
		err := s.batches(ctx, k, size, func(b Batch) error {
			if b.First+b.Rows() > out.N {
				return s.changed()
			}
			again.read(b)
			return visit(b)
		})
		if err == nil && (again.n != out.N || again.hash != out.Hash) {
			err = s.changed()
		}
		return err
	}
	return out, nil
}

func (s *Stream[Y]) changed() error {
	return fault.Param(s.Type, "blocks", "rows that changed between two passes", "the same rows in the same order each time")
}

// errStop ends a reader whose rows are no longer needed.
var errStop = errors.New("stop")

// filled is a batch and the number of its rows.
type filled struct {
	memory Batch
	rows   int
}

// batches calls visit with the rows of the stream, size rows at a time, and fewer in the last call. Meanwhile another goroutine
// reads the next rows. The goroutine ends before batches returns.
func (s *Stream[Y]) batches(ctx context.Context, k, size int, visit func(Batch) error) error {
	full, empty, stop := make(chan filled), make(chan *Batch, 2), make(chan struct{})
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
	defer func() { // ends the reader also if visit panics
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
		b := f.memory.Slice(0, f.rows)
		b.First = first
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

// fill copies rows into empty batches, and sends each batch when it is full.
func (s *Stream[Y]) fill(ctx context.Context, k, size int, empty chan *Batch, full chan filled, stop chan struct{}) error {
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
	err := s.Each(ctx, func(b streaming.Block[Y]) error {
		for i := range b.Y {
			if next == nil {
				select {
				case memory := <-empty:
					if memory == nil {
						memory = &Batch{X: mat.NewDense(size, s.d, nil), Y: mat.NewDense(size, k, nil), W: make([]float64, size)}
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

func (s *Stream[Y]) copyRow(to Batch, at int, b streaming.Block[Y], i int) {
	to.X.(*mat.Dense).SetRow(at, b.X.RawRowView(i))
	s.Target(to.Y.RawRowView(at), b.Y[i])
	w := 1.0
	if b.Weights != nil {
		w = b.Weights[i]
	}
	if s.Weight != nil {
		w *= s.Weight(b.Y[i])
	}
	to.W[at] = w
}
