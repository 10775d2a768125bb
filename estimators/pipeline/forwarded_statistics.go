package pipeline

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

// forwardPlace is where rows are sent to: the stage of a fit, and the steps before it.
type forwardPlace struct {
	t      *Transformer
	steps  []transformers.Transformer // fitted, that rows go through
	name   string                     // of the part that learns, for errors
	stage  int
	digest string // of what the steps have learnt, "" where they cannot be stored
	width  int    // of the rows; 0 before the first
}

// String names the place.
func (p *forwardPlace) String() string {
	return fmt.Sprintf("%s: stage %d after steps %q", p.t.name(), p.stage, p.digest)
}

// send calls f with what the steps make of x, some thousand rows at a time.
func (p *forwardPlace) send(ctx context.Context, x *mat.Dense, f func(z *mat.Dense, from, to int) error) error {
	fitted := &fittedSteps{width: p.width, steps: p.steps}
	var failed error
	fitted.way(p.t, len(p.steps)).send(x, func(z *mat.Dense, from, to int, err error) bool {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			if err = fault.FromRow(f(z, from, to), from); err != nil {
				err = fault.AddPlace(p.name, err)
			}
		}
		failed = err
		return err == nil
	})
	if failed == nil {
		p.width = fitted.width
	}
	return failed
}

// check returns an error unless two places are one.
func (p *forwardPlace) check(o *forwardPlace) error {
	if p.t.name() != o.t.name() || p.name != o.name || p.stage != o.stage || p.digest != o.digest {
		return fault.Param(p.t.name(), "statistics", "those of "+o.String(), "those of "+p.String())
	}
	return nil
}

// typeError is the error for statistics of another type.
func (p *forwardPlace) typeError(s any) error {
	if check.IsNil(s) {
		return fault.Param(p.t.name(), "statistics", nil, "those of "+p.String())
	}
	return fault.Param(p.t.name(), "statistics", fmt.Sprintf("those of a %T", s), "those of "+p.String())
}

type storedSent struct {
	Stage  int
	Digest string
	Width  int
	Sums   []byte
}

const sentKind = "pipeline statistics"

func (p *forwardPlace) marshal(sums []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return codec.Marshal(sentKind, payloadVersion, storedSent{p.stage, p.digest, p.width, sums})
}

// unmarshal returns the sums that were stored for this place, and their width.
func (p *forwardPlace) unmarshal(data []byte) (sums []byte, width int, err error) {
	var in storedSent
	if _, err := codec.Unmarshal(data, sentKind, payloadVersion, &in); err != nil {
		return nil, 0, err
	}
	if in.Stage != p.stage || in.Digest != p.digest || in.Width < 0 {
		return nil, 0, fault.BadModel(sentKind, "those of stage %d after steps %q, these are of stage %d after steps %q", in.Stage, in.Digest, p.stage, p.digest)
	}
	return in.Sums, in.Width, nil
}

// forwardedRows are the statistics of a step, which take rows as they come to the first.
type forwardedRows struct {
	forwardPlace
	sums transformers.Statistics
}

var _ transformers.Statistics = (*forwardedRows)(nil)

// Rows implements transformers.Statistics.
func (s *forwardedRows) Rows() int { return s.sums.Rows() }

// Clone implements transformers.Statistics.
func (s *forwardedRows) Clone() transformers.Statistics {
	return &forwardedRows{s.forwardPlace, s.sums.Clone()}
}

// AddBlock implements transformers.Statistics.
func (s *forwardedRows) AddBlock(ctx context.Context, x *mat.Dense) (err error) {
	defer check.Begin(&ctx)(&err)
	sums, to := s.sums, s.forwardPlace
	if x != nil && x.RawMatrix().Rows > pieceRows { // of which a later part may fail
		sums = sums.Clone()
	}
	if err := to.send(ctx, x, func(z *mat.Dense, _, _ int) error { return sums.AddBlock(ctx, z) }); err != nil {
		return err
	}
	s.sums, s.forwardPlace = sums, to
	return nil
}

// Merge implements transformers.Statistics.
func (s *forwardedRows) Merge(other transformers.Statistics) error {
	o, err := s.like(other)
	if err != nil {
		return err
	}
	if err := s.sums.Merge(o.sums); err != nil {
		return fault.AddPlace(s.name, err)
	}
	s.width = max(s.width, o.width)
	return nil
}

// like returns other as statistics of the same place.
func (s *forwardedRows) like(other transformers.Statistics) (*forwardedRows, error) {
	o, ok := other.(*forwardedRows)
	if !ok || o == nil {
		return nil, s.typeError(other)
	}
	return o, s.check(&o.forwardPlace)
}

// MarshalBinary implements transformers.Statistics.
func (s *forwardedRows) MarshalBinary() ([]byte, error) { return s.marshal(s.sums.MarshalBinary()) }

// UnmarshalBinary implements transformers.Statistics.
func (s *forwardedRows) UnmarshalBinary(data []byte) error {
	sums, width, err := s.unmarshal(data)
	if err != nil {
		return err
	}
	if err := s.sums.UnmarshalBinary(sums); err != nil {
		return err
	}
	s.width = width
	return nil
}

// forwardedBlocks are the statistics of a step, or of the final estimator, which take rows with targets as they come to the
// first step.
type forwardedBlocks[Y float64 | int] struct {
	rows *forwardedRows // of a step; nil for the final estimator
	forwardPlace
	sums estimators.Statistics[Y]
}

// Rows implements estimators.Statistics.
func (s *forwardedBlocks[Y]) Rows() int {
	if s.rows != nil {
		return s.rows.Rows()
	}
	return s.sums.Rows()
}

// Clone implements estimators.Statistics.
func (s *forwardedBlocks[Y]) Clone() estimators.Statistics[Y] {
	if s.rows != nil {
		return &forwardedBlocks[Y]{rows: s.rows.Clone().(*forwardedRows)}
	}
	return &forwardedBlocks[Y]{forwardPlace: s.forwardPlace, sums: s.sums.Clone()}
}

// AddBlock implements estimators.Statistics.
func (s *forwardedBlocks[Y]) AddBlock(ctx context.Context, b estimators.Block[Y]) (err error) {
	defer check.Begin(&ctx)(&err)
	if b.X != nil && !b.X.IsEmpty() {
		if err := fitting(b); err != nil {
			return err
		}
	}
	if s.rows != nil {
		return s.rows.AddBlock(ctx, b.X)
	}
	sums, to := s.sums, s.forwardPlace
	if len(b.Y) > pieceRows { // of which a later part may fail
		sums = sums.Clone()
	}
	err = to.send(ctx, b.X, func(z *mat.Dense, from, to int) error {
		piece := estimators.Block[Y]{X: z, Y: b.Y[from:to]}
		if b.Weights != nil {
			piece.Weights = b.Weights[from:to]
		}
		return sums.AddBlock(ctx, piece)
	})
	if err != nil {
		return err
	}
	s.sums, s.forwardPlace = sums, to
	return nil
}

// Merge implements estimators.Statistics.
func (s *forwardedBlocks[Y]) Merge(other estimators.Statistics[Y]) error {
	o, err := s.like(other)
	switch {
	case err != nil:
		return err
	case s.rows != nil:
		return s.rows.Merge(o.rows)
	}
	if err := s.sums.Merge(o.sums); err != nil {
		return fault.AddPlace(s.name, err)
	}
	s.width = max(s.width, o.width)
	return nil
}

// String names the place.
func (s *forwardedBlocks[Y]) String() string { return s.at().String() }

// at is the place that rows are sent to.
func (s *forwardedBlocks[Y]) at() *forwardPlace {
	if s.rows != nil {
		return &s.rows.forwardPlace
	}
	return &s.forwardPlace
}

// like returns other as statistics of the same place.
func (s *forwardedBlocks[Y]) like(other estimators.Statistics[Y]) (*forwardedBlocks[Y], error) {
	o, ok := other.(*forwardedBlocks[Y])
	if !ok || o == nil {
		return nil, s.at().typeError(other)
	}
	return o, s.at().check(o.at())
}

// MarshalBinary implements estimators.Statistics.
func (s *forwardedBlocks[Y]) MarshalBinary() ([]byte, error) {
	if s.rows != nil {
		return s.rows.MarshalBinary()
	}
	return s.marshal(s.sums.MarshalBinary())
}

// UnmarshalBinary implements estimators.Statistics.
func (s *forwardedBlocks[Y]) UnmarshalBinary(data []byte) error {
	if s.rows != nil {
		return s.rows.UnmarshalBinary(data)
	}
	sums, width, err := s.unmarshal(data)
	if err != nil {
		return err
	}
	if err := s.sums.UnmarshalBinary(sums); err != nil {
		return err
	}
	s.width = width
	return nil
}

// MarshalText implements encoding.TextMarshaler: in JSON the bytes are a string, in base64.
func (s *forwardedRows) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *forwardedRows) UnmarshalText(text []byte) error { return codec.FromText(sentKind, s, text) }

// MarshalText implements encoding.TextMarshaler: in JSON the bytes are a string, in base64.
func (s *forwardedBlocks[Y]) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *forwardedBlocks[Y]) UnmarshalText(text []byte) error {
	return codec.FromText(sentKind, s, text)
}
