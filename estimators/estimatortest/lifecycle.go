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
)

func checkRefitForgets(p *probe, s *subject) {
	first, second := problem(s.kind, 10, trainRows, 2, 2), s.train()
	m := s.fitted(p, first)
	p.Must("second Fit", m.fit(context.Background(), second.x, second.y))
	x := s.test().x
	p.same("after a Fit on other rows", s.fitted(p, second).outputs(p, x), m.outputs(p, x), 0)
}

func checkFailedFitKeeps(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	want := m.outputs(p, x)
	fails := func(doing string, d data) {
		if m.fit(context.Background(), d.x, d.y) == nil {
			p.Fatalf("Fit with %s: no error", doing)
		}
		p.keeps("a Fit that failed for "+doing, m, x, want)
	}
	d := s.otherProblem()
	d.x.Set(trainRows-8, 2, math.Inf(1))
	fails("an infinity in the last row of x", d)
	fails("an empty x", data{nil, nil})
	if s.kind&supervised != 0 {
		d := s.otherProblem()
		fails("a y that is too short", data{d.x, d.y[1:]})
	}
	if s.kind&(regressors|multis) != 0 {
		d := s.otherProblem()
		d.y[len(d.y)-1] = math.Inf(1)
		fails("an infinity in y", d)
	}
}

// keeps fails unless the model still gives the outputs that it gave before.
func (p *probe) keeps(after string, m model, x mat.Matrix, want outputs) {
	got, err := m.tryOutputs(x)
	if err != nil {
		p.Errorf("after %s: %v", after, err)
		return
	}
	p.same("after "+after, want, got, 0)
}

func checkCancelledFit(p *probe, s *subject) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	d, x := s.otherProblem(), s.test().x
	m := s.new()
	p.wants("Fit with a cancelled context", m.fit(ctx, d.x, d.y), context.Canceled)
	p.unfitted(m, x)
	m = s.fitted(p, s.train())
	want := m.outputs(p, x)
	p.wants("second Fit with a cancelled context", m.fit(ctx, d.x, d.y), context.Canceled)
	p.keeps("a cancelled Fit", m, x, want)
}

func checkCancelledMidway(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	want := m.outputs(p, x)
	d := s.otherProblem()
	r, c := d.x.Dims()
	for _, reads := range []int{1, r * c / 2, r * c} {
		ctx, cancel := context.WithCancel(context.Background())
		in := cancelling{foreign{d.x}, &atomic.Int64{}, cancel}
		in.left.Store(int64(reads))
		doing := fmt.Sprintf("Fit with a context that is cancelled when value %d of x is read", reads)
		p.wants(doing, m.fit(ctx, in, d.y), context.Canceled)
		p.keeps(doing, m, x, want)
		cancel()
	}
}

// endingContext ends when it is looked at for the left+1st time. A look through a context that was derived
// from it does not count, but sees its end.
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

// ended reports whether somebody was told that it has ended.
func (c *endingContext) ended() bool { return c.Context.Err() != nil }

func checkCancelledAtAnyLook(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	want := m.outputs(p, x)
	d := s.otherProblem()
	// at has the context end after so many looks, and reports whether Fit looked as often.
	at := func(looks int64) bool {
		ctx := endsAfter(looks)
		defer ctx.cancel()
		err := m.fit(ctx, d.x, d.y)
		if !ctx.ended() {
			p.Must("Fit with a context that does not end", err)
			return false
		}
		doing := fmt.Sprintf("Fit with a context that has ended at look %d", looks+1)
		p.wants(doing, err, context.Canceled)
		p.keeps(doing, m, x, want)
		return true
	}
	for looks := int64(1); at(looks); looks *= 2 {
	}
	// Of the last looks, whose number may differ a little with the goroutines that there are.
	whole := endsAfter(math.MaxInt64)
	defer whole.cancel()
	p.Must("Fit", s.new().fit(whole, d.x, d.y))
	m = s.fitted(p, s.train())
	for back := range min(whole.seen.Load(), lastLooks) {
		at(whole.seen.Load() - 1 - back)
		m = s.fitted(p, s.train())
	}
}

const lastLooks = 3

func checkInputsUnmodified(p *probe, s *subject) {
	d, test := s.train(), s.test()
	keptTrain, keptTest := d.copy(), test.copy()
	m := s.fitted(p, d)
	m.outputs(p, test.x)
	if s.kind&supervised != 0 && m.can(estimators.Weighted) {
		w := weights()
		p.Must("FitWeighted", m.fitWeighted(context.Background(), d.x, d.y, w))
		if !slices.Equal(w, weights()) {
			p.Errorf("FitWeighted changed its weights")
		}
	}
	if !mat.Equal(d.x, keptTrain.x) {
		p.Errorf("Fit changed its x")
	}
	if !slices.Equal(d.y, keptTrain.y) {
		p.Errorf("Fit changed its y")
	}
	if !mat.Equal(test.x, keptTest.x) {
		p.Errorf("a method changed its x")
	}
}

func checkAnyMatrix(p *probe, s *subject) {
	d, x := s.train(), s.test().x
	want := s.fitted(p, d).outputs(p, x)
	for name, view := range map[string]func(*mat.Dense) mat.Matrix{
		"a transposed view":                    func(x *mat.Dense) mat.Matrix { return mat.DenseCopyOf(x.T()).T() },
		"a part of a larger one":               partOfLarger,
		"a foreign type of matrix":             func(x *mat.Dense) mat.Matrix { return foreign{x} },
		"a type that says what of it is not 0": func(x *mat.Dense) mat.Matrix { return telling{foreign{x}} },
	} {
		m := s.new()
		p.Must("Fit on "+name, m.fit(context.Background(), view(d.x), d.y))
		p.same(name, want, m.outputs(p, view(x)), s.options.Tolerance)
	}
}

// partOfLarger returns x as a slice of a matrix that is NaN all around it.
func partOfLarger(x *mat.Dense) mat.Matrix {
	r, c := x.Dims()
	larger := mat.NewDense(r+2, c+3, nil)
	larger.Apply(func(_, _ int, _ float64) float64 { return math.NaN() }, larger)
	part := larger.Slice(1, r+1, 2, c+2).(*mat.Dense)
	part.Copy(x)
	return part
}

func checkKeepsNoReference(p *probe, s *subject) {
	d, x := s.train(), s.test().x
	m := s.fitted(p, d)
	want := m.outputs(p, x)
	d.x.Apply(func(_, _ int, v float64) float64 { return 99 - 3*v }, d.x)
	for i := range d.y {
		d.y[i] = -8
	}
	p.keeps("overwriting Fit's x and y", m, x, want)
	kept := mat.DenseCopyOf(x)
	p.Must("overwriting results", m.overwriteResults(x))
	if !mat.Equal(x, kept) {
		p.Fatalf("what a method returned is its x itself")
	}
	p.keeps("overwriting what the methods returned", m, x, want)
}

func checkSameSeed(p *probe, s *subject) {
	x := s.test().x
	p.same("a second value", s.fitted(p, s.train()).outputs(p, x), s.fitted(p, s.train()).outputs(p, x), 0)
}

func checkWorkers(p *probe, s *subject) {
	if s.options.Workers == nil {
		p.Skip("was given no Options.Workers")
	}
	var want outputs
	for _, n := range []int{1, 2, 5} {
		with := subject{kind: s.kind, build: func() any { return s.options.Workers(n) }}
		got := with.fitted(p, s.train()).outputs(p, s.test().x)
		if n > 1 {
			p.same(fmt.Sprintf("%d workers and 1", n), want, got, 0)
		} else {
			want = got
		}
	}
}

// leakRuns numbers the runs of checkGoroutineLeaks in this process.
var leakRuns atomic.Int64

// A goroutine inherits the profiler labels of the one that starts it, so those
// that the type started are told from all others of the process.
func checkGoroutineLeaks(p *probe, s *subject) {
	id := fmt.Sprintf("run-%d-", leakRuns.Add(1))
	pprof.Do(context.Background(), pprof.Labels("estimatortest", id), func(ctx context.Context) {
		s.fitted(p, s.train()).outputs(p, s.test().x)
		cancelled, cancel := context.WithCancel(ctx)
		cancel()
		d := s.train()
		// Only what is left running matters here; checkCancelledFit looks at the error.
		_ = s.new().fit(cancelled, d.x, d.y)
	})
	var left string
	for range 20 {
		var profile bytes.Buffer
		p.Must("profile", pprof.Lookup("goroutine").WriteTo(&profile, 1))
		if left = profile.String(); !strings.Contains(left, id) {
			return
		}
		time.Sleep(25 * time.Millisecond) // one that is about to end may
	}
	p.Errorf("goroutines that still run, those with the label %s:\n%s", id, left)
}

func checkClone(p *probe, s *subject) {
	m, x := s.fitted(p, s.train()), s.test().x
	m.needs(p, estimators.Cloning)
	s.clonesConfiguration(p)
	want := m.outputs(p, x)
	c := m.clone()
	if a, b := reflect.TypeOf(m.value), reflect.TypeOf(c.value); a != b {
		p.Fatalf("the clone of a %v is a %v", a, b)
	}
	p.unfitted(c, x)
	d := s.otherProblem()
	p.Must("Fit of the clone", c.fit(context.Background(), d.x, d.y))
	p.keeps("a Fit of its clone", m, x, want)
	p.same("the clone and a new value", s.fitted(p, d).outputs(p, x), c.outputs(p, x), 0)
	p.Must("Fit after Clone", m.fit(context.Background(), s.train().x, s.train().y))
	p.same("the clone after a Fit of the original", s.fitted(p, d).outputs(p, x), c.outputs(p, x), 0)
}

// clonesConfiguration sets the exported fields of a new value to what they
// hardly are by default, and looks for them in its clone.
func (s *subject) clonesConfiguration(p *probe) {
	m := s.new()
	from := reflect.Indirect(reflect.ValueOf(m.value))
	if from.Kind() != reflect.Struct || !from.CanSet() {
		return
	}
	odd := map[int]bool{}
	for i := range from.NumField() {
		odd[i] = from.Type().Field(i).IsExported() && setOdd(from.Field(i))
	}
	to := reflect.Indirect(reflect.ValueOf(m.clone().value))
	if to.Type() != from.Type() {
		return // checkClone says so
	}
	for i := range from.NumField() {
		name, a, b := from.Type().Field(i).Name, from.Field(i), to.Field(i)
		switch {
		case !from.Type().Field(i).IsExported():
		case a.Kind() == reflect.Slice:
			if a.Len() != b.Len() {
				p.Errorf("the clone's %s has %d entries, want %d", name, b.Len(), a.Len())
			} else if a.Len() > 0 && a.Pointer() == b.Pointer() {
				p.Errorf("the clone's %s is the same slice, no copy", name)
			}
		case odd[i] && !a.Equal(b):
			p.Errorf("the clone's %s is %v, want %v", name, b, a)
		}
	}
}

// setOdd gives a number, a string or a bool a value other than zero, and
// reports whether v is one of these.
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
