package estimatortest

import (
	"context"
	"encoding"

	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/streaming"
)

// summed gives the statistics of all kinds of type one face.
type summed interface {
	add(ctx context.Context, d data, weights []float64) error
	merge(other summed) error
	foreign() error // merges statistics of a type of this package's, or nil
	rows() int
	clone() summed
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// staged gives one face to the stages of all kinds.
type staged interface {
	stage() (at, of int)
	fresh() (summed, error)
	fit(ctx context.Context, s summed) error
	// into has a model take over what was learnt.
	fitModel(ctx context.Context, m model) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// stages of a new fit.
func (m model) stages() (staged, error) {
	switch m.kind {
	case regressors:
		s, err := streaming.NewStages[float64](m.value)
		return targetStages[float64]{s, func(y []float64) []float64 { return y }}, err
	case classifiers:
		s, err := streaming.NewStages[int](m.value)
		return targetStages[int]{s, toLabels}, err
	}
	s, err := streaming.NewStages[streaming.None](m.value)
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

func (s targetStages[Y]) fitModel(ctx context.Context, m model) error {
	return streaming.FitStages(ctx, m.value, s.Stages)
}

type targetSums[Y streaming.Target] struct {
	streaming.Statistics[Y]
	of func([]float64) []Y
}

func (s targetSums[Y]) add(ctx context.Context, d data, weights []float64) error {
	b := streaming.Block[Y]{X: d.x, Y: s.of(d.y)}
	if b.Y != nil { // transformers take no weights
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

// hasStages reports whether the type has the methods, whether they work or not.
func (m model) hasStages() bool {
	switch m.kind {
	case regressors:
		return hasStages[streaming.StatisticsFitter[float64], streaming.StagedFitter[float64]](m.value)
	case classifiers:
		return hasStages[streaming.StatisticsFitter[int], streaming.StagedFitter[int]](m.value)
	}
	return hasStages[streaming.StatisticsFitter[streaming.None], streaming.StagedFitter[streaming.None]](m.value)
}

func hasStages[One, Several any](v any) bool {
	_, one := embedding.As[One](v)
	_, several := embedding.As[Several](v)
	return one || several
}

// inStages fits in as many stages as there are, each in one block.
func (m model) inStages(ctx context.Context, d data) error {
	stages, err := m.stages()
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
