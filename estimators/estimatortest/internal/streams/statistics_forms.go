package streams

import (
	"context"
	"encoding"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/internal/embedding"
	"github.com/kernelearn/kernelearn/transformers"
)

// summed gives the statistics of all kinds of type one face.
type summed interface {
	add(ctx context.Context, d subject.Data, weights []float64) error
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
	fitModel(ctx context.Context, m subject.Model) error
	encoding.BinaryMarshaler
	encoding.BinaryUnmarshaler
}

// stages of a new fit.
func newStages(m subject.Model) (staged, error) {
	switch m.Kind {
	case subject.Regressors:
		s, err := estimators.NewStages[float64](m.Value)
		return targetStages[float64]{s, func(y []float64) []float64 { return y }}, err
	case subject.Classifiers:
		s, err := estimators.NewStages[int](m.Value)
		return targetStages[int]{s, subject.ToLabels}, err
	}
	s, err := transformers.NewStages(m.Value.(transformers.Transformer))
	return rowStages{s}, err
}

type targetStages[Y float64 | int] struct {
	estimators.Stages[Y]
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
	return estimators.FitStages(ctx, m.Value, s.Stages)
}

type targetSums[Y float64 | int] struct {
	estimators.Statistics[Y]
	of func([]float64) []Y
}

func (s targetSums[Y]) add(ctx context.Context, d subject.Data, weights []float64) error {
	return s.AddBlock(ctx, estimators.Block[Y]{X: d.X, Y: s.of(d.Y), Weights: weights})
}

func (s targetSums[Y]) merge(other summed) error { return s.Merge(other.(targetSums[Y]).Statistics) }

type otherSums[Y float64 | int] struct{ estimators.Statistics[Y] }

func (s targetSums[Y]) foreign() error { return s.Merge(otherSums[Y]{s.Statistics}) }
func (s targetSums[Y]) rows() int      { return s.Rows() }
func (s targetSums[Y]) clone() summed  { return targetSums[Y]{s.Clone(), s.of} }

type rowStages struct{ transformers.Stages }

func (s rowStages) stage() (at, of int) { return s.Stage() }

func (s rowStages) fresh() (summed, error) {
	out, err := s.NewStatistics()
	return rowSums{out}, err
}

func (s rowStages) fit(ctx context.Context, of summed) error {
	if of == nil {
		return s.FitStatistics(ctx, nil)
	}
	return s.FitStatistics(ctx, of.(rowSums).Statistics)
}

func (s rowStages) fitModel(ctx context.Context, m subject.Model) error {
	return transformers.FitStages(ctx, m.Value.(transformers.Transformer), s.Stages)
}

type rowSums struct{ transformers.Statistics }

func (s rowSums) add(ctx context.Context, d subject.Data, _ []float64) error {
	return s.AddBlock(ctx, d.X)
}

func (s rowSums) merge(other summed) error { return s.Merge(other.(rowSums).Statistics) }

type otherRowSums struct{ transformers.Statistics }

func (s rowSums) foreign() error { return s.Merge(otherRowSums(s)) }
func (s rowSums) rows() int      { return s.Rows() }
func (s rowSums) clone() summed  { return rowSums{s.Clone()} }

// HasStages reports whether the type has the methods, whether they work or not.
func HasStages(m subject.Model) bool {
	switch m.Kind {
	case subject.Regressors:
		return fitsInStages[estimators.StatisticsFitter[float64], estimators.StagedFitter[float64]](m.Value)
	case subject.Classifiers:
		return fitsInStages[estimators.StatisticsFitter[int], estimators.StagedFitter[int]](m.Value)
	}
	return fitsInStages[transformers.StatisticsFitter, transformers.StagedFitter](m.Value)
}

func fitsInStages[One, Several any](v any) bool {
	_, one := embedding.As[One](v)
	_, several := embedding.As[Several](v)
	return one || several
}

// FitInStages fits in as many stages as there are, each in one block.
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
