package stream

import (
	"context"
	"encoding"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
)

// Place is the destination of rows: the stage of a fit, with the steps before it.
type Place struct {
	Name   string                     // name of the transformer or pipeline, for errors
	Steps  []transformers.Transformer // fitted steps that transform the rows
	Part   string                     // name of the part that is being fitted, for errors
	Stage  int
	Digest string // digest of the fitted steps, or "" if they cannot be stored
	Width  int    // number of columns of the rows; 0 before the first row
}

// String returns the name of the place.
func (p *Place) String() string {
	return fmt.Sprintf("%s: stage %d after steps %q", p.Name, p.Stage, p.Digest)
}

// send calls f with x transformed by the steps, a few thousand rows at a time.
func (p *Place) send(ctx context.Context, x *mat.Dense, f func(z *mat.Dense, from, to int) error) error {
	fitted := &Steps{Width: p.Width, Steps: p.Steps}
	var failed error
	fitted.Pass(p.Name, len(p.Steps)).Send(x, func(z *mat.Dense, from, to int, err error) bool {
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			if err = fault.FromRow(f(z, from, to), from); err != nil {
				err = fault.AddPlace(p.Part, err)
			}
		}
		failed = err
		return err == nil
	})
	if failed == nil {
		p.Width = fitted.Width
	}
	return failed
}

// check returns an error unless o is the same place.
func (p *Place) check(o *Place) error {
	if p.Name != o.Name || p.Part != o.Part || p.Stage != o.Stage || p.Digest != o.Digest {
		return fault.Param(p.Name, "statistics", "those of "+o.String(), "those of "+p.String())
	}
	return nil
}

// typeError returns the error for statistics s of another type.
func (p *Place) typeError(s any) error {
	if check.IsNil(s) {
		return fault.Param(p.Name, "statistics", nil, "those of "+p.String())
	}
	return fault.Param(p.Name, "statistics", fmt.Sprintf("those of a %T", s), "those of "+p.String())
}

type storedSent struct {
	Stage  int
	Digest string
	Width  int
	Sums   []byte
}

const (
	sentKind = "pipeline statistics"
	version  = 1
)

func (p *Place) marshal(sums []byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return codec.Marshal(sentKind, version, storedSent{p.Stage, p.Digest, p.Width, sums})
}

// unmarshal decodes the sums that were encoded for this place, and sets Width.
func (p *Place) unmarshal(data []byte, sums encoding.BinaryUnmarshaler) error {
	var in storedSent
	if _, err := codec.Unmarshal(data, sentKind, version, &in); err != nil {
		return err
	}
	if in.Stage != p.Stage || in.Digest != p.Digest || in.Width < 0 {
		return fault.BadModel(
			sentKind, "those of stage %d after steps %q, these are of stage %d after steps %q", in.Stage, in.Digest, p.Stage, p.Digest,
		)
	}
	if err := sums.UnmarshalBinary(in.Sums); err != nil {
		return err
	}
	p.Width = in.Width
	return nil
}

// Sent holds statistics that receive the rows of the first step. It transforms them with the steps and adds them to the sums for
// the part that is being fitted.
type Sent[Y streaming.Target] struct {
	Place
	Sums streaming.Statistics[Y] // for a step: [Untargeted]
}

// Rows implements streaming.Statistics.
func (s *Sent[Y]) Rows() int { return s.Sums.Rows() }

// Clone implements streaming.Statistics.
func (s *Sent[Y]) Clone() streaming.Statistics[Y] { return &Sent[Y]{s.Place, s.Sums.Clone()} }

// AddBlock implements streaming.Statistics.
func (s *Sent[Y]) AddBlock(ctx context.Context, b streaming.Block[Y]) (err error) {
	defer check.Begin(&ctx)(&err)
	if b.X != nil && !b.X.IsEmpty() {
		if err := CheckBlock(b); err != nil {
			return err
		}
	}
	sums, to := s.Sums, s.Place
	if b.X != nil && b.X.RawMatrix().Rows > PieceRows { // sums must stay unchanged if a later piece of the block fails
		sums = sums.Clone()
	}
	err = to.send(ctx, b.X, func(z *mat.Dense, from, to int) error { return sums.AddBlock(ctx, Piece(b, z, from, to)) })
	if err != nil {
		return err
	}
	s.Sums, s.Place = sums, to
	return nil
}

// Merge implements streaming.Statistics.
func (s *Sent[Y]) Merge(other streaming.Statistics[Y]) error {
	o, err := s.Like(other)
	if err != nil {
		return err
	}
	if err := s.Sums.Merge(o.Sums); err != nil {
		return fault.AddPlace(s.Part, err)
	}
	s.Width = max(s.Width, o.Width)
	return nil
}

// Like returns other as a Sent, or an error if it does not belong to the same place.
func (s *Sent[Y]) Like(other streaming.Statistics[Y]) (*Sent[Y], error) {
	o, ok := other.(*Sent[Y])
	if !ok || o == nil {
		return nil, s.typeError(other)
	}
	return o, s.check(&o.Place)
}

// MarshalBinary implements streaming.Statistics.
func (s *Sent[Y]) MarshalBinary() ([]byte, error) { return s.marshal(s.Sums.MarshalBinary()) }

// UnmarshalBinary implements streaming.Statistics.
func (s *Sent[Y]) UnmarshalBinary(data []byte) error { return s.unmarshal(data, s.Sums) }

// MarshalText implements encoding.TextMarshaler. In JSON the bytes are a base64 string.
func (s *Sent[Y]) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Sent[Y]) UnmarshalText(text []byte) error { return codec.FromText(sentKind, s, text) }

// Untargeted adapts the statistics of a step to blocks with targets. A step uses neither the targets nor the weights.
type Untargeted[Y streaming.Target] struct {
	streaming.Statistics[streaming.None]
}

// AddBlock implements streaming.Statistics.
func (u Untargeted[Y]) AddBlock(ctx context.Context, b streaming.Block[Y]) error {
	return u.Statistics.AddBlock(ctx, streaming.Rows(b.X))
}

// Merge implements streaming.Statistics. The type of other is Untargeted, because [Sent] merges only statistics for the same place.
func (u Untargeted[Y]) Merge(other streaming.Statistics[Y]) error {
	return u.Statistics.Merge(other.(Untargeted[Y]).Statistics)
}

// Clone implements streaming.Statistics.
func (u Untargeted[Y]) Clone() streaming.Statistics[Y] { return Untargeted[Y]{u.Statistics.Clone()} }
