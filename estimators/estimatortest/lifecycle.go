package estimatortest

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"reflect"
	"runtime/pprof"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/estimatortest/internal/subject"
)

func checkRefitForgets(p *subject.Probe, s *subject.Subject) {
	first, second := subject.Problem(s.Kind, 10, subject.TrainRows, 2, 2), s.Train()
	m := s.Fitted(p, first)
	p.Must("second Fit", m.Fit(context.Background(), second.X, second.Y))
	x := s.Test().X
	p.Same("after a Fit on other rows", s.Fitted(p, second).Outputs(p, x), m.Outputs(p, x), 0)
}

func checkFailedFitKeeps(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	want := m.Outputs(p, x)
	fails := func(doing string, d subject.Data) {
		if m.Fit(context.Background(), d.X, d.Y) == nil {
			p.Fatalf("Fit with %s: no error", doing)
		}
		p.Keeps("a Fit that failed for "+doing, m, x, want)
	}
	d := s.OtherProblem()
	d.X.Set(subject.TrainRows-8, 2, math.Inf(1))
	fails("an infinity in the last row of x", d)
	fails("an empty x", subject.Data{X: nil, Y: nil})
	if s.Kind&subject.Supervised != 0 {
		d := s.OtherProblem()
		fails("a y that is too short", subject.Data{X: d.X, Y: d.Y[1:]})
	}
	if s.Kind&(subject.Regressors|subject.Multis) != 0 {
		d := s.OtherProblem()
		d.Y[len(d.Y)-1] = math.Inf(1)
		fails("an infinity in y", d)
	}
}

func checkCancelledFit(p *subject.Probe, s *subject.Subject) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d, x := s.OtherProblem(), s.Test().X
	m := s.New()
	p.Wants("Fit with a cancelled context", m.Fit(ctx, d.X, d.Y), context.Canceled)
	unfitted(p, m, x)
	m = s.Fitted(p, s.Train())
	want := m.Outputs(p, x)
	p.Wants("second Fit with a cancelled context", m.Fit(ctx, d.X, d.Y), context.Canceled)
	p.Keeps("a cancelled Fit", m, x, want)
}

func checkCancelledMidway(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	want := m.Outputs(p, x)
	d := s.OtherProblem()
	r, c := d.X.Dims()
	for _, reads := range []int{1, r * c / 2, r * c} {
		ctx, cancel := context.WithCancel(context.Background())
		in := subject.Cancelling{Foreign: subject.Foreign{Dense: d.X}, Left: &atomic.Int64{}, Cancel: cancel}
		in.Left.Store(int64(reads))
		doing := fmt.Sprintf("Fit with a context that is cancelled when value %d of x is read", reads)
		p.Wants(doing, m.Fit(ctx, in, d.Y), context.Canceled)
		p.Keeps(doing, m, x, want)
		cancel()
	}
}

// endingContext ends at check number left+1. Checks of derived contexts are not counted, but return the error of the context.
type endingContext struct {
	context.Context
	cancel     context.CancelFunc
	left, seen atomic.Int64
}

func endsAfter(looks int64) *endingContext {
	c := &endingContext{}
	c.Context, c.cancel = context.WithCancel(context.Background())
	c.left.Store(looks)
	return c
}

func (c *endingContext) Err() error {
	c.seen.Add(1)
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// ended reports whether the context has ended.
func (c *endingContext) ended() bool { return c.Context.Err() != nil }

func checkCancelledAtAnyCheck(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	want := m.Outputs(p, x)
	d := s.OtherProblem()
	// at ends the context after looks checks, and reports whether Fit made more checks.
	at := func(looks int64) bool {
		ctx := endsAfter(looks)
		defer ctx.cancel()
		err := m.Fit(ctx, d.X, d.Y)
		if !ctx.ended() {
			p.Must("Fit with a context that does not end", err)
			return false
		}
		doing := fmt.Sprintf("Fit with a context that has ended at check %d", looks+1)
		p.Wants(doing, err, context.Canceled)
		p.Keeps(doing, m, x, want)
		return true
	}
	for looks := int64(1); at(looks); looks *= 2 {
	}
	// The last checks are tested too. The number of checks may vary slightly with the number of goroutines.
	whole := endsAfter(math.MaxInt64)
	defer whole.cancel()
	p.Must("Fit", s.New().Fit(whole, d.X, d.Y))
	m = s.Fitted(p, s.Train())
	for back := range min(whole.seen.Load(), lastEvaluations) {
		at(whole.seen.Load() - 1 - back)
		m = s.Fitted(p, s.Train())
	}
}

const lastEvaluations = 3

func checkInputsUnmodified(p *subject.Probe, s *subject.Subject) {
	d, test := s.Train(), s.Test()
	keptTrain, keptTest := d.Copy(), test.Copy()
	m := s.Fitted(p, d)
	m.Outputs(p, test.X)
	if s.Kind&subject.Supervised != 0 && m.Can(estimators.Weighted) {
		w := subject.Weights()
		p.Must("FitWeighted", m.FitWeighted(context.Background(), d.X, d.Y, w))
		if !slices.Equal(w, subject.Weights()) {
			p.Errorf("FitWeighted changed its weights")
		}
	}
	if !mat.Equal(d.X, keptTrain.X) {
		p.Errorf("Fit changed its x")
	}
	if !slices.Equal(d.Y, keptTrain.Y) {
		p.Errorf("Fit changed its y")
	}
	if !mat.Equal(test.X, keptTest.X) {
		p.Errorf("a method changed its x")
	}
}

func checkAnyMatrix(p *subject.Probe, s *subject.Subject) {
	d, x := s.Train(), s.Test().X
	want := s.Fitted(p, d).Outputs(p, x)
	for name, view := range map[string]func(*mat.Dense) mat.Matrix{
		"a transposed view":        func(x *mat.Dense) mat.Matrix { return mat.DenseCopyOf(x.T()).T() },
		"a part of a larger one":   partOfLarger,
		"a foreign type of matrix": func(x *mat.Dense) mat.Matrix { return subject.Foreign{Dense: x} },
		"a matrix that lists its nonzero entries": func(x *mat.Dense) mat.Matrix {
			return subject.Telling{Foreign: subject.Foreign{Dense: x}}
		},
	} {
		m := s.New()
		p.Must("Fit on "+name, m.Fit(context.Background(), view(d.X), d.Y))
		p.Same(name, want, m.Outputs(p, view(x)), s.Options.Tolerance)
	}
}

// partOfLarger returns x as a slice of a larger matrix that is NaN outside the slice.
func partOfLarger(x *mat.Dense) mat.Matrix {
	r, c := x.Dims()
	larger := mat.NewDense(r+2, c+3, nil)
	larger.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, larger)
	part := larger.Slice(1, r+1, 2, c+2).(*mat.Dense)
	part.Copy(x)
	return part
}

func checkKeepsNoReference(p *subject.Probe, s *subject.Subject) {
	d, x := s.Train(), s.Test().X
	m := s.Fitted(p, d)
	want := m.Outputs(p, x)
	d.X.Apply(func(_, _ int, v float64) float64 { return 99 - 3*v }, d.X)
	for i := range d.Y {
		d.Y[i] = -8
	}
	p.Keeps("overwriting Fit's x and y", m, x, want)
	kept := mat.DenseCopyOf(x)
	p.Must("overwriting results", m.OverwriteResults(x))
	if !mat.Equal(x, kept) {
		p.Fatalf("a method returned its x itself")
	}
	p.Keeps("overwriting what the methods returned", m, x, want)
}

func checkSameSeed(p *subject.Probe, s *subject.Subject) {
	x := s.Test().X
	p.Same("a second value", s.Fitted(p, s.Train()).Outputs(p, x), s.Fitted(p, s.Train()).Outputs(p, x), 0)
}

func checkWorkers(p *subject.Probe, s *subject.Subject) {
	if s.Options.Workers == nil {
		p.Skip("was given no Options.Workers")
	}
	var want subject.Outputs
	for _, n := range []int{1, 2, 5} {
		with := subject.Subject{Kind: s.Kind, Build: func() any { return s.Options.Workers(n) }}
		got := with.Fitted(p, s.Train()).Outputs(p, s.Test().X)
		if n > 1 {
			p.Same(fmt.Sprintf("%d workers and 1", n), want, got, 0)
		} else {
			want = got
		}
	}
}

// leakRuns counts the runs of checkGoroutineLeaks in this process.
var leakRuns atomic.Int64

// checkGoroutineLeaks uses profiler labels, which a goroutine inherits from the goroutine that starts it. They distinguish the
// goroutines of the type from all others in the process.
func checkGoroutineLeaks(p *subject.Probe, s *subject.Subject) {
	id := fmt.Sprintf("run-%d-", leakRuns.Add(1))
	pprof.Do(context.Background(), pprof.Labels("estimatortest", id), func(ctx context.Context) {
		s.Fitted(p, s.Train()).Outputs(p, s.Test().X)
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		d := s.Train()
		// Only goroutines that are still running matter here. The error is checked by checkCancelledFit.
		_ = s.New().Fit(cancelled, d.X, d.Y)
	})
	var left string
	for range 20 {
		var profile bytes.Buffer
		p.Must("profile", pprof.Lookup("goroutine").WriteTo(&profile, 1))
		if left = profile.String(); !strings.Contains(left, id) {
			return
		}
		time.Sleep(25 * time.Millisecond) // wait for goroutines that are about to end
	}
	p.Errorf("goroutines that still run, those with the label %s:\n%s", id, left)
}

func checkClone(p *subject.Probe, s *subject.Subject) {
	m, x := s.Fitted(p, s.Train()), s.Test().X
	clonesConfiguration(s, p)
	want := m.Outputs(p, x)
	c := m.Clone()
	unfitted(p, c, x)
	d := s.OtherProblem()
	p.Must("Fit of the clone", c.Fit(context.Background(), d.X, d.Y))
	p.Keeps("a Fit of its clone", m, x, want)
	p.Same("the clone and a new value", s.Fitted(p, d).Outputs(p, x), c.Outputs(p, x), 0)
	p.Must("Fit after Clone", m.Fit(context.Background(), s.Train().X, s.Train().Y))
	p.Same("the clone after a Fit of the original", s.Fitted(p, d).Outputs(p, x), c.Outputs(p, x), 0)
}

// clonesConfiguration sets the exported fields of a new value to unusual values, and checks that its clone has the same values.
func clonesConfiguration(s *subject.Subject, p *subject.Probe) {
	m := s.New()
	from := reflect.Indirect(reflect.ValueOf(m.Value))
	if from.Kind() != reflect.Struct || !from.CanSet() {
		return
	}
	odd := map[int]bool{}
	for i := range from.NumField() {
		odd[i] = from.Type().Field(i).IsExported() && setOdd(from.Field(i))
	}
	to := reflect.Indirect(reflect.ValueOf(m.Clone().Value))
	for i := range from.NumField() {
		name, a, b := from.Type().Field(i).Name, from.Field(i), to.Field(i)
		switch {
		case !from.Type().Field(i).IsExported():
		case a.Kind() == reflect.Slice:
			if a.Len() != b.Len() {
				p.Errorf("the clone's %s has %d entries, want %d", name, b.Len(), a.Len())
			} else if a.Len() > 0 && a.Pointer() == b.Pointer() {
				p.Errorf("the clone's %s is the same slice, not a copy", name)
			}
		case odd[i] && !a.Equal(b):
			p.Errorf("the clone's %s is %v, want %v", name, b, a)
		}
	}
}

// setOdd sets a number, a string or a bool to a nonzero value, and reports whether v is one of these.
func setOdd(v reflect.Value) bool {
	switch {
	case v.CanInt():
		v.SetInt(3)
	case v.CanUint():
		v.SetUint(3)
	case v.CanFloat():
		v.SetFloat(0.375)
	case v.Kind() == reflect.Bool:
		v.SetBool(true)
	case v.Kind() == reflect.String:
		v.SetString("odd")
	default:
		return false
	}
	return true
}
