package estimatortest

import (
	"errors"
	"reflect"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/internal/registry"
)

func checkStopAndGo(p *probe, s *subject) {
	m, d, more, x := s.new(), s.train(), s.otherProblem(), s.gappy(s.test().x)
	m.needs(p, estimators.Continuing)
	m.needs(p, estimators.Partial)
	_, err := m.value.(estimators.Continuer).MarshalStatistics()
	p.wants("MarshalStatistics before Fit", err, estimators.ErrNotFitted)
	p.wants("UnmarshalStatistics before Fit", m.value.(estimators.Continuer).UnmarshalStatistics(nil), estimators.ErrNotFitted)

	p.Must("PartialFit", m.partialFit(d.x, d.y))
	before := m.outputs(p, x) // which solves, where that waits
	stored, err := m.marshal()
	p.Must("MarshalBinary", err)
	statistics, err := m.value.(estimators.Continuer).MarshalStatistics()
	p.Must("MarshalStatistics", err)

	read := s.new()
	p.Must("UnmarshalBinary", read.unmarshal(stored))
	p.wants("PartialFit of what was read without statistics", read.partialFit(more.x, more.y), estimators.ErrNotFitted)
	goes := read.value.(estimators.Continuer)
	p.Must("UnmarshalStatistics", goes.UnmarshalStatistics(statistics))
	for _, data := range [][]byte{nil, statistics[:len(statistics)-1], stored} {
		p.wants("UnmarshalStatistics of other bytes", goes.UnmarshalStatistics(data), estimators.ErrBadModel)
	}
	p.same("the value that was read with its statistics", before, read.outputs(p, x), 0)

	all := []model{read}
	if _, ok := registry.Typed(reflect.TypeOf(m.value)); ok {
		data, err := modelfile.MarshalCheckpoint(m.value, modelfile.Notes{})
		p.Must("modelfile.MarshalCheckpoint", err)
		v, err := modelfile.Unmarshal[any](data)
		p.Must("modelfile.Unmarshal", err)
		all = append(all, model{m.kind, v})
	}
	p.Must("PartialFit", m.partialFit(more.x, more.y))
	want := m.outputs(p, x)
	for _, one := range all {
		p.Must("PartialFit of what was read", one.partialFit(more.x, more.y))
		p.same("the value that was read, and went on", want, one.outputs(p, x), 0)
	}

	fitted := s.fitted(p, d)
	_, err = fitted.value.(estimators.Continuer).MarshalStatistics()
	none := errors.Is(err, estimators.ErrNotFitted)
	if err := fitted.partialFit(more.x, more.y); none != errors.Is(err, estimators.ErrNotFitted) {
		p.Errorf("after Fit: statistics are missing is %v, and PartialFit is %v", none, err)
	}
}
