package transformers

import (
	"bytes"
	"context"
	"encoding"
	"errors"
	"fmt"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Stages is a fit in one pass over the rows or in several, each a stage that learns from statistics: it begins with
// what the first one needs, and goes on when that is learnt. Its bytes are where it stands: workers that read them
// into [NewStages] of an equally configured transformer sum up rows for the same stage.
type Stages interface {
	// NewStatistics returns statistics of no rows for this stage, which take the rows as they are. After
	// the last stage it is ErrParam.
	NewStatistics() (Statistics, error)
	// FitStatistics learns this stage from s, and goes on to the next. Errors are those of [StatisticsFitter]; after
	// an error the stage is unchanged.
	FitStatistics(ctx context.Context, s Statistics) error
	// Stage returns the number of this stage, from 0, and how many there are in all; the two are the same when
	// all are learnt.
	Stage() (at, of int)
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// StagedFitter is the capability to learn from statistics in stages.
type StagedFitter interface {
	// NewStages returns a fit at its first stage. Errors: ErrParam for a field out of range.
	NewStages() (Stages, error)
	// FitStages takes over what stages have learnt. Errors: ErrParam for stages of another transformer
	// or of other settings, and for such as are not at their end.
	FitStages(ctx context.Context, s Stages) error
}

// NewStages returns the stages of a [StagedFitter], or the one stage of a [StatisticsFitter]; for another
// transformer the error wraps errors.ErrUnsupported.
func NewStages(t Transformer) (Stages, error) {
	if f, ok := embedding.As[StagedFitter](t); ok {
		return f.NewStages()
	}
	f, ok := embedding.As[StatisticsFitter](t)
	if !ok {
		return nil, fmt.Errorf("%T has no NewStatistics: %w", t, errors.ErrUnsupported)
	}
	if _, err := f.NewStatistics(); err != nil {
		return nil, err
	}
	return &oneStage{of: f}, nil
}

// FitStages fits t by stages that [NewStages] gave for a transformer of its kind and settings, and that are at
// their end.
func FitStages(ctx context.Context, t Transformer, s Stages) (err error) {
	defer check.Begin(&ctx)(&err)
	if f, ok := embedding.As[StagedFitter](t); ok {
		return f.FitStages(ctx, s)
	}
	one, ok := s.(*oneStage)
	if !ok || one.learnt == nil {
		return fault.Param(fmt.Sprintf("%T", t), "stages", fmt.Sprintf("%T", s), "those of NewStages, at their end")
	}
	f, ok := embedding.As[StatisticsFitter](t)
	if !ok {
		return fmt.Errorf("%T has no FitStatistics: %w", t, errors.ErrUnsupported)
	}
	return f.FitStatistics(ctx, one.learnt)
}

// oneStage is a pass for statistics, which are kept: whoever takes over learns from them.
type oneStage struct {
	of     StatisticsFitter
	learnt Statistics // nil before
}

// Stage implements Stages.
func (s *oneStage) Stage() (at, of int) {
	if s.learnt != nil {
		return 1, 1
	}
	return 0, 1
}

// NewStatistics implements Stages.
func (s *oneStage) NewStatistics() (Statistics, error) {
	if s.learnt != nil {
		return nil, fault.Param(fmt.Sprintf("%T", s.of), "stage", 1, "0: there is no other")
	}
	return s.of.NewStatistics()
}

// FitStatistics implements Stages.
func (s *oneStage) FitStatistics(ctx context.Context, st Statistics) (err error) {
	defer progress.BeginFit(&ctx, nil)(&err)
	fresh, err := s.NewStatistics()
	if err != nil {
		return err
	}
	if err := fresh.Merge(st); err != nil {
		return err
	}
	if fresh.Rows() == 0 {
		return fault.EmptyStatistics(fmt.Sprintf("%T", s.of))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.learnt = fresh
	return nil
}

const (
	oneStageKind    = "transformers.oneStage"
	oneStageVersion = 1
)

type storedOneStage struct {
	Learnt []byte // empty before
}

// MarshalBinary implements Stages.
func (s *oneStage) MarshalBinary() ([]byte, error) {
	var out storedOneStage
	if s.learnt != nil {
		var err error
		if out.Learnt, err = s.learnt.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	return codec.Marshal(oneStageKind, oneStageVersion, out)
}

// UnmarshalBinary implements Stages.
func (s *oneStage) UnmarshalBinary(data []byte) error {
	var in storedOneStage
	if _, err := codec.Unmarshal(data, oneStageKind, oneStageVersion, &in); err != nil {
		return err
	}
	if len(in.Learnt) == 0 {
		s.learnt = nil
		return nil
	}
	st, err := s.of.NewStatistics()
	if err != nil {
		return err
	}
	if err := st.UnmarshalBinary(bytes.Clone(in.Learnt)); err != nil {
		return err
	}
	s.learnt = st
	return nil
}

// MarshalText implements encoding.TextMarshaler: in JSON the bytes are a string, in base64.
func (s *oneStage) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *oneStage) UnmarshalText(text []byte) error { return codec.FromText(oneStageKind, s, text) }
