package selection

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// Defaults of Entropy.
const (
	DefaultTolerance      = 0.02
	DefaultMaxEvaluations = 40
	// DefaultMinRidge is the least ridge of the closed-form scores for learners other than
	// lssvm. Those machines, among them the sparse ones, cannot make use of eigenvalues that
	// much smaller than the diagonal, as kernel ridge regression can where targets are free
	// of noise, and do badly with the smooth kernels that those scores would then like best.
	DefaultMinRidge = 1e-3
)

// DefaultTargets returns the entropies that Entropy looks for: 0.1 to 0.5, where
// good models mostly lie, and two near 0, where the kernel is nearly linear, for
// targets that are nearly linear too.
func DefaultTargets() []float64 { return []float64{0.005, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5} }

// HigherTargets returns those that are added where the best of the default ones
// is the last, or where the family does not come down to the first.
func HigherTargets() []float64 { return []float64{0.7, 0.9} }

// Entropy chooses among the kernels of a family whose matrices have given
// entropies, by a closed-form score, without fitting the learner. See the package
// documentation.
//
// A parameter is found in about two kernel matrices. The first costs O(n²d) to make, the
// others O(n²), and each 4n³/3 for its entropy, twice that with LeaveOneOut; memory is one
// and a half n×n matrices.
// With the weights of a FitWeighted, which the entropy does not know and the scores
// do, it is another 4n³/3 and another matrix.
type Entropy struct {
	// Targets in (0, 1); nil: DefaultTargets, with HigherTargets where those call
	// for them. A single target is taken as it is found, whatever its score: 0.25
	// suits regression, 0.4 classification.
	Targets        []float64
	Tolerance      float64 // of an entropy, > 0; 0: DefaultTolerance, a quarter of a target below 0.08
	MaxEvaluations int     // entropies for one target, ≥ 2; 0: DefaultMaxEvaluations
	Score          Score   // zero: LeaveOneOut
	// MinRidge is the least ridge that a closed-form score takes, in units of the mean
	// k(x, x); 0: none for lssvm, whose own score it is, and DefaultMinRidge for other
	// learners; negative: none.
	MinRidge float64
	// Method is how entropies are computed; zero: Exact up to ExactRows rows, LowRank up
	// to LowRankRows, and Subsample beyond.
	Method  Method
	MaxRank int    // pivots of a low-rank entropy; 0: measures.DefaultMaxRank
	Seed    uint64 // of pivots and subsamples
	// Splitter and Metric are those of CrossValidation; nil and zero: KFold{} and
	// NMSE for a Regressor, StratifiedKFold{} and Accuracy for a Classifier.
	Splitter       Splitter
	Metric         metrics.Metric
	Workers        int   // goroutines; 0: GOMAXPROCS
	MaxKernelBytes int64 // limit on a kernel matrix; 0: kernels.MaxKernelBytes
	// Budget is the time after which the search begins no further kernel matrix or fit
	// and takes the best of what it has scored, or of a single target the nearest
	// entropy; 0: none. One entropy is computed in any case, and where CrossValidation
	// has a choice, one parameter scored. What is done in time, and so what is chosen,
	// depends on the machine. A deadline of ctx stays an error.
	Budget time.Duration
	// Observe, if not nil, is called after each entropy, and again after each
	// parameter that CrossValidation has scored, by one goroutine at a time.
	Observe func(TraceRow)
	// Resume holds rows of the trace of an earlier search of this configuration for the
	// same rows and targets, as Observe got them or Result has them: what they say is not
	// computed again, and the Result is that of a search that was never ended, seconds
	// included. That they are of the same search cannot be checked.
	Resume []TraceRow

	now func() time.Time // nil: time.Now
}

func (e *Entropy) withDefaults() (Entropy, error) {
	const typ = "selection: Entropy"
	out := *e
	if out.Tolerance == 0 {
		out.Tolerance = DefaultTolerance
	}
	if out.MaxEvaluations == 0 {
		out.MaxEvaluations = DefaultMaxEvaluations
	}
	switch {
	case !(out.Tolerance > 0 && out.Tolerance < 1):
		return out, fault.Param(typ, "Tolerance", out.Tolerance, "in (0, 1), or 0 for the default")
	case out.MaxEvaluations < 2:
		return out, fault.Param(typ, "MaxEvaluations", out.MaxEvaluations, ">= 2, or 0 for the default")
	case out.Score < LeaveOneOut || out.Score > CrossValidation:
		return out, fault.Param(typ, "Score", int(out.Score), "LeaveOneOut, LogEvidence or CrossValidation")
	case out.Method < Automatic || out.Method > Subsample:
		return out, fault.Param(typ, "Method", int(out.Method), "Automatic, Exact, LowRank or Subsample")
	case math.IsNaN(out.MinRidge) || math.IsInf(out.MinRidge, 1):
		return out, fault.Param(typ, "MinRidge", out.MinRidge, "finite, 0 for the default, or negative for none")
	case out.MaxRank < 0:
		return out, fault.Param(typ, "MaxRank", out.MaxRank, ">= 1, or 0 for the default")
	case out.MaxKernelBytes < 0:
		return out, fault.Param(typ, "MaxKernelBytes", out.MaxKernelBytes, ">= 0")
	case out.Targets != nil && len(out.Targets) == 0:
		return out, fault.Param(typ, "Targets", "empty", "at least one, or nil for the default")
	}
	for i, t := range out.Targets {
		if !(t > 0 && t < 1) {
			return out, fault.Param(typ, fmt.Sprintf("Targets[%d]", i), t, "in (0, 1)")
		}
	}
	return out, nil
}

// coordinate is a target and the parameter that was found for it.
type coordinate struct {
	target float64
	point
	status Status
}

// entropySearch is the state of one search.
type entropySearch struct {
	Entropy
	p        *problem
	clock    budget
	cut      bool // the budget refused some work
	asked    int  // targets
	found    int  // of them
	start    float64
	finder   rootFinder
	current  float64    // the target that is being looked for, or was when the budget ran out
	centred  *mat.Dense // what a closed form scores against, n×k; nil without one
	variance float64    // the sum of its columns' variances
	rows     []TraceRow
	byParam  map[float64]int // the trace row of a parameter
	coords   []coordinate
	failed   error // the last of the learner's, if any fit failed
	out      *Result

	known      resumed
	method     Method
	aims       []float64    // all targets, for bounds to decide
	subsamples []*mat.Dense // of the rows, for Subsample

	all    *kernels.Shared // of all rows, for Exact
	sample *kernels.Shared // of ScoreRows rows
	drawn  []int           // which those are
	ahead  map[float64]rowScore
	// onSample says that scores are of those rows, and not of all by pivots.
	onSample bool
}

// errSpent is evaluate's for an entropy that the budget does not allow.
var errSpent = errors.New("the budget is spent")

func (e *Entropy) search(ctx context.Context, p *problem) (*Result, error) {
	cfg, err := e.withDefaults()
	if err != nil {
		return nil, err
	}
	clock, err := p.begin("selection: Entropy", cfg.Budget, cfg.now)
	if err != nil {
		return nil, err
	}
	s := &entropySearch{Entropy: cfg, p: p, clock: clock, byParam: map[float64]int{}, known: newResumed(cfg.Resume, p.name()), out: &Result{Strategy: "entropy", Ridge: missing, Score: missing}}
	n, _ := p.x.Dims()
	ceiling := measures.EntropyCeiling(p.x)
	if ceiling.Entropy == 0 {
		return nil, fault.Shape("x has", 1, "distinct row", "%d given: the entropy is 0 at every parameter, want at least 2 that differ", n)
	}
	if s.start, err = p.family.Start(ctx, p.x); err != nil {
		return nil, err
	}
	s.finder = rootFinder{integer: p.family.Integer(), limit: cfg.MaxEvaluations, eval: func(param float64) (float64, error) {
		return s.evaluate(ctx, param)
	}}
	s.finder.lo, s.finder.hi = p.family.Bounds()
	switch {
	case s.MinRidge < 0:
		s.MinRidge = 0
	case s.MinRidge == 0 && !p.ridgeMachine:
		s.MinRidge = DefaultMinRidge
	}
	if err := s.prepareScore(); err != nil {
		return nil, err
	}
	s.prepareMethod()
	targets := cfg.Targets
	if targets == nil {
		targets = DefaultTargets()
	}
	if err := s.round(ctx, targets, ceiling.Entropy); err != nil {
		return nil, err
	}
	if cfg.Targets == nil && s.wantsHigher() {
		if err := s.round(ctx, HigherTargets(), ceiling.Entropy); err != nil {
			return nil, err
		}
	}
	if err := s.finish(); err != nil {
		return nil, err
	}
	s.out.Seconds = clock.seconds()
	return s.out, nil
}

// round finds the parameters of some targets and scores them.
func (s *entropySearch) round(ctx context.Context, targets []float64, ceiling float64) error {
	if err := s.locate(ctx, targets, ceiling); err != nil {
		return err
	}
	if err := s.scoreLowRank(ctx); err != nil {
		return err
	}
	return s.crossValidate(ctx)
}

// wantsHigher reports whether the best of the default targets is the last, or the
// family does not come down to the first.
func (s *entropySearch) wantsHigher() bool {
	if s.cut {
		return false
	}
	lowest, highest := s.coords[0], s.coords[len(s.coords)-1]
	return s.rows[s.best()].Entropy >= highest.entropy || lowest.status == StatusFloor
}

// evaluate returns the entropy at a parameter, and writes it into the trace with
// the score where that has a closed form.
func (s *entropySearch) evaluate(ctx context.Context, param float64) (float64, error) {
	if len(s.rows) > 0 && s.clock.spent() {
		return 0, errSpent
	}
	begun := s.clock.seconds()
	row, known := s.recall(param)
	var err error
	switch {
	case known:
	case s.method == LowRank:
		err = s.lowRank(ctx, &row)
	case s.method == Subsample:
		err = s.subsampled(ctx, &row)
	default:
		err = s.exact(ctx, &row)
	}
	if err != nil {
		return 0, err
	}
	capped := row.Decision
	row.Decision = fmt.Sprintf("towards entropy %.3g", s.current) + capped
	if !known {
		row.Seconds = s.clock.seconds() - begun
	}
	s.byParam[param] = len(s.rows)
	s.rows = append(s.rows, row)
	s.out.Evaluations++
	if s.Observe != nil {
		s.Observe(row)
	}
	return row.Entropy, ctx.Err()
}

// recall returns the row of an entropy that an earlier search has computed, or an empty
// one.
func (s *entropySearch) recall(param float64) (row TraceRow, ok bool) {
	rows, _ := s.p.x.Dims()
	if s.method == Subsample {
		rows, _ = s.subsamples[0].Dims()
	}
	row, ok = s.known.entropy(param, rows)
	if !ok {
		return s.p.unscored(len(s.rows)+1, param, 0), false
	}
	row.Iteration = len(s.rows) + 1
	row.Decision = said(row.Decision, "bounds still wide")
	if row.Decision != "" {
		s.undecided(row.Rank)
	}
	if s.method == Exact {
		s.out.KernelMatrices++
	}
	if s.method != Exact || s.Score == CrossValidation {
		row.Score, row.Ridge = missing, missing // crossValidate and scoreLowRank recall them
	}
	return row, true
}

// exact fills a row from the whole kernel matrix.
func (s *entropySearch) exact(ctx context.Context, row *TraceRow) error {
	if s.all == nil {
		var err error
		if s.all, err = kernels.Share(ctx, s.p.x, &kernels.Options{Workers: s.Workers, MaxBytes: s.MaxKernelBytes}); err != nil {
			return err
		}
	}
	k, err := s.all.Matrix(ctx, s.p.family.At(row.Param))
	if err != nil {
		return err
	}
	s.out.KernelMatrices++
	row.Rows = k.SymmetricDim()
	spectrum, score, ridge, err := s.judge(ctx, k)
	if err != nil {
		return err
	}
	row.EntropyLow, row.Entropy, row.EntropyHigh = spectrum.Entropy, spectrum.Entropy, spectrum.Entropy
	row.Bits, row.EffectiveRank = spectrum.Bits, spectrum.EffectiveRank
	row.Score, row.Ridge = score, ridge
	return nil
}

// locate finds the parameter of each target, from the middle one outwards so
// that each starts from known neighbours.
func (s *entropySearch) locate(ctx context.Context, targets []float64, ceiling float64) error {
	targets = slices.Clone(targets)
	slices.Sort(targets)
	middle := targets[len(targets)/2]
	slices.SortStableFunc(targets, func(a, b float64) int { return cmp.Compare(math.Abs(a-middle), math.Abs(b-middle)) })
	s.asked += len(targets)
	for _, target := range targets {
		// Equal rows cap the entropy. Just below the cap the kernel has told all
		// rows apart that differ, and no parameter gets further.
		aim, capped := target, false
		if cap := 0.95 * ceiling; target > cap {
			aim, capped = cap, true
			s.warn(fmt.Sprintf("equal rows cap the entropy at %.3f: looked for %.3f in place of %.3g", ceiling, aim, target))
		}
		if !s.cut {
			s.current = aim
		}
		s.finder.tolerance = s.tolerance(aim)
		point, status, err := s.finder.find(s.start, aim)
		if errors.Is(err, errSpent) {
			s.cut = true
			continue // a later target may lie where an entropy is known
		}
		if err != nil {
			return err
		}
		s.found++
		if capped {
			status = StatusCeiling
		}
		row := &s.rows[s.byParam[point.param]]
		row.Decision += fmt.Sprintf("; taken for %.3g (%s)", target, status)
		if i := slices.IndexFunc(s.coords, func(c coordinate) bool { return c.param == point.param }); i >= 0 {
			// Two targets ended at one parameter; it belongs to the nearer.
			if math.Abs(s.coords[i].target-point.entropy) > math.Abs(target-point.entropy) {
				s.coords[i].target, s.coords[i].status = target, status
			}
			continue
		}
		s.coords = append(s.coords, coordinate{target, point, status})
	}
	slices.SortFunc(s.coords, func(a, b coordinate) int { return cmp.Compare(a.entropy, b.entropy) })
	return nil
}

func (s *entropySearch) warn(text string) {
	if !slices.Contains(s.out.Warnings, text) {
		s.out.Warnings = append(s.out.Warnings, text)
	}
}

// best returns the trace row of the best score; of equal ones, or where none has
// a score, that of the lowest entropy: the smoothest kernel. A closed form scores
// every kernel whose entropy was computed, also those met on the way.
func (s *entropySearch) best() int {
	if len(s.coords) == 1 && !s.cut {
		return s.byParam[s.coords[0].param]
	}
	// The budget may end the search before the first target is found, and current is
	// the one it was after.
	fallback, _ := s.finder.nearest(s.current)
	if len(s.coords) > 0 {
		fallback = s.coords[0].point
	}
	if len(s.Targets) == 1 {
		return s.byParam[fallback.param]
	}
	order := make([]int, len(s.rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.rows[a].Entropy, s.rows[b].Entropy) })
	scores := make([]float64, len(order))
	for i, at := range order {
		scores[i] = s.rows[at].Score
	}
	if i := best(s.metric(), scores); i >= 0 {
		return order[i]
	}
	return s.byParam[fallback.param]
}

// finish writes the choice into the result.
func (s *entropySearch) finish() error {
	at := s.best()
	row := &s.rows[at]
	if s.Score == CrossValidation && len(s.coords) > 1 && math.IsNaN(row.Score) {
		return fmt.Errorf("selection: Entropy: no parameter could be scored: %w", s.failed)
	}
	row.Decision += ": chosen"
	o := s.out
	o.Param, o.Entropy, o.Bits = row.Param, row.Entropy, row.Bits
	o.Target, o.Status = missing, StatusOK // met on the way to a target
	for _, c := range s.coords {
		if c.param == row.Param {
			o.Target, o.Status = c.target, c.status
		}
	}
	o.Score, o.ScoreName, o.LargerIsBetter, o.Ridge = row.Score, s.metric().Name, s.metric().LargerIsBetter, row.Ridge
	o.Trace = s.rows
	if s.cut {
		o.Status = StatusBudget
		scored := 0
		for _, r := range s.rows {
			if !math.IsNaN(r.Score) {
				scored++
			}
		}
		s.warn(fmt.Sprintf("the budget of %v ended the search: %d of %d target entropies were found, %d of %d parameters scored",
			s.Budget, s.found, s.asked, scored, len(s.rows)))
	}
	if len(s.coords) < 2 {
		return nil
	}
	switch lowest, highest := s.coords[0].entropy, s.coords[len(s.coords)-1].entropy; {
	case row.Entropy <= lowest:
		s.warn(fmt.Sprintf("the best score lies at the lowest entropy looked at, %.3f: the targets may be linear in the features", row.Entropy))
	case row.Entropy >= highest:
		s.warn(fmt.Sprintf("the best score lies at the highest entropy looked at, %.3f: the kernel nearly memorises the rows", row.Entropy))
	}
	return nil
}
