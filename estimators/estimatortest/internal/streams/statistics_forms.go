package streams

import (
	"context"
	"encoding"

	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/streaming"
)

// summed is a common interface of statistics for all kinds of types.
type summed interface {
	add(ctx context.Context, d subject.Data, weights []float64) error
	merge(other summed) error
	foreign() error // merges statistics of a type of this package, or nil
	rows() int
	clone() summed
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// staged is a common interface of stages for all kinds of types.
type staged interface {
	stage() (at, of int)
	fresh() (summed, error)
	fit(ctx context.Context, s summed) error
	// fitModel fits the model from completed stages.
	fitModel(ctx context.Context, m subject.Model) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// newStages returns the stages of a new fit.
func newStages(m subject.Model) (staged, error) {
	switch m.Kind {
	case subject.Regressors:
		s, err := streaming.NewStages[float64](m.Value)
		return targetStages[float64]{s, func(y []float64) []float64 { return y }}, err
	case subject.Classifiers:
		s, err := streaming.NewStages[int](m.Value)
		return targetStages[int]{s, subject.ToLabels}, err
	}
	s, err := streaming.NewStages[streaming.None](m.Value)
	return targetStages[streaming.None]{s, noTargets}, err
}

type targetStages[Y streaming.Target] struct {
	streaming.Stages[Y]
	of func([]float64) []Y
}

func (s targetStages[Y]) stage() (at, of int) { return s.Stage() }

func (s targetStages[Y]) fresh() (summed, error) {
	out, err := s.NewStatistics()
	return targetSums[Y]{out, s.of}, err
}

func (s targetStages[Y]) fit(ctx context.Context, of summed) error {
	if of == nil {
		return s.FitStatistics(ctx, nil)
	}
	return s.FitStatistics(ctx, of.(targetSums[Y]).Statistics)
}

func (s targetStages[Y]) fitModel(ctx context.Context, m subject.Model) error {
	return streaming.FitStages(ctx, m.Value, s.Stages)
}

type targetSums[Y streaming.Target] struct {
	streaming.Statistics[Y]
	of func([]float64) []Y
}

func (s targetSums[Y]) add(ctx context.Context, d subject.Data, weights []float64) error {
	b := streaming.Block[Y]{X: d.X, Y: s.of(d.Y)}
	if b.Y != nil { // transformers do not accept weights
		b.Weights = weights
	}
	return s.AddBlock(ctx, b)
}

func noTargets([]float64) []streaming.None { return nil }

func (s targetSums[Y]) merge(other summed) error { return s.Merge(other.(targetSums[Y]).Statistics) }

type otherSums[Y streaming.Target] struct{ streaming.Statistics[Y] }

func (s targetSums[Y]) foreign() error { return s.Merge(otherSums[Y]{s.Statistics}) }
func (s targetSums[Y]) rows() int      { return s.Rows() }
func (s targetSums[Y]) clone() summed  { return targetSums[Y]{s.Clone(), s.of} }

// HasStages reports whether the type has the methods of a fit in stages, even if they are not supported.
func HasStages(m subject.Model) bool {
	switch m.Kind {
	case subject.Regressors:
		return fitsInStages[streaming.StatisticsFitter[float64], streaming.StagedFitter[float64]](m.Value)
	case subject.Classifiers:
		return fitsInStages[streaming.StatisticsFitter[int], streaming.StagedFitter[int]](m.Value)
	}
	return fitsInStages[streaming.StatisticsFitter[streaming.None], streaming.StagedFitter[streaming.None]](m.Value)
}

func fitsInStages[One, Several any](v any) bool {
	_, one := embedding.As[One](v)
	_, several := embedding.As[Several](v)
	return one || several
}

// FitInStages fits a model in all its stages, with all rows as one block in each.
func FitInStages(ctx context.Context, m subject.Model, d subject.Data) error {
	stages, err := newStages(m)
	for err == nil {
		at, of := stages.stage()
		if at == of {
			return stages.fitModel(ctx, m)
		}
		var s summed
		if s, err = stages.fresh(); err == nil {
			err = s.add(ctx, d, nil)
		}
		if err == nil {
			err = stages.fit(ctx, s)
		}
	}
	return err
}
