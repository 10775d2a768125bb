package selection

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"sync/atomic"
	"time"

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
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/internal/categorical"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/internal/ridges"
	"github.com/kernelearn/kernelearn/selection/internal/scalings"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
)

// engine holds the configuration of a Regressor or Classifier, with defaults filled in. Its methods search and fit.
type engine[Y float64 | int, E folds.Learner[Y]] struct {
	search.Settings
	config   any // the Regressor or Classifier
	trail    *trail
	steps    []transformers.Transformer
	space    Space[E]
	builds   bool            // functions of the caller's Space build the estimators
	strategy search.Strategy // nil: &entropy.Search{}
	metric   metrics.Metric
	splitter validation.Splitter
	scorer   func(metrics.Metric) (folds.Scoring[Y, E], error)
	// If neither Space nor Search is set, the columns are scaled in several ways, and the models are averaged.
	scalings []scalings.Scaling
	kinds    []families.Family // kinds learnt after each scaling; the field given holds the caller's
	given    []families.Family
	single   bool // keep only the best model
	searches int  // number of searches that share the Budget
	// parts holds the part of each row. One part of equal rows is left out at a time. If parts is nil, equal rows are left out
	// together.
	parts []int
	// categories are the categorical columns of the preprocessed rows.
	categories []int
	names      []string // names of the columns of x; nil: unknown
	targetOf   Target
	signed     bool // some targets are not positive, so they have no logarithm
	mean       func(parts []*fitted[E]) E
	columns    string // the scaling of this search
	// heardBy is the caller's Observe, for code within a step. The field Observe wraps it: it adds the progress and a lock.
	heardBy func(search.TraceRow)
	// If many is not nil, it builds the machine for n rows with n > above. It also builds the machine for n > draftedFrom if the
	// system of all rows is not solved exactly.
	many               func(onSome) E
	above, draftedFrom int
	logistic           func(onSome) E       // see zeroValue
	lengths            map[string][]float64 // initial lengths from the draft, by kind
	drafting, late     bool                 // this fit is a draft; a draft showed that the system of all rows exceeds the Budget
}

// zeroValue holds functions that build the machines of a Regressor or Classifier with neither Space nor Search.
type zeroValue[E any] struct {
	machine func(kernels.Kernel) E
	mean    func(parts []*fitted[E]) E
	many    func(onSome) E
	// logistic builds a machine with logistic loss. It is nil for numbers.
	logistic func(onSome) E
}

// withDefaults fills in the space, and the strategy if there is none.
func (c engine[Y, E]) withDefaults(space Space[E], zero zeroValue[E]) engine[Y, E] {
	_, stored := space.stored()
	c.builds = !stored
	switch {
	case c.strategy == nil && space.isZero():
		c.scalings, c.mean, c.strategy = scalings.All, zero.mean, &shape.Search{}
		c.many, c.above, c.draftedFrom, c.logistic = zero.many, falkonRows, shape.MaxExactRows, zero.logistic
		if c.kinds = c.given; c.kinds == nil {
			c.kinds = defaultKinds
		}
		space = Space[E]{families: c.kinds}
	case c.strategy == nil:
		c.strategy = &entropy.Search{}
	}
	c.space = space.withDefaults(zero.machine, c.strategy)
	c.space.categories = c.categories
	return c
}

// fit searches the space and fits the chosen estimator. For a regression, target is y and labels is nil. For a classification,
// labels is y and target is nil. Weights may be nil.
func (c engine[Y, E]) fit(ctx context.Context, x mat.Matrix, y []Y, weights, target []float64, labels []int) (_ *fitted[E], err error) {
	var gaps func(int) bool
	if c.scalings != nil || len(c.steps) > 0 || c.space.listed { // the first step or the candidates fill gaps, or return an error
		gaps = check.Anywhere
	}
	xd, err := check.DenseGaps("x", x, gaps)
	if err != nil {
		return nil, fault.NameColumns(err, c.names)
	}
	if err := check.Rows("y", len(y), xd.RawMatrix().Rows); err != nil {
		return nil, err
	}
	if err := cmp.Or(check.Vector("y", target), check.Spread(c.Type, target)); err != nil {
		return nil, err
	}
	if labels != nil { // report a single class here rather than in a search or a fold
		if err := classes.AtLeastTwo(classes.Distinct(labels)); err != nil {
			return nil, err
		}
	}
	if err := settings.Check(c.Type, c.config); err != nil {
		return nil, err
	}
	if err := cmp.Or(c.validateKinds(), c.validateCategories(), c.validateTarget(), c.space.validate(c.Type)); err != nil {
		return nil, err
	}
	if c, err = c.byGroups(len(y)); err != nil {
		return nil, err
	}
	if d := xd.RawMatrix().Cols; len(c.steps) == 0 {
		for i, j := range c.categories {
			if j >= d {
				return nil, fault.Param(c.Type, fmt.Sprintf("Categories[%d]", i), j,
					fmt.Sprintf("0 to %d, the index of a column of x", d-1))
			}
		}
	}
	merged := distinct.Merge(xd, nil)
	if n := merged.Len(); !c.needsFalkon(n) {
		if err := c.holds(n); err != nil {
			return nil, err
		}
	}
	c.trail = &trail{}
	c.Begun = c.trail.begin
	defer func() {
		if err != nil {
			err = c.trail.unfinished(c.Type, err)
		}
	}()
	ctx, end := c.withSteps(ctx)
	defer end(&err)
	progress.Deadline(ctx, c.Budget, c.clock())
	c.heardBy, c.Observe = c.Observe, c.telling(ctx)
	if c.scalings != nil {
		return c.fitScalings(ctx, xd, merged, y, weights, target, labels)
	}
	first, rest := progress.Two(ctx, float64(min(1, len(c.steps))), 10)
	chain, rows, err := folds.FitChain(first, c.Type, c.steps, c.names, merged.X, targetsOf(c.steps, merged, y))
	if err != nil {
		return nil, err
	}
	rows = merged.Spread(rows)
	f, err := c.fitOn(rest, folds.Rows[Y]{X: xd, Y: y, Weights: weights, Groups: c.Groups}, chain, rows, target, labels)
	if len(c.steps) == 0 { // errors of candidates number the rows within a fold
		err = fault.NameColumns(check.GapRefused(xd, err), c.names)
	}
	return f, err
}

// clock returns the caller's clock, or that of the system.
func (c engine[Y, E]) clock() func() time.Time {
	if c.Now == nil {
		return time.Now
	}
	return c.Now
}

// byGroups validates Groups and returns the search with folds that keep groups together. Without Groups it returns c.
func (c engine[Y, E]) byGroups(n int) (engine[Y, E], error) {
	if c.Groups == nil {
		return c, nil
	}
	if err := groups.Check(c.Groups, n, 2); err != nil {
		return c, fmt.Errorf("%s: %w", c.Type, err)
	}
	c.many = nil // landmarks cannot leave out groups
	switch s := c.strategy.(type) {
	case *shape.Search:
		if c.scalings == nil {
			return c, fault.Param(c.Type, "Search", "*shape.Search", "another strategy with Groups, which Shape does not leave out")
		}
	case *entropy.Search:
		by := *s
		by.Score = entropy.CrossValidation
		c.strategy = &by
	}
	return c, nil
}

// fitOn searches with the rows that a chain has preprocessed, and fits the chosen estimator to them.
func (c engine[Y, E]) fitOn(ctx context.Context, given folds.Rows[Y], chain *pipeline.Transformer, rows *mat.Dense, target []float64,
	labels []int) (*fitted[E], error) {
	merged, given := c.merge(rows, given)
	n := merged.Len()
	needsFalkon := c.needsFalkon(n)
	var spending search.Share
	searcher := c
	if needsFalkon && c.Budget > 0 {
		shared, _ := search.NewBudget(c.Type, c.Budget, c.Now, 1) // the only possible error is a negative limit
		spending = shared.Begin()
		searcher.Budget = max(1, c.Budget/2) // the other half is for fits on landmarks
	}
	samples := c.space.samples()
	last := 1. // time of the last fit, if the search takes 4
	if needsFalkon {
		last = 4
	}
	searching, rest := progress.Two(ctx, 4, last)
	p := search.NewProblem(merged, target, labels)
	p.Settings, p.Metric, p.Splitter, p.Columns, p.Categories = searcher.Settings, c.metric, c.splitter, c.columns, c.space.categories
	p.Candidates, p.Names, p.Turns = c.space.names(), c.space.labels, c.space.turns
	p.RidgeMachine, p.Features = areRidgeMachines(samples), c.featuresOf(samples, merged, given.Y)
	p.Try = func(ctx context.Context, family families.Family, t search.Attempt) (search.Attempted, error) {
		t.Folds = validation.SpreadDistinct(t.Folds, merged)
		return c.try(ctx, given, family, t)
	}
	chosen, result, err := searcher.choose(searching, p)
	if err != nil {
		return nil, err
	}
	c.trail.result = result.Clone()
	if needsFalkon {
		inner, err := c.fitMany(rest, chosen.kernel, folds.Rows[Y]{X: rows, Y: given.Y, Weights: given.Weights, Groups: given.Groups}, n,
			result,
			spending)
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
		result.Warnings = append(result.Warnings,
			fmt.Sprintf("what the Space's build returns (%T) does not depend on the kernel that it is given: nothing was chosen", inner))
	}
	ridges.Set(inner, result, n)
	c.prepare(inner, result)
	if err := folds.Fit(rest, c.Type, inner, folds.Rows[Y]{X: rows, Y: given.Y, Weights: given.Weights, Groups: given.Groups}); err != nil {
		return nil, fmt.Errorf("%T with %v: %w", inner, chosen.name, err)
	}
	result.Fits++
	return &fitted[E]{chain: chain, inner: inner, result: result}, nil
}

// withSteps connects Observe to the progress of a Fit. Between the rows of the trace, Observe also receives rows that hold only a
// Step.
func (c engine[Y, E]) withSteps(ctx context.Context) (context.Context, func(*error)) {
	if c.Observe == nil {
		return progress.Begin(ctx, nil)
	}
	observe := c.Observe
	ctx, end := progress.Begin(ctx, func(s progress.Step) {
		row, step := search.NewRow(search.CandidatePoint(search.NoCandidate)), stepOf(s)
		row.Done, row.Step = s.Done, &step
		observe(row)
	})
	progress.Counts(ctx)
	return ctx, end
}

// telling returns a function that calls Observe with the completed share, from one goroutine at a time.
func (c engine[Y, E]) telling(ctx context.Context) func(search.TraceRow) {
	if c.Observe == nil {
		return nil
	}
	observe := c.Observe
	return func(row search.TraceRow) {
		progress.Locked(ctx, func(done float64) {
			row.Done = done
			observe(row)
		})
	}
}

// fitWeighted is like fit, with the weights of FitWeighted.
func (c engine[Y, E]) fitWeighted(ctx context.Context, x mat.Matrix, y []Y, weights, target []float64, labels []int) (*fitted[E], error) {
	// Report a learner without weights before the search, which may be long. If Build returns nil, fit reports it.
	for _, e := range c.space.samples() {
		if any(e) != nil && !estimators.Supports(e, estimators.Weighted) {
			return nil, estimators.Unsupported(c.Type, e, estimators.Weighted)
		}
	}
	if err := check.Weights(c.Type, weights, len(y)); err != nil {
		return nil, err
	}
	return c.fit(ctx, x, y, weights, target, labels)
}

func (c engine[Y, E]) builtNothing() error {
	return fault.Param(c.Type, "Space", "a function that returns nil", "one that returns an estimator")
}

// prepare passes the results of the search to the estimator that is fitted next, and removes them from the result.
func (c engine[Y, E]) prepare(inner E, r *search.Result) {
	start := r.TakeStart()
	start.Parts = c.parts
	if areRidgeMachines([]E{inner}) { // other learners may fit the machine with another kernel, or to a part of the rows
		loo.StartFrom(inner, start)
	}
	if c.Fold {
		classes.FitsFold(inner)
	}
}

// areRidgeMachines reports whether the learners are machines of lssvm.
func areRidgeMachines[E any](learners []E) bool {
	return !slices.ContainsFunc(learners, func(e E) bool {
		switch any(e).(type) {
		case *lssvm.Regressor, *lssvm.Classifier:
			return false
		}
		return true
	})
}

// choose searches the space and returns the option with the best score.
func (c engine[Y, E]) choose(ctx context.Context, p search.Problem) (option[E], *search.Result, error) {
	switch {
	case c.space.listed:
		result, err := c.searchEach(ctx, p, []families.Family{nil})
		if err != nil {
			return option[E]{}, nil, err
		}
		return c.space.option(nil, result.Point), result, nil
	case c.space.two != nil:
		return c.descend(ctx, p)
	}
	searched := c.space.families
	if _, learns := c.strategy.(*shape.Search); !learns {
		searched, p.Categories = categorical.Families(searched, p.X, p.Categories), nil
	}
	result, err := c.searchEach(ctx, p, searched)
	if err != nil {
		return option[E]{}, nil, err
	}
	i := slices.IndexFunc(c.space.families, func(f families.Family) bool { return f.String() == result.Family })
	if f, ok := searched[i].(categorical.Family); ok {
		result.Values = f.Values(result.Point.Param)
	}
	chosen, err := c.space.chosen(c.space.families[i], result.Point, result.Values)
	return chosen, result, err
}

// search runs the strategy once, over a family or over the candidates.
func (c engine[Y, E]) search(ctx context.Context, p search.Problem, shared *search.Budget, family families.Family) (*search.Run,
	search.Choice, *search.Result, error) {
	p.Family = family
	r := search.New(p, shared)
	r.Begin()
	choice, err := c.strategy.Choose(ctx, r)
	if err != nil {
		return nil, choice, nil, err
	}
	result, err := r.Finish(c.strategy.Name(), choice)
	return r, choice, result, err
}

// searchEach searches each family separately. It returns the best result, whose Others holds the other results.
func (c engine[Y, E]) searchEach(ctx context.Context, p search.Problem, families []families.Family) (*search.Result, error) {
	shared, err := search.NewBudget(c.Type, c.Budget, c.Now, len(families))
	if err != nil {
		return nil, err
	}
	var results []*search.Result
	taken := 0
	if chooser, ok := c.strategy.(search.FamilyChooser); ok && families[0] != nil {
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
func (c engine[Y, E]) chooseFamily(ctx context.Context, p search.Problem, shared *search.Budget, chooser search.FamilyChooser,
	families []families.Family) (int, []*search.Result, error) {
	runs, results := make([]*search.Run, len(families)), make([]*search.Result, len(families))
	for i, family := range families {
		p := p
		p.Family = family
		runs[i] = search.New(p, shared)
	}
	taken, choices, err := chooser.ChooseFamily(ctx, runs)
	if err == nil && (len(choices) != len(runs) || taken < 0 || taken >= len(runs)) {
		err = fault.Param("selection: "+chooser.Name(), "ChooseFamily", fmt.Sprintf("run %d and %d choices", taken, len(choices)),
			fmt.Sprintf("one of %d runs and a choice for each", len(runs)))
	}
	if err != nil && len(families) > 1 {
		return 0, nil, fmt.Errorf("%s: %w", c.Type, err)
	}
	for i := 0; i < len(runs) && err == nil; i++ {
		results[i], err = runs[i].Finish(chooser.Name(), choices[i])
	}
	return taken, results, err
}

// searchInTurn searches the families one after the other and compares their scores.
func (c engine[Y, E]) searchInTurn(ctx context.Context, p search.Problem, shared *search.Budget,
	families []families.Family) (taken int, results []*search.Result, err error) {
	group := progress.Open(ctx)
	for i, family := range families {
		part := ctx
		if len(families) > 1 {
			part = group.Step(i, len(families))
		}
		run, _, result, err := c.search(part, p, shared, family)
		switch {
		case len(families) == 1:
			return 0, []*search.Result{result}, err
		case err != nil:
			return 0, nil, fmt.Errorf("%s: family %v: %w", c.Type, family, err)
		case math.IsNaN(result.Score) && !run.Cut():
			return 0, nil, fault.Param(c.Type, "Space", fmt.Sprintf("%d families", len(families)),
				"one, or a Search that scores what it finds, to compare them by")
		}
		if results = append(results, result); result.Measure().Better(result.Score, results[taken].Score) {
			taken = i
		}
	}
	return taken, results, nil
}

// try fits and scores the learner at each point. After the budget is spent, it starts a fit only if no point has a score yet.
func (c engine[Y, E]) try(ctx context.Context, rows folds.Rows[Y], family families.Family, t search.Attempt) (search.Attempted, error) {
	score, err := c.scorer(t.Metric)
	if err != nil {
		return search.Attempted{}, err
	}
	j := folds.Job[Y, E]{
		Type: c.Type, Builds: make([]func() E, len(t.Points)), Steps: c.steps, Names: c.names, Rows: rows,
		Folds: folds.Converted[folds.Fold](t.Folds), Scorers: []folds.Scoring[Y, E]{score}, Workers: t.Workers,
	}
	out := search.Attempted{Folds: make([]int, len(t.Points)), Failed: make([]error, len(t.Points))}
	names := make([]string, len(t.Points))
	for i, p := range t.Points {
		o := c.space.option(family, p)
		names[i], j.Builds[i] = o.name, o.build
		if o.kernel != nil && t.Metric.Variance == nil { // a metric that uses variances needs more than kernel values
			j.Kernels = append(j.Kernels, o.kernel)
		}
	}
	seconds := make([]float64, len(t.Points))
	byFold := make([][]float64, len(t.Points))
	for b := range byFold {
		byFold[b] = make([]float64, len(t.Folds))
	}
	var scored atomic.Bool
	j.Skip = func() bool { return scored.Load() && t.Share.Spent() }
	j.Observe = func(b, f int, cl folds.Cell) {
		byFold[b][f] = math.NaN()
		if cl.Err == nil {
			byFold[b][f] = cl.Scores[0]
		}
		seconds[b] += cl.FitTime.Seconds() + cl.Scored.Seconds()
		if out.Folds[b]++; out.Folds[b] < len(t.Folds) {
			return
		}
		mean := 0.0
		for _, v := range byFold[b] { // in the order of folds, regardless of scheduling
			mean += v / float64(len(t.Folds))
		}
		if !math.IsNaN(mean) {
			scored.Store(true)
		}
		t.Observe(b, mean, seconds[b])
	}
	cells, err := j.Evaluate(ctx)
	if err != nil {
		return search.Attempted{}, err
	}
	for b, row := range cells {
		for f, cl := range row {
			if cl.Err != nil && out.Failed[b] == nil {
				out.Failed[b] = fmt.Errorf("%v, fold %d: %w", names[b], f, cl.Err)
			}
		}
	}
	return out, nil
}

// supports reports whether the wrapper has a capability. After Fit, the fitted estimator must have it. Before Fit, all estimators
// that may be built must have it.
func (c engine[Y, E]) supports(wrapper any, f *fitted[E], capability estimators.Capability) bool {
	if c.scalings != nil && capability == estimators.Smoothing {
		return false // a mean of several machines does not have it
	}
	switch {
	case capability == estimators.Categorizing && len(c.steps) > 0: // it refers to columns of x, which steps may move
		return estimators.Supports(c.steps[0], capability)
	case capability == estimators.Categorizing:
		_, ok := c.strategy.(*shape.Search)
		return ok
	}
	w := estimators.Wrapped{Steps: c.steps, Own: []estimators.Capability{estimators.Reporting, estimators.Grouping, estimators.Naming}}
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
	return estimators.Step{Iteration: s.Iteration, Total: s.Total, Objective: s.Objective, Message: s.Message, Done: s.Done,
		Between: s.Between}
}

// holds returns an error if a learner that can check the number of rows cannot hold this many. Otherwise a long search would end
// with that error.
func (c engine[Y, E]) holds(rows int) error {
	for i, e := range c.space.samples() {
		asked, ok := any(e).(interface{ CheckRowCount(rows int) error })
		if !ok || check.IsNil(e) {
			continue
		}
		if err := asked.CheckRowCount(rows); err != nil {
			if c.space.listed && c.space.labels != nil {
				return fmt.Errorf("%s: candidate %d, %s: %w", c.Type, i, c.space.labels[i], err)
			}
			return fmt.Errorf("%s: %w", c.Type, err)
		}
	}
	return nil
}
