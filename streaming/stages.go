package streaming

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
)

// Stages is a fit in one or several passes over the rows. Each pass is a stage that is fitted from statistics. The bytes of Stages
// contain the progress of the fit. Workers decode them into the result of [NewStages] for an equally configured model, and then
// compute statistics for the same stage.
type Stages[Y Target] interface {
	// NewStatistics returns empty statistics for the current stage, to which the original rows are added. After the last stage it
	// returns ErrParam.
	NewStatistics() (Statistics[Y], error)
	// FitStatistics fits the current stage from s and continues with the next stage. It returns the errors of [StatisticsFitter].
	// An error leaves the stage unchanged.
	FitStatistics(ctx context.Context, s Statistics[Y]) error
	// Stage returns the number of the current stage, from 0, and the number of all stages. They are equal when all stages are
	// fitted.
	Stage() (at, of int)
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// StagedFitter is the capability to fit from statistics in stages.
type StagedFitter[Y Target] interface {
	// NewStages returns a fit at its first stage. It returns ErrParam for a field out of range.
	NewStages() (Stages[Y], error)
	// FitStages sets the model to the result of the stages. It returns ErrParam if the stages are not complete, or belong to
	// another model or to other settings.
	FitStages(ctx context.Context, s Stages[Y]) error
}

// NewStages returns the stages of a [StagedFitter], or the one stage of a [StatisticsFitter]. For any other model the error wraps
// errors.ErrUnsupported.
func NewStages[Y Target](model any) (Stages[Y], error) {
	if f, ok := embedding.As[StagedFitter[Y]](model); ok {
		return f.NewStages()
	}
	f, ok := embedding.As[StatisticsFitter[Y]](model)
	if !ok {
		return nil, fmt.Errorf("%T has no NewStatistics: %w", model, errors.ErrUnsupported)
	}
	if _, err := f.NewStatistics(); err != nil {
		return nil, err
	}
	return &oneStage[Y]{model: f}, nil
}

// FitStages fits a model from complete stages that [NewStages] returned for a model of the same type and settings.
func FitStages[Y Target](ctx context.Context, model any, s Stages[Y]) (err error) {
	defer check.Begin(&ctx)(&err)
	if f, ok := embedding.As[StagedFitter[Y]](model); ok {
		return f.FitStages(ctx, s)
	}
	one, ok := s.(*oneStage[Y])
	if !ok || one.learnt == nil {
		return fault.Param(fmt.Sprintf("%T", model), "stages", fmt.Sprintf("%T", s), "those of NewStages, at their end")
	}
	f, ok := embedding.As[StatisticsFitter[Y]](model)
	if !ok {
		return fmt.Errorf("%T has no FitStatistics: %w", model, errors.ErrUnsupported)
	}
	return f.FitStatistics(ctx, one.learnt)
}

// oneStage is a fit in a single pass. It stores the statistics until FitStages.
type oneStage[Y Target] struct {
	model  StatisticsFitter[Y]
	learnt Statistics[Y] // nil before the pass
}

// Stage implements Stages.
func (s *oneStage[Y]) Stage() (at, of int) {
	if s.learnt != nil {
		return 1, 1
	}
	return 0, 1
}

// NewStatistics implements Stages.
func (s *oneStage[Y]) NewStatistics() (Statistics[Y], error) {
	if s.learnt != nil {
		return nil, fault.Param(fmt.Sprintf("%T", s.model), "stage", 1, "0, the only stage")
	}
	return s.model.NewStatistics()
}

// FitStatistics implements Stages.
func (s *oneStage[Y]) FitStatistics(ctx context.Context, st Statistics[Y]) (err error) {
	defer check.Begin(&ctx)(&err)
	fresh, err := s.NewStatistics()
	if err != nil {
		return err
	}
	if err := fresh.Merge(st); err != nil {
		return err
	}
	if fresh.Rows() == 0 {
		return fault.EmptyStatistics(fmt.Sprintf("%T", s.model))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	s.learnt = fresh
	return nil
}

const oneStageKind = "streaming.oneStage"

type storedOneStage struct {
	Learnt []byte // empty before the pass
}

// MarshalBinary implements Stages.
func (s *oneStage[Y]) MarshalBinary() ([]byte, error) {
	var out storedOneStage
	if s.learnt != nil {
		var err error
		if out.Learnt, err = s.learnt.MarshalBinary(); err != nil {
			return nil, err
		}
	}
	return codec.Marshal(oneStageKind, 1, out)
}

// UnmarshalBinary implements Stages.
func (s *oneStage[Y]) UnmarshalBinary(data []byte) error {
	var in storedOneStage
	if _, err := codec.Unmarshal(data, oneStageKind, 1, &in); err != nil {
		return err
	}
	if len(in.Learnt) == 0 {
		s.learnt = nil
		return nil
	}
	st, err := s.model.NewStatistics()
	if err != nil {
		return err
	}
	if err := st.UnmarshalBinary(bytes.Clone(in.Learnt)); err != nil {
		return err
	}
	s.learnt = st
	return nil
}

// MarshalText implements encoding.TextMarshaler, so that JSON holds the bytes as a base64 string.
func (s *oneStage[Y]) MarshalText() ([]byte, error) { return codec.Text(s) }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *oneStage[Y]) UnmarshalText(text []byte) error { return codec.FromText(oneStageKind, s, text) }
