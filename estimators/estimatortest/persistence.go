package estimatortest

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
)

// marshalled returns a fitted model and its bytes.
func (s *subject) marshalled(p *probe) (model, []byte) {
	m := s.fitted(p, s.train())
	m.needs(p, estimators.Marshalling)
	bytes, err := m.marshal()
	p.Must("MarshalBinary", err)
	return m, bytes
}

func checkRoundTrip(p *probe, s *subject) {
	m, stored := s.marshalled(p)
	x := s.test().x
	read := s.new()
	p.Must("UnmarshalBinary", read.unmarshal(stored))
	p.same("the value that was read", m.outputs(p, x), read.outputs(p, x), 0)
	again, err := read.marshal()
	p.Must("MarshalBinary of the value that was read", err)
	if !bytes.Equal(stored, again) {
		p.Errorf("the value that was read writes other bytes: %d, first were %d", len(again), len(stored))
	}
	if m.kind == classifiers && !slices.Equal(m.classifier().Classes(), read.classifier().Classes()) {
		p.Errorf("Classes of the value that was read: %v, want %v", read.classifier().Classes(), m.classifier().Classes())
	}
}

func checkMarshalIntoFitted(p *probe, s *subject) {
	m, stored := s.marshalled(p)
	x := s.test().x
	want := m.outputs(p, x)
	read := s.fitted(p, s.otherProblem())
	p.Must("UnmarshalBinary", read.unmarshal(stored))
	p.keeps("reading into a fitted value", read, x, want)
	clear(stored)
	p.keeps("overwriting the bytes that were read", read, x, want)
	d := s.otherProblem()
	p.Must("Fit after UnmarshalBinary", read.fit(context.Background(), d.x, d.y))
	p.same("Fit after UnmarshalBinary", s.fitted(p, d).outputs(p, x), read.outputs(p, x), 0)
}

// manyBytes is about how many damaged copies of a model are tried.
const manyBytes = 300

func checkTruncated(p *probe, s *subject) {
	_, stored := s.marshalled(p)
	var cut [][]byte
	for n := 0; n < len(stored); n += 1 + len(stored)/manyBytes {
		cut = append(cut, stored[:n])
	}
	s.refuses(p, append(cut, stored[:len(stored)-1]))
}

func checkFlipped(p *probe, s *subject) {
	_, stored := s.marshalled(p)
	var changed [][]byte
	for i := 0; i < len(stored); i += 1 + len(stored)/manyBytes {
		c := slices.Clone(stored)
		c[i] ^= 1 << (i % 8)
		changed = append(changed, c)
	}
	s.refuses(p, changed)
}

func checkGarbage(p *probe, s *subject) {
	_, stored := s.marshalled(p)
	reversed := slices.Clone(stored)
	slices.Reverse(reversed)
	s.refuses(p, [][]byte{
		nil, {}, {0}, []byte("not a model"), []byte(`{"json": true}`),
		make([]byte, 1000), bytes.Repeat([]byte{0xff}, 1000), reversed,
		append(slices.Clone(stored), 0), append(slices.Clone(stored), stored...),
	})
}

// refuses fails unless all of the data are ErrBadModel, for a new and for a
// fitted value, and leave both as they were.
func (s *subject) refuses(p *probe, all [][]byte) {
	x := s.test().x
	fresh, old := s.new(), s.fitted(p, s.otherProblem())
	want := old.outputs(p, x)
	for i, data := range all {
		doing := fmt.Sprintf("UnmarshalBinary of damaged bytes %d of %d", i+1, len(all))
		p.wants(doing, fresh.unmarshal(data), estimators.ErrBadModel)
		p.wants(doing, old.unmarshal(data), estimators.ErrBadModel)
		if p.Failed() {
			return // one is enough to see what is wrong
		}
	}
	p.unfitted(fresh, x)
	p.keeps("UnmarshalBinary of damaged bytes", old, x, want)
}
