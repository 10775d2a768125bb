package estimatortest

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

// marshalled returns a fitted model and its encoding.
func marshalled(s *subject.Subject, p *subject.Probe) (subject.Model, []byte) {
	m := s.Fitted(p, s.Train())
	m.Needs(p, estimators.Marshalling)
	bytes, err := m.Marshal()
	p.Must("MarshalBinary", err)
	return m, bytes
}

func checkRoundTrip(p *subject.Probe, s *subject.Subject) {
	m, stored := marshalled(s, p)
	x := s.Test().X
	read := s.New()
	p.Must("UnmarshalBinary", read.Unmarshal(stored))
	p.Same("the value that was read", m.Outputs(p, x), read.Outputs(p, x), 0)
	again, err := read.Marshal()
	p.Must("MarshalBinary of the value that was read", err)
	if !bytes.Equal(stored, again) {
		p.Errorf("the value that was read writes different bytes: %d, first %d", len(again), len(stored))
	}
	if m.Kind == subject.Classifiers && !slices.Equal(m.Classifier().Classes(), read.Classifier().Classes()) {
		p.Errorf("Classes of the value that was read: %v, want %v", read.Classifier().Classes(), m.Classifier().Classes())
	}
}

func checkMarshalIntoFitted(p *subject.Probe, s *subject.Subject) {
	m, stored := marshalled(s, p)
	x := s.Test().X
	want := m.Outputs(p, x)
	read := s.Fitted(p, s.OtherProblem())
	p.Must("UnmarshalBinary", read.Unmarshal(stored))
	p.Keeps("reading into a fitted value", read, x, want)
	clear(stored)
	p.Keeps("overwriting the bytes that were read", read, x, want)
	d := s.OtherProblem()
	p.Must("Fit after UnmarshalBinary", read.Fit(context.Background(), d.X, d.Y))
	p.Same("Fit after UnmarshalBinary", s.Fitted(p, d).Outputs(p, x), read.Outputs(p, x), 0)
}

// manyBytes is the approximate number of damaged copies of a model that are decoded.
const manyBytes = 300

func checkTruncated(p *subject.Probe, s *subject.Subject) {
	_, stored := marshalled(s, p)
	var cut [][]byte
	for n := 0; n < len(stored); n += 1 + len(stored)/manyBytes {
		cut = append(cut, stored[:n])
	}
	refuses(s, p, append(cut, stored[:len(stored)-1]))
}

func checkFlipped(p *subject.Probe, s *subject.Subject) {
	_, stored := marshalled(s, p)
	var changed [][]byte
	for i := 0; i < len(stored); i += 1 + len(stored)/manyBytes {
		c := slices.Clone(stored)
		c[i] ^= 1 << (i % 8)
		changed = append(changed, c)
	}
	refuses(s, p, changed)
}

func checkGarbage(p *subject.Probe, s *subject.Subject) {
	_, stored := marshalled(s, p)
	reversed := slices.Clone(stored)
	slices.Reverse(reversed)
	refuses(s, p, [][]byte{
		nil, {}, {0}, []byte("not a model"), []byte(`{"json": true}`),
		make([]byte, 1000), bytes.Repeat([]byte{0xff}, 1000), reversed,
		append(slices.Clone(stored), 0), append(slices.Clone(stored), stored...),
	})
}

// refuses checks that each of the data is rejected with ErrBadModel, by a new and by a fitted value, and that both values are
// unchanged.
func refuses(s *subject.Subject, p *subject.Probe, all [][]byte) {
	x := s.Test().X
	fresh, old := s.New(), s.Fitted(p, s.OtherProblem())
	want := old.Outputs(p, x)
	for i, data := range all {
		doing := fmt.Sprintf("UnmarshalBinary of damaged bytes %d of %d", i+1, len(all))
		p.Wants(doing, fresh.Unmarshal(data), estimators.ErrBadModel)
		p.Wants(doing, old.Unmarshal(data), estimators.ErrBadModel)
		if p.Failed() {
			return // the first failure is enough
		}
	}
	unfitted(p, fresh, x)
	p.Keeps("UnmarshalBinary of damaged bytes", old, x, want)
}
