package estimatortest

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"github.com/kernelearn/kernelearn/estimators"
)

const (
	progressRows = 120
	// lateShare of the looks at the context may be over when the first step comes, of a type that Options.Steps says takes long.
	lateShare = .5
)

// observedSteps is what an observer was told.
type observedSteps struct {
	steps   []estimators.Step
	at      []int64 // looks at the context so far, for each
	looks   int64   // of the whole fit
	inside  atomic.Int32
	crowded bool // two goroutines at a time
}

// observedFit fits a new model while somebody listens.
func (s *subject) observedFit(p *probe, d data) (model, *observedSteps) {
	h, ctx := &observedSteps{}, endsAfter(math.MaxInt64)
	defer ctx.cancel()
	m := s.new()
	p.Must("Fit while somebody listens", m.fit(estimators.Observed(ctx, func(step estimators.Step) {
		if h.inside.Add(1) > 1 {
			h.crowded = true
		}
		h.steps, h.at = append(h.steps, step), append(h.at, ctx.seen.Load())
		h.inside.Add(-1)
	}), d.x, d.y))
	h.looks = ctx.seen.Load()
	return m, h
}

func checkProgress(p *probe, s *subject) {
	d, x := s.train(), s.test().x
	m, h := s.observedFit(p, d)
	p.risen(h)
	if h.crowded {
		p.Errorf("two goroutines called an observer at the same time")
	}
	p.same("a Fit that somebody listens to", s.fitted(p, d).outputs(p, x), m.outputs(p, x), 0)

	// An observer that panics is the fit's error, and the old model stays.
	want := m.outputs(p, x)
	err := m.fit(estimators.Observed(context.Background(), func(estimators.Step) { panic("the bar is closed") }), s.otherProblem().x,
		s.otherProblem().y)
	var panicked *estimators.PanicError
	if !errors.As(err, &panicked) {
		p.Errorf("Fit with an observer that panics: %v, want a PanicError", err)
	}
	p.keeps("a Fit with an observer that panics", m, x, want)

	if s.options.Steps == 0 {
		return
	}
	_, h = s.observedFit(p, problem(s.kind, 5, progressRows, 3, 2))
	p.risen(h)
	if len(h.steps) < s.options.Steps {
		p.Errorf("Fit on %d rows made %d steps, want at least %d", progressRows, len(h.steps), s.options.Steps)
		return
	}
	if first := h.steps[0]; !(first.Done <= lateShare) {
		p.Errorf("the first step on %d rows comes when %.2f is done, want at most %v", progressRows, first.Done, lateShare)
	}
	if share := float64(h.at[0]) / float64(h.looks); h.looks > 4 && !(share <= lateShare) {
		p.Errorf("the first step on %d rows comes after %.2f of the looks at the context, want at most %v", progressRows, share, lateShare)
	}
}

// risen fails unless shares rise, to 1 at the end.
func (p *probe) risen(h *observedSteps) {
	if len(h.steps) == 0 {
		p.Fatalf("Fit says to nobody how far it is: estimators.BeginFit begins one that does")
	}
	before := 0.0
	for i, step := range h.steps {
		if !(step.Done >= before && step.Done <= 1) {
			p.Fatalf("step %d says that %v is done, after %v", i+1, step.Done, before)
		}
		before = step.Done
	}
	if before != 1 {
		p.Errorf("the last step of a Fit without an error says that %v is done, want 1", before)
	}
}
