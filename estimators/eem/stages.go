package eem

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowsample"
	"github.com/kernelearn/kernelearn/streaming"
)

// sampleRows is the smallest number of different rows in the sample on which units are centred.
const sampleRows = 4096

// stages holds the progress of a fit in stages. If units are centred on rows, the first stage draws a sample of the rows. The last
// stage sums the moments of the classes in the features of the units.
type stages struct {
	c      fitSettings
	sample *sums          // completed sample; nil before that, and if the units do not depend on rows
	layer  features.Layer // units of the sample
	units  string
	sums   *sums // completed moments of the classes
}

func (c fitSettings) stages() (streaming.Stages[int], error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	return &stages{c: c}, nil
}

// sampled returns an empty sample for the first of two stages.
func (c fitSettings) sampled() *rowsample.Sample {
	return &rowsample.Sample{Seed: c.seed, Limit: max(sampleRows, 4*c.onRows)}
}

// fromSample draws the units from a sample of rows.
func (c fitSettings) fromSample(ctx context.Context, x *mat.Dense) (features.Layer, error) {
	if c.onRows == 0 {
		return c.draw(ctx, x)
	}
	return c.draw(ctx, c.sampled().Pick(x).Rows())
}

// Stage implements streaming.Stages.
func (s *stages) Stage() (at, of int) {
	of = 1
	if s.c.onRows > 0 {
		of = 2
	}
	if s.sample != nil {
		at++
	}
	if s.sums != nil {
		at++
	}
	return at, of
}

func (s *stages) fresh() (*sums, error) {
	at, of := s.Stage()
	switch {
	case at == of:
		return nil, fault.Param(s.c.typ, "stage", at, fmt.Sprintf("less than %d: every column would be a target", of))
	case of-at == 2:
		return s.c.newSums(s.c.sampled(), nil, ""), nil
	}
	out := s.c.newSums(nil, s.layer, s.units)
	if s.sample != nil {
		out.d = s.sample.d // number of columns of the units
	}
	return out, nil
}

// NewStatistics implements streaming.Stages.
func (s *stages) NewStatistics() (streaming.Statistics[int], error) {
	out, err := s.fresh()
	if err != nil {
		return nil, err
	}
	return out, nil
}

// FitStatistics implements streaming.Stages.
func (s *stages) FitStatistics(ctx context.Context, st streaming.Statistics[int]) (err error) {
	defer estimators.BeginFit(&ctx, nil)(&err)
	fresh, err := s.fresh()
	if err != nil {
		return err
	}
	of, err := fresh.like(st)
	if err != nil {
		return err
	}
	if of.n == 0 {
		return fmt.Errorf("%s: %w", s.c.typ, fault.Shape("the statistics have", 0, "rows", "want at least 1"))
	}
	if of.sample != nil {
		return s.drawn(ctx, of.copied())
	}
	if _, err := of.model(ctx); err != nil { // an error is reported while the statistics can still be corrected
		return err
	}
	s.sums = of.copied()
	return nil
}

// drawn draws the units from a sample and stores them in s.
func (s *stages) drawn(ctx context.Context, sample *sums) error {
	data, err := sample.MarshalBinary()
	if err != nil {
		return err
	}
	l, err := s.c.draw(ctx, sample.sample.Rows())
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	s.sample, s.layer, s.units = sample, l, "of units "+digest(data)
	return nil
}

// take returns the model that results from completed stages.
func (c fitSettings) take(ctx context.Context, st streaming.Stages[int]) (*model, error) {
	own, ok := st.(*stages)
	if !ok || own == nil || own.sums == nil || own.c.typ != c.typ || own.c.signature != c.signature {
		name := "nil"
		if ok && own != nil {
			at, of := own.Stage()
			name = fmt.Sprintf("those of %s %s, %d of %d learnt", own.c.typ, own.c.signature, at, of)
		} else if !check.IsNil(st) {
			name = fmt.Sprintf("%T", st)
		}
		return nil, fault.Param(c.typ, "stages", name, fmt.Sprintf("those of %s %s, at their end", c.typ, c.signature))
	}
	if err := c.validate(); err != nil {
		return nil, err
	}
	of := own.sums.copied()
	of.c = c
	m, err := of.model(ctx)
	if err == nil {
		_, err = m.solve(ctx, nil)
	}
	if err == nil {
		err = ctx.Err()
	}
	return m, err
}

type storedSampling struct {
	Sample []byte // empty before the sample is complete, and if no sample is needed
	Sums   []byte // likewise
}

func (s *stages) kind() string { return s.c.typ + " stages" }

// MarshalBinary implements streaming.Stages.
func (s *stages) MarshalBinary() ([]byte, error) {
	var out storedSampling
	var err error
	if s.sample != nil {
		if out.Sample, err = s.sample.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	if s.sums != nil {
		if out.Sums, err = s.sums.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	return codec.Marshal(s.kind(), version, out)
}

// UnmarshalBinary implements streaming.Stages.
func (s *stages) UnmarshalBinary(data []byte) error {
	var in storedSampling
	if _, err := codec.Unmarshal(data, s.kind(), version, &in); err != nil {
		return err
	}
	out := &stages{c: s.c}
	for _, part := range [][]byte{in.Sample, in.Sums} {
		if len(part) == 0 {
			continue
		}
		of, err := out.fresh()
		if err != nil {
			return fault.BadModel(s.kind(), "%v", err)
		}
		if err := of.UnmarshalBinary(part); err != nil {
			return err
		}
		if of.n == 0 {
			return fault.BadModel(s.kind(), "statistics of no rows")
		}
		if of.sample == nil {
			out.sums = of
		} else if err := out.drawn(context.Background(), of); err != nil {
			return fault.BadModel(s.kind(), "%v", err)
		}
	}
	*s = *out
	return nil
}

// MarshalText implements encoding.TextMarshaler. In JSON the bytes are a base64 string.
func (s *stages) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *stages) UnmarshalText(text []byte) error { return codec.FromText(s.kind(), s, text) }
