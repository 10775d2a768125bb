package entropy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
)

// Defaults of Search.
const (
	defaultTolerance      = 0.02
	defaultMaxEvaluations = 40
)

// defaultTargets returns the default target entropies. Most good models lie between 0.1 and 0.5. The two targets near 0, where the
// kernel is nearly linear, are for nearly linear targets of the learner.
func defaultTargets() []float64 { return []float64{0.005, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5} }

// higherTargets returns the targets that are added if the best default target is the largest, or if the family does not reach the
// smallest.
func higherTargets() []float64 { return []float64{0.7, 0.9} }

// Search chooses among the kernels of a family whose matrices have given entropies, with a closed-form score, without fitting the
// learner. See the package documentation.
//
// A single target takes about three kernel matrices, and each of several targets about one and a third. The first matrix costs
// O(n²d), further ones O(n²), and each entropy 4n³/3, or twice that with [LeaveOneOut]. Memory is one and a half n×n matrices. With
// the weights of FitWeighted, which the scores use but the entropy does not, another 4n³/3 and another matrix are needed.
type Search struct {
	// Targets are entropies in (0, 1). If they are nil, 0.005, 0.05 and 0.1 to 0.5 are used, and also 0.7 and 0.9 if the best
	// entropy may be near them. A single target is accepted whatever its score: 0.25 suits regression, and 0.4 classification.
	Targets []float64

	// Tolerance is the largest accepted difference between an entropy and its target, > 0. It is at most a quarter of the target.
	// If it is 0, 0.02 is used.
	Tolerance float64 `zero:"0.02" below:"1"`

	// MaxEvaluations is the largest number of entropies computed for one target, ≥ 2. If it is 0, 40 is used.
	MaxEvaluations int `zero:"40" least:"2"`

	// Score selects how kernels are compared. The zero value is [LeaveOneOutEvidence].
	Score Score

	// MinRidge is the smallest ridge of a closed-form score, > 0, in units of the mean of k(x, x). If it is 0, there is no limit
	// for lssvm, whose own error is the score, and the limit is 1e-3 for other learners. NoMinRidge removes the limit for any
	// learner.
	MinRidge   float64 `zero:"the least ridge of the learner"`
	NoMinRidge bool

	// Method selects how entropies are computed. The zero value is Exact on at most 300 random rows, and the best kernels are then
	// scored on all rows. For a single target, or with [CrossValidation], the zero value is Exact up to 1000 rows, [LowRank] up to
	// 20 000, and Subsample beyond.
	Method Method

	// MaxRank is the largest number of pivots of a low-rank entropy. If it is 0, 600 is used.
	MaxRank int `zero:"600"`

	// Seed is the seed for drawing pivots and subsamples.
	Seed uint64

	// Splitter and Metric are for [CrossValidation]. If they are nil and zero, KFold{} and NMSE are used for a [Regressor], and
	// [validation.StratifiedKFold]{} and Accuracy for a [Classifier]. The Metric is also used if [LeaveOneOutEvidence] leaves the
	// decision to a cross-validation of the learner.
	Splitter validation.Splitter
	Metric   metrics.Metric
}

const searchType = "entropy: Search"

func (e *Search) withDefaults() (Search, error) {
	out := *e
	out.Tolerance, out.MaxEvaluations = cmp.Or(out.Tolerance, defaultTolerance), cmp.Or(out.MaxEvaluations, defaultMaxEvaluations)
	if err := settings.Check(searchType, e); err != nil {
		return out, err
	}
	if out.Targets != nil && len(out.Targets) == 0 {
		return out, fault.Param(searchType, "Targets", "empty", "at least one, or nil for the default")
	}
	for i, t := range out.Targets {
		if !(t > 0 && t < 1) {
			return out, fault.Param(searchType, fmt.Sprintf("Targets[%d]", i), t, "in (0, 1)")
		}
	}
	return out, nil
}

// aims returns all targets that the search may use.
func (e *Search) aims() []float64 {
	if e.Targets != nil {
		return e.Targets
	}
	return append(defaultTargets(), higherTargets()...)
}

// tolerance returns the tolerance of a target. A fixed tolerance would accept any smaller entropy for a low target.
func (e *Search) tolerance(target float64) float64 { return min(e.Tolerance, target/4) }

// Name returns "entropy".
func (e *Search) Name() string { return "entropy" }

// Choose implements [search.Strategy]. It returns ErrParam, ErrShape if all rows are equal, ErrTooLarge, the error of the learner
// if [CrossValidation] could not score anything, or ctx's error.
func (e *Search) Choose(ctx context.Context, r *search.Run) (_ search.Choice, err error) {
	defer check.Begin(&ctx)(&err)
	if r == nil {
		return search.Choice{}, search.ErrNoRun
	}
	return e.choose(ctx, r, false)
}

// choose searches a family. If rivals is set, there are other families to choose from, and it returns before the best kernel is
// scored on all rows.
func (e *Search) choose(ctx context.Context, r *search.Run, rivals bool) (search.Choice, error) {
	cfg, err := e.withDefaults()
	if err != nil {
		return search.Choice{}, err
	}
	if err := r.KernelsOnly(searchType); err != nil {
		return search.Choice{}, err
	}
	// With more rows than the first sample, the later steps take most of the time.
	later := 0.
	if n, _ := r.X.Dims(); !rivals && e.samples(n) {
		later = math.Pow(float64(n)/firstRows, 1.5) / 4
	}
	ctx, rest := progress.Two(ctx, 1, later)
	s := &state{Search: cfg, run: r}
	if s.start, err = r.Family.Start(ctx, r.X); err != nil {
		return search.Choice{}, err
	}
	form, err := cfg.form(r)
	if err != nil {
		return search.Choice{}, err
	}
	if err := rowsDiffer(r); err != nil {
		return search.Choice{}, err
	}
	s.source = newSource(&cfg, r, form)
	s.scorer = newScorer(&cfg, r, form)
	s.finder = rootFinder{integer: r.Family.Integer(), several: len(cfg.Targets) != 1, limit: cfg.MaxEvaluations,
		eval: func(param float64) (float64, error) {
			return s.evaluate(ctx, param)
		}}
	s.finder.lo, s.finder.hi = r.Family.Bounds()
	targets := cfg.Targets
	if targets == nil {
		targets = defaultTargets()
	}
	if err := s.round(ctx, targets); err != nil {
		return search.Choice{}, err
	}
	if cfg.Targets == nil && s.wantsHigher() {
		if err := s.round(ctx, higherTargets()); err != nil {
			return search.Choice{}, err
		}
	}
	if err := s.refine(); err != nil {
		return search.Choice{}, err
	}
	choice, err := s.conclude()
	if err != nil || rivals {
		return choice, err
	}
	return e.finish(rest, r, choice)
}

// shareOfFinals estimates how long the finalists of several families take, relative to the searches of these families.
func (e *Search) shareOfFinals(r *search.Run) float64 {
	n, _ := r.X.Dims()
	if !e.samples(n) {
		return .2
	}
	return math.Pow(float64(n)/firstRows, 1.5) / 4
}

// coordinate is a target and the parameter found for it.
type coordinate struct {
	target float64
	point
	status search.Status
}

// state is the state of a running search.
type state struct {
	Search
	run     *search.Run
	source  entropySource
	scorer  scorer
	start   float64
	finder  rootFinder
	asked   int     // number of targets
	found   int     // number of targets found
	current float64 // the current target, or the last one before the budget was spent
	coords  []coordinate
}

// round finds the parameters of some targets and scores them.
func (s *state) round(ctx context.Context, targets []float64) error {
	if err := s.locate(targets); err != nil {
		return err
	}
	points := make([]search.Point, len(s.coords))
	for i, c := range s.coords {
		points[i] = search.ParamPoint(c.param)
	}
	return s.scorer.score(ctx, points)
}

// wantsHigher reports whether the best default target is the largest, or whether the family does not reach the smallest.
func (s *state) wantsHigher() bool {
	if s.run.Cut() {
		return false
	}
	lowest, highest := s.coords[0], s.coords[len(s.coords)-1]
	return s.best().Entropy >= highest.entropy || lowest.status == search.StatusFloor
}

// evaluate returns the entropy at a parameter. The source records it in the trace.
func (s *state) evaluate(ctx context.Context, param float64) (float64, error) {
	aim := s.current
	if math.IsNaN(aim) {
		aim = 0
	}
	row, err := s.run.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(param), Rows: s.source.rows(), Aim: aim},
		func(ctx context.Context, row *search.TraceRow) error {
			return s.source.measure(ctx, s.run.Family.Kernel(param), row)
		})
	if row.Wide {
		s.run.Warn("the bounds of some entropies are wide at %d pivots: raise MaxRank to narrow them", row.Rank)
	}
	return row.Entropy, err
}

// locate finds the parameter of each target. It starts in the middle and proceeds outwards, so that each search starts from known
// neighbours.
func (s *state) locate(targets []float64) error {
	targets = slices.Clone(targets)
	slices.Sort(targets)
	middle := targets[len(targets)/2]
	slices.SortStableFunc(targets, func(a, b float64) int { return cmp.Compare(math.Abs(a-middle), math.Abs(b-middle)) })
	s.asked += len(targets)
	for _, target := range targets {
		if !s.run.Cut() {
			s.current = target
		}
		s.finder.tolerance = s.tolerance(target)
		point, status, err := s.finder.find(s.start, target)
		if errors.Is(err, search.ErrBudget) {
			continue // a later target may be near a known entropy
		}
		if err != nil {
			return err
		}
		s.found++
		s.take(coordinate{target, point, status})
	}
	slices.SortFunc(s.coords, func(a, b coordinate) int { return cmp.Compare(a.entropy, b.entropy) })
	return nil
}

// take records the result for a target.
func (s *state) take(c coordinate) {
	row, _ := s.run.Find(search.ParamPoint(c.param), 0)
	s.run.Annotate(row.Iteration, func(row *search.TraceRow) {
		row.Taken = append(row.Taken, search.Taken{Target: c.target, Status: c.status})
	})
	i := slices.IndexFunc(s.coords, func(o coordinate) bool { return o.param == c.param })
	switch {
	case i < 0:
		s.coords = append(s.coords, c)
	// Two targets led to the same parameter, which belongs to the nearer one.
	case math.Abs(s.coords[i].target-c.entropy) > math.Abs(c.target-c.entropy):
		s.coords[i].target, s.coords[i].status = c.target, c.status
	}
}

// refinements is the number of times that the distance between the best kernel and its neighbours is halved, in a search that
// scores all rows immediately.
const refinements = 2

// refine searches between the entropy of the best kernel and those of its neighbours.
func (s *state) refine() error {
	// If the scores do not use all rows yet, the finalists refine the choice instead.
	if n, _ := s.run.X.Dims(); len(s.Targets) == 1 || s.source.rows() > firstRows || s.samples(n) {
		return nil
	}
	for range refinements {
		if s.run.Cut() {
			return nil
		}
		best := s.best()
		if len(best.Ridges) == 0 {
			return nil
		}
		s.current = missing
		at := slices.IndexFunc(s.finder.known, func(p point) bool { return p.param == best.Param })
		u := s.finder.known[at].u
		var between []float64
		if at > 0 {
			between = append(between, (u+s.finder.known[at-1].u)/2)
		}
		if at+1 < len(s.finder.known) {
			between = append(between, (u+s.finder.known[at+1].u)/2)
		}
		for _, v := range between {
			if _, _, err := s.finder.evaluate(v); err != nil && !errors.Is(err, search.ErrBudget) {
				return err
			}
		}
	}
	return nil
}

// best returns the trace row with the best score. In a tie, or without scores, it returns the row with the lowest entropy, which
// belongs to the smoothest kernel. A closed form scores every kernel whose entropy was computed, including intermediate ones.
func (s *state) best() search.TraceRow {
	at := func(param float64) search.TraceRow {
		row, _ := s.run.Find(search.ParamPoint(param), 0)
		return row
	}
	if len(s.coords) == 1 && !s.run.Cut() {
		return at(s.coords[0].param)
	}
	// The budget may end the search before the first target is found. The target of this search is current.
	fallback, _ := s.finder.nearest(s.current)
	if len(s.coords) > 0 {
		fallback = s.coords[0].point
	}
	if len(s.Targets) == 1 {
		return at(fallback.param)
	}
	ascending := s.run.Trace()
	slices.SortStableFunc(ascending, func(a, b search.TraceRow) int { return cmp.Compare(a.Entropy, b.Entropy) })
	if l, ok := closedform.Prefer(ascending, s.Score.rule(), s.run.Labels != nil); ok {
		return at(ascending[l.Row].Param)
	}
	out := at(fallback.param)
	best := missing
	for _, row := range ascending {
		if s.scorer.measure().Better(row.Score, best) {
			out, best = at(row.Param), row.Score
		}
	}
	return out
}

// conclude makes the choice.
func (s *state) conclude() (search.Choice, error) {
	row := s.best()
	if s.Score == CrossValidation && len(s.coords) > 1 && math.IsNaN(row.Score) {
		return search.Choice{}, fmt.Errorf("%s: no point could be scored: %w", searchType, s.run.FirstFailure())
	}
	// an intermediate point of a search has no target
	out := search.Choice{Iteration: row.Iteration, Status: search.StatusOK, Target: missing, Measure: s.scorer.measure()}
	if l, ok := closedform.Prefer(s.run.Trace(), s.Score.rule(), s.run.Labels != nil); ok && l.Row+1 == row.Iteration {
		out.Ridge = l.Ridge
	} else {
		out.Ridge = row.Ridge
	}
	for _, c := range s.coords {
		if c.param == row.Param {
			out.Target, out.Status = c.target, c.status
		}
	}
	if s.run.Cut() {
		scored := 0
		for _, r := range s.run.Trace() {
			if !math.IsNaN(r.Score) {
				scored++
			}
		}
		s.run.Warn("the budget of %v ended the search: %d of %d target entropies were found, %d of %d parameters scored",
			s.run.Budget, s.found, s.asked, scored, s.run.Len())
	}
	if len(s.coords) < 2 {
		return out, nil
	}
	switch lowest, highest := s.coords[0].entropy, s.coords[len(s.coords)-1].entropy; {
	case row.Entropy <= lowest:
		s.run.Warn("the best score lies at the lowest entropy tried, %.3f: the targets may be linear in the features", row.Entropy)
	case row.Entropy >= highest:
		s.run.Warn("the best score lies at the highest entropy tried, %.3f: the kernel nearly memorises the rows", row.Entropy)
	}
	return out, nil
}

// rowsDiffer returns an ErrShape error if all rows are equal.
func rowsDiffer(r *search.Run) error {
	if n, _ := r.X.Dims(); n > 1 {
		return nil
	}
	n := 1
	if r.Distinct.Repeated() {
		n = len(r.Distinct.Index)
	}
	return fault.Shape("x has", 1, "distinct row", "%d given: the entropy is 0 at every parameter, want at least 2 that differ", n)
}

// missing is the value of quantities that were not computed.
var missing = math.NaN()
