package estimatortest

import (
	"context"
	"errors"
	"math"
	"sync/atomic"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

const (
	progressRows = 120
	// lateShare is the largest share of the context's checks that may precede the first step, for types with Options.Steps.
	lateShare = .5
)

// observedSteps holds the steps that an observer received.
type observedSteps struct {
	steps      []estimators.Step
	at         []int64 // number of checks of the context before each step
	looks      int64   // number of checks in the complete fit
	inside     atomic.Int32
	concurrent bool // called by two goroutines at the same time
}

// observedFit fits a new model with an observer, and returns the steps that the observer received.
func observedFit(s *subject.Subject, p *subject.Probe, d subject.Data) (subject.Model, *observedSteps) {
	h, ctx := &observedSteps{}, endsAfter(math.MaxInt64)
	defer ctx.cancel()
	m := s.New()
	p.Must("Fit with an observer", m.Fit(estimators.Observed(ctx, func(step estimators.Step) {
		if h.inside.Add(1) > 1 {
			h.concurrent = true
		}
		h.steps, h.at = append(h.steps, step), append(h.at, ctx.seen.Load())
		h.inside.Add(-1)
	}), d.X, d.Y))
	h.looks = ctx.seen.Load()
	return m, h
}

func checkProgress(p *subject.Probe, s *subject.Subject) {
	d, x := s.Train(), s.Test().X
	m, h := observedFit(s, p, d)
	risen(p, h)
	if h.concurrent {
		p.Errorf("two goroutines called an observer at the same time")
	}
	p.Same("a Fit with an observer", s.Fitted(p, d).Outputs(p, x), m.Outputs(p, x), 0)

	// A panic in an observer becomes an error of the fit, and the old model is kept.
	want := m.Outputs(p, x)
	err := m.Fit(estimators.Observed(context.Background(), func(estimators.Step) { panic("the bar is closed") }), s.OtherProblem().X,
		s.OtherProblem().Y)
	var panicked *estimators.PanicError
	if !errors.As(err, &panicked) {
		p.Errorf("Fit with an observer that panics: %v, want a PanicError", err)
	}
	p.Keeps("a Fit with an observer that panics", m, x, want)

	if s.Options.Steps == 0 {
		return
	}
	_, h = observedFit(s, p, subject.Problem(s.Kind, 5, progressRows, 3, 2))
	risen(p, h)
	if len(h.steps) < s.Options.Steps {
		p.Errorf("Fit on %d rows made %d steps, want at least %d", progressRows, len(h.steps), s.Options.Steps)
		return
	}
	if first := h.steps[0]; !(first.Done <= lateShare) {
		p.Errorf("the first step on %d rows comes at a share of %.2f done, want at most %v", progressRows, first.Done, lateShare)
	}
	if share := float64(h.at[0]) / float64(h.looks); h.looks > 4 && !(share <= lateShare) {
		p.Errorf("the first step on %d rows comes after a share of %.2f of the checks of the context, want at most %v",
			progressRows, share, lateShare)
	}
}

// risen checks that the shares increase and end at 1.
func risen(p *subject.Probe, h *observedSteps) {
	if len(h.steps) == 0 {
		p.Fatalf("Fit reports no progress: begin it with estimators.BeginFit")
	}
	before := 0.0
	for i, step := range h.steps {
		if !(step.Done >= before && step.Done <= 1) {
			p.Fatalf("step %d reports a share of %v done, after %v", i+1, step.Done, before)
		}
		before = step.Done
	}
	if before != 1 {
		p.Errorf("the last step of a Fit without an error reports a share of %v done, want 1", before)
	}
}
