package selection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
)

// engine is what Regressor and Classifier are configured with, defaults filled in, and how
// they search and fit.
type engine[Y float64 | int, E folds.Learner[Y]] struct {
	settings
	steps    []transformers.Transformer
	space    Space[E]
	builds   bool     // functions of the caller's Space build the estimators
	strategy Strategy // nil: &Entropy{}
	metric   metrics.Metric
	splitter validation.Splitter
	scorer   func(metrics.Metric) (folds.Scoring[Y, E], error)
	// With nothing set the columns are made even in several ways, and the models averaged.
	ways    []way
	mean    func(parts []*fitted[E]) E
	columns string // the way of this search
	// heardBy is Observe itself, for code within a step; observe takes its turn with others.
	heardBy func(TraceRow)
	// many, if not nil, makes the machine of more than above rows.
	many  func(onSome) E
	above int
}

// fit chooses a point and fits with it. target is y for a regression, labels is y for a
// classification; the other is nil. weights nil is none.
func (c engine[Y, E]) fit(ctx context.Context, x mat.Matrix, y []Y, weights, target []float64, labels []int) (_ *fitted[E], err error) {
	var gaps func(int) bool
	if c.ways != nil || len(c.steps) > 0 { // the first step fills them, or refuses
		gaps = check.Anywhere
	}
	xd, err := check.DenseGaps("x", x, gaps)
	if err != nil {
		return nil, err
	}
	if err := check.Rows("y", len(y), xd.RawMatrix().Rows); err != nil {
		return nil, err
	}
	if err := cmp.Or(check.Vector("y", target), check.Spread(c.typ, target)); err != nil {
		return nil, err
	}
	if labels != nil { // before a search or a fold meets it
		if err := classes.AtLeastTwo(classes.Distinct(labels)); err != nil {
			return nil, err
		}
	}
	if err := cmp.Or(check.Workers(c.typ, c.workers), check.Setting(c.typ, "MaxKernelBytes", c.maxKernelBytes, "kernels.MaxKernelBytes")); err != nil {
		return nil, err
	}
	if err := c.space.validate(c.typ); err != nil {
		return nil, err
	}
	if c, err = c.byGroups(len(y)); err != nil {
		return nil, err
	}
	merged := distinct.Merge(xd, nil)
	if n := merged.Len(); c.many == nil || n <= c.above {
		if err := c.holds(n); err != nil {
			return nil, err
		}
	}
	c.trail = &trail{}
	defer func() {
		if err != nil {
			err = c.trail.unfinished(c.typ, err)
		}
	}()
	ctx, end := c.heard(ctx)
	defer end(&err)
	progress.Within(ctx, c.limit, clockOr(c.now))
	c.heardBy, c.observe = c.observe, c.telling(ctx)
	if c.ways != nil {
		return c.fitWays(ctx, merged, y, weights, target, labels)
	}
	first, rest := progress.Two(ctx, float64(min(1, len(c.steps))), 10)
	chain, rows, err := folds.FitChain(first, c.typ, c.steps, merged.X)
	if err != nil {
		return nil, err
	}
	rows = merged.Spread(rows)
	return c.fitOn(rest, folds.Rows[Y]{X: xd, Y: y, Weights: weights, Groups: c.groups}, chain, rows, target, labels)
}

// byGroups is the search by folds of whole groups, if there are any.
func (c engine[Y, E]) byGroups(n int) (engine[Y, E], error) {
	if c.groups == nil {
		return c, nil
	}
	if err := groups.Check(c.groups, n, 2); err != nil {
		return c, fmt.Errorf("%s: %w", c.typ, err)
	}
	c.many = nil // landmarks leave out no groups
	switch s := c.strategy.(type) {
	case *Shape:
		if c.ways == nil {
			return c, fault.Param(c.typ, "Search", "*Shape", "another strategy with Groups, which Shape does not leave out")
		}
	case *Entropy:
		by := *s
		by.Score = CrossValidation
		c.strategy = &by
	}
	return c, nil
}

// fitOn searches and fits on the rows that a chain has made of those given.
func (c engine[Y, E]) fitOn(ctx context.Context, given folds.Rows[Y], chain *pipeline.Transformer, rows *mat.Dense, target []float64, labels []int) (*fitted[E], error) {
	merged, given := c.merge(rows, given)
	n := merged.Len()
	handsOver := c.many != nil && n > c.above
	var spending budget
	search := c
	if handsOver && c.limit > 0 {
		shared, _ := newClock(c.typ, c.limit, c.now, 1) // which fails for a limit below 0
		spending = shared.begin()
		search.limit = max(1, c.limit/2) // the other half is for landmarks
	}
	samples := c.space.samples()
	last := 1. // what the last fit takes, and the search four
	if handsOver {
		last = 4
	}
	searching, rest := progress.Two(ctx, 4, last)
	p := rowsOf(merged, target, labels)
	p.settings, p.metric, p.splitter, p.columns = search.settings, c.metric, c.splitter, c.columns
	p.types, p.named, p.turns = c.space.names(), c.space.labels, c.space.turns
	p.ridgeMachine, p.features = areRidgeMachines(samples), c.featuresOf(samples, merged.X)
	p.try = func(ctx context.Context, family kernels.Family, t trials) (tried, error) {
		t.folds = validation.SpreadDistinct(t.folds, merged)
		return c.try(ctx, given, family, t)
	}
	chosen, result, err := search.choose(searching, p)
	if err != nil {
		return nil, err
	}
	c.trail.found(result)
	if handsOver {
		inner, err := c.fitMany(rest, chosen.kernel, folds.Rows[Y]{X: rows, Y: given.Y, Weights: given.Weights, Groups: given.Groups}, n, result, spending)
		if err != nil {
			return nil, err
		}
		return &fitted[E]{chain: chain, inner: inner, result: result}, nil
	}
	inner := chosen.build()
	if any(inner) == nil {
		return nil, c.builtNothing()
	}
	if c.space.ignores(chosen.kernel, samples[0], inner) {
		result.Warnings = append(result.Warnings, fmt.Sprintf("what the Space's build returns (%T) does not depend on the kernel that it is given: nothing was chosen", inner))
	}
	setRidge(inner, result, n)
	c.prepare(inner, result)
	if err := folds.Fit(rest, c.typ, inner, folds.Rows[Y]{X: rows, Y: given.Y, Weights: given.Weights, Groups: given.Groups}); err != nil {
		return nil, fmt.Errorf("%T with %v: %w", inner, chosen.name, err)
	}
	result.Fits++
	return &fitted[E]{chain: chain, inner: inner, result: result}, nil
}

// heard begins what Observe hears of a Fit: rows that have a Step alone, between those of the trace.
func (c engine[Y, E]) heard(ctx context.Context) (context.Context, func(*error)) {
	if c.observe == nil {
		return progress.Begin(ctx, nil)
	}
	observe := c.observe
	ctx, end := progress.Begin(ctx, func(s progress.Step) {
		row, step := unscored(CandidateAt(NoCandidate)), stepOf(s)
		row.Done, row.Step = s.Done, &step
		observe(row)
	})
	progress.Counts(ctx)
	return ctx, end
}

// telling is Observe, of one goroutine at a time and of the share that is done.
func (c engine[Y, E]) telling(ctx context.Context) func(TraceRow) {
	if c.observe == nil {
		return nil
	}
	observe := c.observe
	return func(row TraceRow) {
		progress.Locked(ctx, func(done float64) {
			row.Done = done
			observe(row)
		})
	}
}

// fitWeighted is fit with the weights that FitWeighted was given.
func (c engine[Y, E]) fitWeighted(ctx context.Context, x mat.Matrix, y []Y, weights, target []float64, labels []int) (*fitted[E], error) {
	// Said before the search, which may be long. That Build gives nil, fit says.
	for _, e := range c.space.samples() {
		if any(e) != nil && !estimators.Supports(e, estimators.Weighted) {
			return nil, estimators.Unsupported(c.typ, e, estimators.Weighted)
		}
	}
	if err := check.Weights(c.typ, weights, len(y)); err != nil {
		return nil, err
	}
	return c.fit(ctx, x, y, weights, target, labels)
}

func (c engine[Y, E]) builtNothing() error {
	return fault.Param(c.typ, "Space", "a function that returns nil", "one that returns an estimator")
}

// prepare tells an estimator that is fitted next what the search knows of it, which the result then forgets.
func (c engine[Y, E]) prepare(inner E, r *Result) {
	if areRidgeMachines([]E{inner}) { // another learner may fit such a machine of another kernel, or to a part of the rows
		loo.StartFrom(inner, r.start)
	}
	r.forget()
	if c.fold {
		classes.FitsFold(inner)
	}
}

func (r *Result) forget() {
	r.start = loo.Start{}
	for _, o := range r.Others {
		o.forget()
	}
}

// areRidgeMachines reports whether the learners are the machines of lssvm.
func areRidgeMachines[E any](learners []E) bool {
	return !slices.ContainsFunc(learners, func(e E) bool {
		switch any(e).(type) {
		case *lssvm.Regressor, *lssvm.Classifier:
			return false
		}
		return true
	})
}

// choose searches the space and takes what has the best score.
func (c engine[Y, E]) choose(ctx context.Context, p problem) (option[E], *Result, error) {
	switch {
	case c.space.listed:
		result, err := c.searchEach(ctx, p, []kernels.Family{nil})
		if err != nil {
			return option[E]{}, nil, err
		}
		return c.space.at(nil, result.Point), result, nil
	case c.space.two != nil:
		return c.descend(ctx, p)
	}
	result, err := c.searchEach(ctx, p, c.space.families)
	if err != nil {
		return option[E]{}, nil, err
	}
	i := slices.IndexFunc(c.space.families, func(f kernels.Family) bool { return f.String() == result.Family })
	chosen, err := c.space.chosen(c.space.families[i], result.Point, result.Values)
	return chosen, result, err
}

// search makes one Run of the strategy over a family, or over the candidates.
func (c engine[Y, E]) search(ctx context.Context, p problem, shared *clock, family kernels.Family) (*Run, Choice, *Result, error) {
	p.family = family
	r := newRun(p, shared)
	r.Begin()
	choice, err := c.strategy.Choose(ctx, r)
	if err != nil {
		return nil, choice, nil, err
	}
	result, err := r.finish(c.strategy.Name(), choice)
	return r, choice, result, err
}

// searchEach searches families and returns the best result, with the others in it.
func (c engine[Y, E]) searchEach(ctx context.Context, p problem, families []kernels.Family) (*Result, error) {
	shared, err := newClock(c.typ, c.limit, c.now, len(families))
	if err != nil {
		return nil, err
	}
	var results []*Result
	taken := 0
	if chooser, ok := c.strategy.(FamilyChooser); ok && families[0] != nil {
		taken, results, err = c.chooseFamily(ctx, p, shared, chooser, families)
	} else {
		taken, results, err = c.searchInTurn(ctx, p, shared, families)
	}
	if err != nil {
		return nil, err
	}
	out := results[taken]
	for i, r := range results {
		if i != taken {
			out.Others = append(out.Others, r)
		}
	}
	return out, nil
}

// chooseFamily lets the strategy compare the families.
func (c engine[Y, E]) chooseFamily(ctx context.Context, p problem, shared *clock, chooser FamilyChooser, families []kernels.Family) (int, []*Result, error) {
	runs, results := make([]*Run, len(families)), make([]*Result, len(families))
	for i, family := range families {
		p := p
		p.family = family
		runs[i] = newRun(p, shared)
	}
	taken, choices, err := chooser.ChooseFamily(ctx, runs)
	if err == nil && (len(choices) != len(runs) || taken < 0 || taken >= len(runs)) {
		err = fault.Param("selection: "+chooser.Name(), "ChooseFamily", fmt.Sprintf("run %d and %d choices", taken, len(choices)), fmt.Sprintf("one of %d runs and a choice for each", len(runs)))
	}
	if err != nil && len(families) > 1 {
		return 0, nil, fmt.Errorf("%s: %w", c.typ, err)
	}
	for i := 0; i < len(runs) && err == nil; i++ {
		results[i], err = runs[i].finish(chooser.Name(), choices[i])
	}
	return taken, results, err
}

// searchInTurn searches one family after the other and compares them by their scores.
func (c engine[Y, E]) searchInTurn(ctx context.Context, p problem, shared *clock, families []kernels.Family) (taken int, results []*Result, err error) {
	group := progress.Open(ctx)
	for i, family := range families {
		part := ctx
		if len(families) > 1 {
			part = group.Of(i, len(families))
		}
		run, _, result, err := c.search(part, p, shared, family)
		switch {
		case len(families) == 1:
			return 0, []*Result{result}, err
		case err != nil:
			return 0, nil, fmt.Errorf("%s: family %v: %w", c.typ, family, err)
		case math.IsNaN(result.Score) && !run.cut:
			return 0, nil, fault.Param(c.typ, "Space", fmt.Sprintf("%d families", len(families)), "one, or a Search that scores what it finds, to compare them by")
		}
		if results = append(results, result); result.measure().better(result.Score, results[taken].Score) {
			taken = i
		}
	}
	return taken, results, nil
}

// try fits and scores the learner at each point. Once the budget is spent no fit is begun,
// but for those that it takes until one point has a score.
func (c engine[Y, E]) try(ctx context.Context, rows folds.Rows[Y], family kernels.Family, t trials) (tried, error) {
	score, err := c.scorer(t.metric)
	if err != nil {
		return tried{}, err
	}
	j := folds.Job[Y, E]{
		Type: c.typ, Builds: make([]func() E, len(t.points)), Steps: c.steps, Rows: rows,
		Folds: folds.Converted[folds.Fold](t.folds), Scorers: []folds.Scoring[Y, E]{score}, Workers: t.workers,
	}
	out := tried{folds: make([]int, len(t.points)), failed: make([]error, len(t.points))}
	names := make([]string, len(t.points))
	for i, p := range t.points {
		o := c.space.at(family, p)
		names[i], j.Builds[i] = o.name, o.build
		if o.kernel != nil && t.metric.Variance == nil { // a variance takes more than kernel values
			j.Kernels = append(j.Kernels, o.kernel)
		}
	}
	seconds := make([]float64, len(t.points))
	byFold := make([][]float64, len(t.points))
	for b := range byFold {
		byFold[b] = make([]float64, len(t.folds))
	}
	var scored atomic.Bool
	j.Skip = func() bool { return scored.Load() && t.budget.spent() }
	j.Observe = func(b, f int, cl folds.Cell) {
		byFold[b][f] = missing
		if cl.Err == nil {
			byFold[b][f] = cl.Scores[0]
		}
		seconds[b] += cl.FitTime.Seconds() + cl.Scored.Seconds()
		if out.folds[b]++; out.folds[b] < len(t.folds) {
			return
		}
		mean := 0.0
		for _, v := range byFold[b] { // in this order whichever came first
			mean += v / float64(len(t.folds))
		}
		if !math.IsNaN(mean) {
			scored.Store(true)
		}
		t.observe(b, mean, seconds[b])
	}
	cells, err := j.Evaluate(ctx)
	if err != nil {
		return tried{}, err
	}
	for b, row := range cells {
		for f, cl := range row {
			if cl.Err != nil && out.failed[b] == nil {
				out.failed[b] = fmt.Errorf("%v, fold %d: %w", names[b], f, cl.Err)
			}
		}
	}
	return out, nil
}

// ridgeIsOf reports whether the ridge was found on all n rows. What drawn rows like best is too
// large or too small for all.
func (r *Result) ridgeIsOf(n int) bool {
	if r.Values != nil {
		return true // a Shape gives none otherwise
	}
	i := slices.IndexFunc(r.Trace, func(t TraceRow) bool { return t.Chosen })
	return i >= 0 && r.Trace[i].Rows == n && (r.Trace[i].Basis == OnMatrix || r.Trace[i].Basis == OnPivots)
}

// setRidge gives a machine of package lssvm that is to choose its ridge the one that was found on
// all n rows, but where weights of classes make it another machine than that of the search.
func setRidge(e any, r *Result, n int) {
	if !(r.Ridge > 0) || !r.ridgeIsOf(n) {
		return
	}
	switch m := e.(type) {
	case *lssvm.Regressor:
		if m.RidgeRule == lssvm.LeaveOneOut {
			m.Ridge = cmp.Or(m.Ridge, r.Ridge)
		}
	case *lssvm.Classifier:
		if m.RidgeRule == lssvm.LeaveOneOut && (r.Values != nil || !m.Balanced && m.ClassWeights == nil) {
			m.Ridge = cmp.Or(m.Ridge, r.Ridge)
		}
	}
}

// takeRidge gives a machine of package lssvm that a Space has built the Ridge of the one that was fitted, which setRidge
// may have given it.
func takeRidge(built, fitted any) {
	switch m := built.(type) {
	case *lssvm.Regressor:
		if f, ok := fitted.(*lssvm.Regressor); ok {
			m.Ridge = f.Ridge
		}
	case *lssvm.Classifier:
		if f, ok := fitted.(*lssvm.Classifier); ok {
			m.Ridge = f.Ridge
		}
	}
}

// supports asks the fitted estimator, or before Fit all that may be built, for the wrapper.
func (c engine[Y, E]) supports(wrapper any, f *fitted[E], capability estimators.Capability) bool {
	if c.ways != nil && capability == estimators.Smoothing {
		return false // the mean of several machines is none
	}
	w := estimators.Wrapped{Steps: c.steps, Own: []estimators.Capability{estimators.Cloning, estimators.Reporting, estimators.Grouping}}
	if f != nil && f.parts == nil {
		w.Estimators = []any{f.inner}
	} else {
		for _, e := range c.space.samples() {
			w.Estimators = append(w.Estimators, e)
		}
	}
	return w.Supports(wrapper, capability)
}

func stepOf(s progress.Step) estimators.Step {
	return estimators.Step{Iteration: s.Iteration, Total: s.Total, Objective: s.Objective, Message: s.Message, Done: s.Done, Between: s.Between}
}
