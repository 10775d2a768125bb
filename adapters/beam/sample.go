package kernelbeam

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowsample"
)

// sample keeps the rows, with their targets, whose hash with a seed is least.
type sample struct {
	rows, width int
	of          rowsample.Sample
}

func newSample(seed uint64, limit int) *sample {
	return &sample{of: rowsample.Sample{Seed: seed, Limit: limit}}
}

// joint returns rows with their targets for last column.
func (b *block) joint() *mat.Dense {
	out := mat.NewDense(b.rows(), b.width+1, nil)
	out.Slice(0, b.rows(), 0, b.width).(*mat.Dense).Copy(b.dense())
	for i := range b.rows() {
		if len(b.labels) > 0 {
			out.Set(i, b.width, float64(b.labels[i]))
		} else {
			out.Set(i, b.width, b.y[i])
		}
	}
	return out
}

// add implements summary.
func (s *sample) add(_ context.Context, b *block) error {
	if s.rows > 0 && b.width != s.width {
		return fault.Shape("x has", b.width, "columns", "rows before have %d", s.width)
	}
	for i, v := range b.x {
		if v != v {
			return fmt.Errorf("a gap in column %d, of which a kernel knows nothing: %w", i%b.width, fault.ErrNotFinite)
		}
	}
	s.of.Merge(s.of.Pick(b.joint()))
	s.rows, s.width = s.rows+b.rows(), b.width
	return nil
}

// absorb implements summary.
func (s *sample) absorb(o summary) error {
	other, ok := o.(*sample)
	if !ok {
		return fmt.Errorf("kernelbeam: %T and %T cannot be merged", s, o)
	}
	if other.rows == 0 {
		return nil
	}
	if s.rows > 0 && other.width != s.width {
		return fault.Shape("x has", other.width, "columns", "other rows have %d", s.width)
	}
	s.of.Merge(&other.of)
	s.rows, s.width = s.rows+other.rows, other.width
	return nil
}

const sampleKind = "kernelbeam.sample"

type storedSample struct {
	Rows, Width int
	Kept        codec.Matrix
}

// MarshalBinary implements summary.
func (s *sample) MarshalBinary() ([]byte, error) {
	return codec.Marshal(sampleKind, 1, storedSample{s.rows, s.width, s.of.Store()})
}

// UnmarshalBinary implements summary.
func (s *sample) UnmarshalBinary(data []byte) error {
	var in storedSample
	if _, err := codec.Unmarshal(data, sampleKind, 1, &in); err != nil {
		return err
	}
	of, err := s.of.Restore(in.Kept, in.Rows, in.Width+1)
	if err != nil {
		return fault.BadModel(sampleKind, "%v", err)
	}
	s.rows, s.width, s.of = in.Rows, in.Width, of
	return nil
}
