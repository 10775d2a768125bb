package selection

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
)

// config is what Regressor and Classifier are configured with, defaults filled in.
type config[Y float64 | int, E learner[Y]] struct {
	typ      string
	steps    []transformers.Transformer
	families []kernels.Family
	family2  kernels.Family2 // in place of families
	build    func(kernels.Kernel) E
	search   Strategy
	metric   metrics.Metric
	splitter Splitter
	scorer   func(metrics.Metric) (scorer[Y, E], error)

	candidates []func() E // in place of families and build
	misplaced  int        // Candidates for the other task
	configured string     // a field that was given and that Candidates have no use for
}

// given returns the name of a field that says which kernels to search or what to build.
func given(family kernels.Family, families []kernels.Family, family2 kernels.Family2, build bool) string {
	switch {
	case family != nil:
		return "Family"
	case families != nil:
		return "Families"
	case family2 != nil:
		return "Family2"
	case build:
		return "Build"
	}
	return ""
}

// familiesOf returns what a search runs over.
func familiesOf(one kernels.Family, several []kernels.Family, two kernels.Family2) []kernels.Family {
	switch {
	case two != nil && one == nil:
		return several
	case len(several) > 0:
		return several
	case one == nil:
		return []kernels.Family{kernels.RBFFamily{}}
	}
	return []kernels.Family{one}
}

// fitted is what a Fit leaves.
type fitted[E any] struct {
	width  int // columns of x
	chain  []transformers.Transformer
	inner  E
	result *Result
}

// fitWeighted is fit with the weights that FitWeighted was given.
func (c config[Y, E]) fitWeighted(ctx context.Context, x mat.Matrix, y []Y, weights, target []float64, labels []int) (*fitted[E], error) {
	// Said before the search, which may be long. That Build gives nil, fit says.
	for _, e := range c.samples() {
		if any(e) != nil && !estimators.Supports(e, estimators.Weighted) {
			return nil, estimators.Unsupported(c.typ, e, estimators.Weighted)
		}
	}
	if err := check.Weights(c.typ, weights, len(y)); err != nil {
		return nil, err
	}
	return c.fit(ctx, x, y, weights, target, labels)
}

// fit chooses a kernel and fits with it. target is y for a regression, labels is
// y for a classification; the other is nil. weights nil is none.
func (c config[Y, E]) fit(ctx context.Context, x mat.Matrix, y []Y, weights, target []float64, labels []int) (*fitted[E], error) {
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	n, d := xd.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return nil, err
	}
	if err := check.Vector("y", target); err != nil {
		return nil, err
	}
	entrants, err := c.checkCandidates()
	if err != nil {
		return nil, err
	}
	chain, rows, err := fitChain(ctx, c.steps, xd)
	if err != nil {
		return nil, err
	}
	chosen, result, err := c.choose(ctx, problem{
		typ: c.typ, x: rows, y: target, labels: labels, weights: weights, metric: c.metric, splitter: c.splitter, entrants: entrants, ridgeMachine: c.buildsRidgeMachine(),
		try: func(ctx context.Context, t trials) (tried, error) { return c.try(ctx, rowSet[Y]{xd, y, weights}, t) },
	})
	if err != nil {
		return nil, err
	}
	inner := chosen.build()
	if any(inner) == nil {
		return nil, fault.Param(c.typ, "Build", "a function that returns nil", "one that returns an estimator")
	}
	if err := fitRows(ctx, c.typ, inner, rowSet[Y]{rows, y, weights}); err != nil {
		return nil, fmt.Errorf("%T with %v: %w", inner, chosen.name, err)
	}
	result.Fits++
	return &fitted[E]{width: d, chain: chain, inner: inner, result: result}, nil
}

// choose searches each family, or the one of two parameters, or the candidates, and takes
// what has the best score.
func (c config[Y, E]) choose(ctx context.Context, p problem) (option[E], *Result, error) {
	var none option[E]
	if c.candidates != nil {
		r, err := c.search.search(ctx, &p)
		if err != nil {
			return none, nil, err
		}
		r.Family, r.Kernel, r.Param2 = candidatesName, p.entrant(r.Param), missing
		return c.option(nil, r.Param), r, nil
	}
	if c.family2 != nil {
		if len(c.families) > 0 {
			return none, nil, fault.Param(c.typ, "Family2", c.family2.String(), "none beside Family or Families")
		}
		o, r, err := c.descend(ctx, p)
		if err == nil {
			r.Kernel = o.name
		}
		return o, r, err
	}
	names := map[string]bool{}
	for i, f := range c.families {
		if f == nil || names[f.String()] {
			return none, nil, fault.Param(c.typ, fmt.Sprintf("Families[%d]", i), f, "families of different names")
		}
		names[f.String()] = true
	}
	p.running = &clock{left: len(c.families)}
	results, best := make([]*Result, len(c.families)), 0
	for i, f := range c.families {
		p.family = f
		r, err := c.search.search(ctx, &p)
		if err != nil {
			if len(c.families) > 1 {
				err = fmt.Errorf("family %v: %w", f, err)
			}
			return none, nil, err
		}
		r.Family, r.Kernel, r.Param2 = f.String(), f.At(r.Param).String(), missing
		if len(c.families) > 1 && math.IsNaN(r.Score) {
			return none, nil, fault.Param(c.typ, "Families", len(c.families), "one, or a Search that scores what it finds, to compare them by")
		}
		results[i] = r
		if better(metrics.Metric{LargerIsBetter: r.LargerIsBetter}, r.Score, results[best].Score) {
			best = i
		}
	}
	out := results[best]
	for i, r := range results {
		if i != best {
			out.Others = append(out.Others, r)
		}
	}
	return c.option(c.families[best], out.Param), out, nil
}

// named returns the family that a model was fitted with.
func (c config[Y, E]) named(name string) kernels.Family {
	for _, f := range c.families {
		if f != nil && f.String() == name {
			return f
		}
	}
	return nil
}

// try fits and scores the learner with each parameter. Once the budget is spent no fit
// is begun, but for those that it takes until one has a score.
func (c config[Y, E]) try(ctx context.Context, rows rowSet[Y], t trials) (tried, error) {
	score, err := c.scorer(t.metric)
	if err != nil {
		return tried{}, err
	}
	j := job[Y, E]{builds: make([]func() E, len(t.params)), steps: c.steps, rows: rows, folds: t.folds, scorers: []scorer[Y, E]{score}, workers: t.workers}
	out := tried{scores: make([]float64, len(t.params)), folds: make([]int, len(t.params))}
	names := make([]string, len(t.params))
	for i, v := range t.params {
		o := c.option(t.family, v)
		names[i], j.builds[i] = o.name, o.build
		if o.kernel != nil && t.metric.Variance == nil { // a variance takes more than kernel values
			j.kernels = append(j.kernels, o.kernel)
		}
		out.scores[i] = missing
	}
	seconds := make([]float64, len(t.params))
	byFold := make([][]float64, len(t.params))
	for b := range byFold {
		byFold[b] = make([]float64, len(t.folds))
	}
	var scored atomic.Bool
	j.skip = func() bool { return scored.Load() && t.budget.spent() }
	j.observe = func(b, f int, cl cell) {
		byFold[b][f] = missing
		if cl.err == nil {
			byFold[b][f] = cl.scores[0]
		}
		seconds[b] += cl.fit.Seconds() + cl.predict.Seconds()
		if out.folds[b]++; out.folds[b] < len(t.folds) {
			return
		}
		mean := 0.0
		for _, v := range byFold[b] { // in this order whichever came first
			mean += v / float64(len(t.folds))
		}
		out.scores[b] = mean
		if !math.IsNaN(mean) {
			scored.Store(true)
		}
		t.observe(b, mean, seconds[b])
	}
	cells, err := j.evaluate(ctx)
	if err != nil {
		return tried{}, err
	}
	for b, row := range cells {
		for f, cl := range row {
			if cl.err != nil && out.failed == nil {
				out.failed = fmt.Errorf("%v, fold %d: %w", names[b], f, cl.err)
			}
		}
	}
	return out, nil
}

// transform takes new rows to where the inner estimator lives.
func (f *fitted[E]) transform(typ string, x mat.Matrix) (*mat.Dense, error) {
	xd, err := f.checked(typ, x)
	if err != nil {
		return nil, err
	}
	return applyChain(f.chain, xd)
}

func (f *fitted[E]) checked(typ string, x mat.Matrix) (*mat.Dense, error) {
	if f == nil {
		return nil, fault.NotFitted(typ)
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return nil, err
	}
	return xd, check.Columns("x", xd, f.width)
}

// with calls g with preprocessed rows of x, of few of them without allocating.
func (f *fitted[E]) with(typ string, x mat.Matrix, g func(z mat.Matrix) error) error {
	xd, err := f.checked(typ, x)
	if err != nil {
		return err
	}
	if !rowwise.IsFew(xd) {
		z, err := applyChain(f.chain, xd)
		if err != nil {
			return err
		}
		return g(z)
	}
	b := rowwise.NewBuffers()
	defer b.Release()
	z, at, err := rowwise.Through(b, f.chain, mat.Matrix(xd))
	if err != nil {
		return ofStep(f.chain, at, err)
	}
	return g(z)
}

// supports asks the fitted estimator, or before Fit those that would be built, for r.
func (c config[Y, E]) supports(r any, f *fitted[E], capability estimators.Capability) bool {
	w := estimators.Wrapped{Steps: c.steps, Own: []estimators.Capability{estimators.Cloning, estimators.Reporting}}
	if f != nil {
		w.Estimators = []any{f.inner}
	} else {
		for _, e := range c.samples() {
			w.Estimators = append(w.Estimators, e)
		}
	}
	return w.Supports(r, capability)
}

// samples returns an estimator as Build makes them, or all Candidates; Fit says what is
// wrong with those that are left out.
func (c config[Y, E]) samples() (out []E) {
	if c.candidates != nil {
		for _, build := range c.candidates {
			if build != nil {
				out = append(out, build())
			}
		}
		return out
	}
	if c.family2 != nil {
		lo, _ := c.family2.Bounds()
		return []E{c.option2(lo[0], lo[1]).build()}
	}
	family := c.families[0]
	if family == nil {
		family = kernels.RBFFamily{}
	}
	lo, _ := family.Bounds()
	return []E{c.build(family.At(lo))}
}

// buildsRidgeMachine reports whether Build makes the machines of lssvm.
func (c config[Y, E]) buildsRidgeMachine() bool {
	for _, e := range c.samples() {
		switch any(e).(type) {
		case *lssvm.Regressor, *lssvm.Classifier:
		default:
			return false
		}
	}
	return true
}

// report is the inner estimator's, with the search's warnings before its own.
func (f *fitted[E]) report() estimators.Report {
	if f == nil {
		return estimators.Report{}
	}
	out := estimators.Report{Converged: true, Iterations: 1, Objective: f.result.Score}
	if r, ok := any(f.inner).(estimators.Reporter); ok {
		out = r.Report()
	}
	out.Warnings = append(append([]string(nil), f.result.Warnings...), out.Warnings...)
	return out
}

func (f *fitted[E]) copyResult() *Result {
	if f == nil {
		return nil
	}
	return f.result.clone()
}

func cloneSteps(steps []transformers.Transformer) []transformers.Transformer {
	if steps == nil {
		return nil
	}
	out := make([]transformers.Transformer, len(steps))
	for i, s := range steps {
		out[i] = s // one that cannot be cloned: Fit says so
		if c, ok := s.(transformers.Cloner); ok {
			out[i] = c.Clone()
		}
	}
	return out
}

const version = 1

// stored is a fitted selection in a file: the family by name and the parameter,
// from which Build makes the estimator again, and the parts' own bytes.
type stored struct {
	Width  int
	Family string
	Param  float64
	Param2 float64 // of a Family2
	Steps  []estimators.Part
	Inner  estimators.Part
	Result []byte // JSON
}

func (c config[Y, E]) marshal(kind string, f *fitted[E]) ([]byte, error) {
	if f == nil {
		return nil, fault.NotFitted(c.typ)
	}
	s := stored{Width: f.width, Family: f.result.Family, Param: f.result.Param}
	if c.family2 != nil {
		s.Param2 = f.result.Param2
	}
	for i, t := range f.chain {
		p, err := estimators.MakePart(fmt.Sprintf("%s: Preprocess[%d]", c.typ, i), t)
		if err != nil {
			return nil, err
		}
		s.Steps = append(s.Steps, p)
	}
	var err error
	if s.Inner, err = estimators.MakePart(c.typ, f.inner); err != nil {
		return nil, err
	}
	if s.Result, err = json.Marshal(f.result); err != nil {
		return nil, err
	}
	return codec.Marshal(kind, version, s)
}

// stored returns what a stored model was fitted with, if this configuration has it.
func (c config[Y, E]) stored(kind string, s stored) (option[E], error) {
	within := func(v, lo, hi float64) bool { return v >= lo && v <= hi && !math.IsInf(v, 0) }
	wrong := fault.BadModel(kind, "parameter %v of family %s", s.Param, s.Family)
	switch {
	case c.candidates != nil:
		if s.Family != candidatesName {
			return option[E]{}, fault.BadModel(kind, "fitted with Family %s, this value has %d Candidates", s.Family, len(c.candidates))
		}
		if !within(s.Param, 0, float64(len(c.candidates)-1)) || s.Param != math.Trunc(s.Param) || c.candidates[int(s.Param)] == nil {
			return option[E]{}, fault.BadModel(kind, "fitted with candidate %v, this value has %d Candidates", s.Param, len(c.candidates))
		}
		return c.option(nil, s.Param), nil
	case c.family2 != nil:
		if name := c.family2.String(); s.Family != name {
			return option[E]{}, fault.BadModel(kind, "fitted with Family %s, this value has %s", s.Family, name)
		}
		lo, hi := c.family2.Bounds()
		if !within(s.Param, lo[0], hi[0]) || !within(s.Param2, lo[1], hi[1]) {
			return option[E]{}, wrong
		}
		return c.option2(s.Param, s.Param2), nil
	}
	family := c.named(s.Family)
	if family == nil {
		return option[E]{}, fault.BadModel(kind, "fitted with Family %s, this value has %s", s.Family, strings.Trim(fmt.Sprint(c.families), "[]"))
	}
	if lo, hi := family.Bounds(); !within(s.Param, lo, hi) {
		return option[E]{}, wrong
	}
	return c.option(family, s.Param), nil
}

func (c config[Y, E]) unmarshal(kind string, data []byte) (*fitted[E], error) {
	var s stored
	if _, err := codec.Unmarshal(data, kind, version, &s); err != nil {
		return nil, err
	}
	chosen, err := c.stored(kind, s)
	if err != nil {
		return nil, err
	}
	switch {
	case len(s.Steps) != len(c.steps):
		return nil, fault.BadModel(kind, "fitted with %d Preprocess steps, this value has %d", len(s.Steps), len(c.steps))
	case s.Width < 1:
		return nil, fault.BadModel(kind, "%d columns", s.Width)
	}
	f := &fitted[E]{width: s.Width, result: &Result{}}
	if err := json.Unmarshal(s.Result, f.result); err != nil {
		return nil, fault.BadModel(kind, "result: %v", err)
	}
	for i, step := range c.steps {
		t, err := estimators.Clone(c.typ, step)
		if err != nil {
			return nil, err
		}
		if err := s.Steps[i].Into(kind, fmt.Sprintf("Preprocess[%d]", i), t); err != nil {
			return nil, err
		}
		f.chain = append(f.chain, t)
	}
	f.inner = chosen.build()
	if any(f.inner) == nil {
		return nil, fault.Param(c.typ, "Build", "a function that returns nil", "one that returns an estimator")
	}
	if err := s.Inner.Into(kind, "the estimator", f.inner); err != nil {
		return nil, err
	}
	return f, nil
}
