package kernelbeam

import (
	"context"
	"fmt"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowsample"
)

// sample holds the rows with the smallest seeded hashes, and their targets.
type sample struct {
	rows, width int
	of          rowsample.Sample
}

func newSample(seed uint64, limit int) *sample {
	return &sample{of: rowsample.Sample{Seed: seed, Limit: limit}}
}

// Add implements rowblocks.Summary.
func (s *sample) Add(_ context.Context, b *rowblocks.Block) error {
	if s.rows > 0 && b.Width != s.width {
		return fault.Shape("x has", b.Width, "columns", "rows before have %d", s.width)
	}
	for i, v := range b.X {
		if v != v {
			return fmt.Errorf("a gap in column %d, which a kernel cannot handle: %w", i%b.Width, fault.ErrNotFinite)
		}
	}
	s.of.Merge(s.of.Pick(b.WithTargets()))
	s.rows, s.width = s.rows+b.Rows(), b.Width
	return nil
}

// Absorb implements rowblocks.Summary.
func (s *sample) Absorb(o rowblocks.Summary) error {
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

// MarshalBinary implements rowblocks.Summary.
func (s *sample) MarshalBinary() ([]byte, error) {
	return codec.Marshal(sampleKind, 1, storedSample{s.rows, s.width, s.of.Store()})
}

// UnmarshalBinary implements rowblocks.Summary.
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
