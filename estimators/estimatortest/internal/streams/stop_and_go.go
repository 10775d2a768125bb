package streams

import (
	"errors"
	"reflect"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/internal/registry"
)

func CheckStopAndGo(p *subject.Probe, s *subject.Subject) {
	m, d, more, x := s.New(), s.Train(), s.OtherProblem(), s.Gappy(s.Test().X)
	m.Needs(p, estimators.Continuing)
	m.Needs(p, estimators.Partial)
	_, err := m.Value.(estimators.Continuer).MarshalStatistics()
	p.Wants("MarshalStatistics before Fit", err, estimators.ErrNotFitted)
	p.Wants("UnmarshalStatistics before Fit", m.Value.(estimators.Continuer).UnmarshalStatistics(nil), estimators.ErrNotFitted)

	p.Must("PartialFit", partialFit(m, d.X, d.Y))
	before := m.Outputs(p, x) // this also solves the system, if the model solves it at first use
	stored, err := m.Marshal()
	p.Must("MarshalBinary", err)
	statistics, err := m.Value.(estimators.Continuer).MarshalStatistics()
	p.Must("MarshalStatistics", err)

	read := s.New()
	p.Must("UnmarshalBinary", read.Unmarshal(stored))
	p.Wants("PartialFit of what was read without statistics", partialFit(read, more.X, more.Y), estimators.ErrNotFitted)
	goes := read.Value.(estimators.Continuer)
	p.Must("UnmarshalStatistics", goes.UnmarshalStatistics(statistics))
	for _, data := range [][]byte{nil, statistics[:len(statistics)-1], stored} {
		p.Wants("UnmarshalStatistics of other bytes", goes.UnmarshalStatistics(data), estimators.ErrBadModel)
	}
	p.Same("the value that was read with its statistics", before, read.Outputs(p, x), 0)

	all := []subject.Model{read}
	if _, ok := registry.Typed(reflect.TypeOf(m.Value)); ok {
		data, err := modelfile.MarshalCheckpoint(m.Value, modelfile.Notes{})
		p.Must("modelfile.MarshalCheckpoint", err)
		v, err := modelfile.Unmarshal[any](data)
		p.Must("modelfile.Unmarshal", err)
		all = append(all, subject.Model{Kind: m.Kind, Value: v})
	}
	p.Must("PartialFit", partialFit(m, more.X, more.Y))
	want := m.Outputs(p, x)
	for _, one := range all {
		p.Must("PartialFit of what was read", partialFit(one, more.X, more.Y))
		p.Same("the value that was read and continued", want, one.Outputs(p, x), 0)
	}

	fitted := s.Fitted(p, d)
	_, err = fitted.Value.(estimators.Continuer).MarshalStatistics()
	none := errors.Is(err, estimators.ErrNotFitted)
	if err := partialFit(fitted, more.X, more.Y); none != errors.Is(err, estimators.ErrNotFitted) {
		p.Errorf("after Fit: missing statistics: %v, but PartialFit returned %v", none, err)
	}
}
