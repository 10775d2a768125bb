package shape

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/enum"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/learning"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/numeral"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/internal/targets"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/internal/closedform"
	"github.com/kernelearn/kernelearn/selection/search"
)

const searchType = "shape: Search"

// Objective is what a Search maximises.
type Objective int

// The objectives. All are of the machine of package lssvm, with a free constant, and have
// exact gradients; formulas and sources stand in the documentation of the package.
const (
	// AutomaticObjective is [LaplaceEvidence] for up to six classes, [LeaveOneOutError] for more, where the evidence of
	// targets ±1 would grow with the flatness of the kernel, and [RestrictedEvidence] for numeric targets. From Lengths,
	// which another kernel has learnt, it is RestrictedEvidence for up to six classes too: beside a kernel that Laplace's
	// evidence has chosen, one that another objective chooses adds more, and costs less. docs/measured/shape.md has the
	// comparison that this choice is based on.
	AutomaticObjective Objective = iota
	// RestrictedEvidence is the log evidence of a Gaussian process for the contrasts of the
	// targets, which do not know the constant, at its best variance.
	RestrictedEvidence
	// FullEvidence is the log evidence at the best constant and variance.
	FullEvidence
	// LeaveOneOutError is the mean squared leave-one-out residual E, as -n/2 ln E of n rows.
	LeaveOneOutError
	// LeaveOneOutDensity is the log density that the other rows predict for each.
	LeaveOneOutDensity
	// LeaveOneOutLogistic is minus the sum of the logistic losses ln(1 + exp(-t y f)) of what the
	// other rows predict for two classes y = ±1. Its slope t is learnt with the lengths.
	LeaveOneOutLogistic
	// LaplaceEvidence is Laplace's approximation of the log evidence of a Gaussian process
	// classifier with the logistic link; of more than two classes the sum of those of each
	// against the rest. Its ridge is one over the variance of the log odds; the machine that is
	// fitted chooses its own. A value costs some eight Cholesky factors for each class.
	LaplaceEvidence
	// ComplexityRegularised is the objective of Meanti, Carratino, De Vito and Rosasco (AISTATS 2022) of ridge
	// regression on landmarks, whatever the number of rows: the penalised error, more by what the landmarks leave of
	// the kernel, and σ² times the effective dimension, for which the least generalised cross-validation is taken.
	// Their code has σ² = 1 for targets of any unit. The climb starts with [RestrictedEvidence]. Rows have no weights.
	ComplexityRegularised
)

// objectives are what the objectives are called in a Result, and the objectives of package learning that are climbed.
var objectives = map[Objective]struct {
	kind    learning.Kind
	measure string
}{
	RestrictedEvidence: {learning.Restricted, "restricted log evidence"},
	FullEvidence:       {learning.Full, "log evidence"},
	LeaveOneOutError:   {learning.LeaveOneOut, "log leave-one-out error, negated"},
	LeaveOneOutDensity: {learning.Density, "leave-one-out log density"},

	LeaveOneOutLogistic: {learning.Logistic, "leave-one-out logistic loss, negated"},
	LaplaceEvidence:     {learning.Laplace, "Laplace's log evidence"},

	ComplexityRegularised: {learning.Restricted, "log complexity-regularised error, negated"},
}

// String returns the constant's name.
func (o Objective) String() string {
	return enum.Name("Objective", int(o), "AutomaticObjective", "RestrictedEvidence", "FullEvidence", "LeaveOneOutError",
		"LeaveOneOutDensity", "LeaveOneOutLogistic", "LaplaceEvidence", "ComplexityRegularised")
}

const (
	defaultMaxRows        = 2000
	laplaceClasses        = 6
	startRows             = 300 // of which the search for one length is
	randomBlock           = 700
	localBlocks, localRow = 4, 250
)

// Search learns a length for each column, and the ridge, by the gradient of an objective: an
// [Objective], less a penalty that keeps a length near that of all columns unless the rows say
// otherwise. The kernels of the family need a length and derivatives, as RBF, Matern, Laplacian
// and RationalQuadratic have them; other parameters of theirs are learnt with the lengths. The
// columns should be of comparable scale, as after scalers.StandardScaler. Of columns that the caller says are
// categories only equality counts, as in [kernels.ARD], and their lengths are learnt with the others.
//
// The search starts with one length for all columns: those of a grid on up to 300 rows, and a
// climb from the best, or what Start chooses. From there a quasi-Newton method (L-BFGS) climbs
// with all of them. The penalty is the logarithm of a Student t density with three degrees of
// freedom around the start: without it the lengths follow the noise of few rows. Each value
// with its gradient costs a kernel matrix, a Cholesky factor and an inverse, n³ + 4n²d
// multiplications for n rows of d columns; 10 to 60 of them are usual. With many more columns than
// rows the columns outweigh: 200 rows of 5000 columns cost as much as 900 rows of ten. No column is
// left out for that; Budget and MaxIterations end a search sooner, and a few steps show which
// columns count. A constant column keeps the length of the start.
//
// Such a climb ends on the nearest top. A wave or a product of two columns, hidden among others, is not seen from one
// length for all columns. So the search then looks, on up to 300 rows and by [RestrictedEvidence], whether there is a
// clearly higher top elsewhere: one of which a row has 0.125 more log evidence, a fifth less error. It climbs from one
// short length for all columns, and from the best place with the length of one column short, that with which the
// evidence is largest, again and again. If the few rows say next to nothing, more are asked. A kernel matrix and three
// factors for each column are the cost, up to 256 columns; beyond, lengths are not shortened one by one. Tops that are
// about as high are left alone, since the error does not follow the evidence there. docs/measured/hidden.md has what
// this finds, and NoRestarts leaves it out.
//
// Of more than MaxRows rows the objective is the sum over a random block of 700 rows and four of 250
// neighbours each, but those whose targets are all the same. What was learnt there is then compared
// with one length for all columns on all rows, by the leave-one-out error on the features of up to 1000
// pivots, and the better is kept; the machine that is fitted chooses its ridge on all rows.
//
// Of more than 5000 rows, with [AutomaticObjective] or [LeaveOneOutError], those lengths are a start alone: from
// there, and from the best of three lengths for all columns, the leave-one-out error of ridge regression on 300
// landmarks is climbed over 2000 other rows, with its exact gradient, and from the better of both that on 600
// landmarks over 6000. A value with its gradient costs about ten times rows × landmarks² multiplications.
//
// From Lengths, of more than MaxRows rows the objective is that of so many random ones, and nothing else is looked at: lengths that are
// known to be near need no blocks, and of so many rows the exact objective learns better lengths than landmarks.
//
// Numeric targets are in units of the power of two below the largest of them, less their mean, so that the unit they come
// in changes nothing. The values of an objective in the trace are of those. With classes the targets are ±1, of more than
// two for each against the rest.
type Search struct {
	// Objective is the objective. If it is the zero value, it depends on the task, see [AutomaticObjective].
	Objective Objective

	// Start finds one length for all columns. If it is nil, this is done by the grid and the climb described above. A
	// strategy that searches one parameter, such as an entropy.Search, can be used instead.
	Start search.Strategy

	// Lengths, if not nil, has a length for each column from which the climb begins, such as those that were learnt with a
	// kernel of another family: the best of some multiples of them, from half to 16 times, on up to 300 rows. The penalty
	// keeps them near their geometric mean. Neither Start nor any other start is looked at then.
	Lengths []float64

	// Groups has for each column of the preprocessed rows the number of its length, from 0 on, so that columns can
	// share a length, such as the levels of a category. If it is nil, each column has its own.
	Groups []int

	// PriorScale is the scale of the Student t density, in units of the logarithm of a length;
	// 0: 0.5. NoPrior is for none.
	PriorScale float64 `zero:"0.5"`
	NoPrior    bool

	// NoRestarts is for the climb from one length for all columns alone, without a look for a clearly higher top from
	// other starts.
	NoRestarts bool

	// MaxIterations is the largest number of steps of the climb. If it is 0, it is 100; on landmarks it is 50 with few
	// rows and 20 with more.
	MaxIterations int `zero:"100, or fewer on landmarks"`

	// MaxRows is the largest number of rows that the objective is computed on at once, >= 2. If it is 0, it is 2000.
	MaxRows int `zero:"2000" least:"2"`

	// Seed is the seed for drawing rows.
	Seed uint64
}

var _ search.Strategy = (*Search)(nil)

// Name returns "shape".
func (s *Search) Name() string { return "shape" }

func (s *Search) validate(d int) error {
	if err := settings.Check(searchType, s); err != nil {
		return err
	}
	if s.Groups != nil && len(s.Groups) != d {
		return fault.Param(searchType, "Groups", len(s.Groups), fmt.Sprintf("a number for each of %d columns", d))
	}
	for g := range slices.Max(append(slices.Clone(s.Groups), 0)) {
		if !slices.Contains(s.Groups, g) {
			return fault.Param(searchType, "Groups", s.Groups, "numbers from 0 on without a gap")
		}
	}
	if slices.ContainsFunc(s.Groups, func(g int) bool { return g < 0 }) {
		return fault.Param(searchType, "Groups", s.Groups, "numbers from 0 on")
	}
	if s.Lengths != nil && len(s.Lengths) != d {
		return fault.Param(searchType, "Lengths", len(s.Lengths), fmt.Sprintf("a length for each of %d columns", d))
	}
	for j, length := range s.Lengths {
		if !(length > 0) || math.IsInf(length, 1) {
			return fault.Param(searchType, fmt.Sprintf("Lengths[%d]", j), length, "finite and > 0")
		}
	}
	return nil
}

// Choose implements [search.Strategy].
func (s *Search) Choose(ctx context.Context, r *search.Run) (_ search.Choice, err error) {
	defer check.Begin(&ctx)(&err)
	if r == nil {
		return search.Choice{}, search.ErrNoRun
	}
	if err := r.KernelsOnly(searchType); err != nil {
		return search.Choice{}, err
	}
	_, d := r.X.Dims()
	if err := s.validate(d); err != nil {
		return search.Choice{}, err
	}
	l, err := newLearner(s, r)
	if err != nil {
		return search.Choice{}, err
	}
	r.Expect(0) // each step has its share
	// The climbs on more rows take most of the time.
	parts := progress.Parts(ctx, 1, 3, l.shareOfLast())
	start, err := l.begin(parts[0])
	if err != nil && !errors.Is(err, search.ErrBudget) {
		return search.Choice{}, err
	}
	if err == nil && start.theta != nil {
		one := l.withOneLength(start)
		err = l.climb(parts[1], &start)
		switch {
		case err != nil:
		case l.Lengths != nil:
		case l.learnsOnLandmarks():
			err = l.climbLandmarks(parts[2], &start, one)
		case l.onBlocks > 0:
			err = l.compare(parts[2], &start, one)
		}
		if err != nil && !errors.Is(err, search.ErrBudget) {
			return search.Choice{}, err
		}
	}
	return l.conclude(start)
}

// shareOfLast is what comes after the climb.
func (l *learner) shareOfLast() float64 {
	switch {
	case l.Lengths != nil:
		return 0
	case l.learnsOnLandmarks():
		return 8
	case l.onBlocks > 0:
		return 2
	}
	return 0
}

// climbPoint is a place of the climb: the logarithms of the parameters of a kernel and of the ridge.
type climbPoint struct {
	theta  []float64
	score  float64
	groups []int
	centre float64 // of the prior, where groups are not of one length for all columns
	row    int     // of the trace, where no climb has been
	round  int     // of the trace
}

// learner is the state of one search.
type learner struct {
	*Search
	run *search.Run
	// objective is the one that is taken.
	objective Objective
	base      kernels.Kernel // of unit length
	d         int
	numbers   *mat.Dense // the rows with 0 in the place of categories, of which distances are taken
	nearer    []float64  // what is added to the logarithm of one length for a column, 0 but of categories
	targets   learning.Targets
	measure   search.Measure
	spread    []float64         // ln of each column's standard deviation
	sample    *learning.Block   // the rows of the start, blocks[0] where those are all
	sampled   int               // how many
	blocks    []*learning.Block // those of the climb
	onBlocks  int               // rows of blocks, 0 if they are all rows
	near      float64           // a ridge near that of the machine on all rows, 0 if none is known
}

func newLearner(s *Search, r *search.Run) (*learner, error) {
	_, d := r.X.Dims()
	goals, err := targetsOf(r)
	if err != nil {
		return nil, err
	}
	l := &learner{Search: s, run: r, base: r.Family.Kernel(1), d: d, targets: goals, objective: s.Objective}
	k, err := kernels.AsDifferentiable(l.base)
	if err != nil {
		return nil, fmt.Errorf("%s: Space = %v: %w", searchType, r.Family, err)
	}
	periodic := slices.ContainsFunc(k.Params(), func(p kernels.Param) bool { return p.Kind == kernels.KindPeriod })
	if periodic || len(k.Params()) != len(kernels.ARD{Kernel: k, Lengths: []float64{1}}.Params()) {
		return nil, fault.Param(searchType, "Space", r.Family,
			"a family whose kernels have a length: RBF, Matern, Laplacian or RationalQuadratic")
	}
	l.nearer = make([]float64, d)
	if l.numbers = r.X; len(r.Categories) > 0 {
		if s.Start != nil {
			return nil, fault.Param(searchType, "Start", fmt.Sprintf("%T", s.Start), "nil with categories")
		}
		l.numbers = mat.DenseCopyOf(r.X)
		zeros := make([]float64, r.X.RawMatrix().Rows)
		for _, j := range r.Categories {
			l.nearer[j] = nearer(mat.Col(nil, j, r.X))
			l.numbers.SetCol(j, zeros)
		}
	}
	_, outputs := l.targets.Y.Dims()
	twoClasses := r.Targets == nil && outputs == 1
	switch {
	case s.Objective == AutomaticObjective && r.Targets == nil && outputs <= laplaceClasses && s.Lengths == nil:
		l.objective = LaplaceEvidence
	case s.Objective == AutomaticObjective && r.Targets == nil && outputs > laplaceClasses:
		l.objective = LeaveOneOutError
	case s.Objective == AutomaticObjective:
		l.objective = RestrictedEvidence
	case s.Objective == ComplexityRegularised && r.Weights != nil:
		return nil, fault.Param(searchType, "Objective", s.Objective, "another: this is for rows without weights")
	case s.Objective == LaplaceEvidence && r.Targets != nil:
		return nil, fault.Param(searchType, "Objective", s.Objective, "another: this is for classes")
	case s.Objective == LeaveOneOutLogistic && !twoClasses:
		return nil, fault.Param(searchType, "Objective", s.Objective, "another: this is for two classes")
	}
	l.measure = search.Measure{Name: objectives[l.objective].measure, LargerIsBetter: true}
	return l, l.divide()
}

// targetsOf returns the targets of a regression, ±1 for two classes, or ±1 for each class against the
// rest of more. No objective knows the constant or the unit of the targets.
func targetsOf(r *search.Run) (learning.Targets, error) {
	given, mean, names, err := closedform.MachineTargets(r)
	switch {
	case err != nil:
		return learning.Targets{}, err
	case r.Labels == nil:
		return learning.Targets{Y: mat.NewDense(len(r.Targets), 1, targets.Centred(r.Targets)), Weights: r.Weights, Outputs: 1}, nil
	case r.Distinct == nil:
		return learning.Targets{Y: mean, Weights: r.Weights, Outputs: names - 1}, nil
	}
	return learning.Targets{Y: mean, Weights: r.Distinct.CountInClass(given, mean), Outputs: names - 1}, nil
}

// degenerate reports whether there is nothing to learn from: fewer than three rows, or
// targets that are all the same.
func (l *learner) degenerate() bool {
	n, _ := l.targets.Y.Dims()
	return n < 3 || constant(l.targets.Y)
}

// constant reports whether all rows of y are the same.
func constant(y *mat.Dense) bool {
	n, _ := y.Dims()
	for i := range n {
		if !slices.Equal(y.RawRowView(i), y.RawRowView(0)) {
			return false
		}
	}
	return true
}

// kernel is the kernel of some groups of columns.
func (l *learner) kernel(groups []int) kernels.ARD {
	lengths := l.d
	if groups != nil {
		lengths = slices.Max(groups) + 1
	}
	return kernels.ARD{Kernel: l.base, Lengths: slices.Repeat([]float64{1}, lengths), Groups: groups, Categories: l.run.Categories}
}

// nearer returns what to add to the logarithm of a length for a column of categories, so that the mean squared distance of two rows
// becomes that of a column of unit deviation, 2.
func nearer(codes []float64) float64 {
	differ := distinct.Differ(codes)
	if differ == 0 {
		return 0
	}
	return math.Log(differ/2) / 2
}

// apart returns a place of one length for all columns, shorter for categories, with what comes after it.
func (l *learner) apart(k kernels.ARD, length float64, rest []float64) []float64 {
	out := slices.Repeat([]float64{length}, len(k.Lengths))
	for g, p := range k.Params()[:len(k.Lengths)] {
		for _, j := range p.Columns {
			out[g] += l.nearer[j] / float64(len(p.Columns))
		}
	}
	return append(out, rest...)
}

// ridgeAt is the place of the ridge: the last, but for the slope of a LeaveOneOutLogistic.
func (l *learner) ridgeAt(theta []float64) int {
	if l.objective == LeaveOneOutLogistic {
		return len(theta) - 2
	}
	return len(theta) - 1
}

// oneLength is the group of all columns.
func (l *learner) oneLength() []int { return make([]int, l.d) }

// problem is the learning of a kernel on blocks. The values are rows of the run.
func (l *learner) problem(groups []int, blocks []*learning.Block, rows, steps int) *learning.Problem {
	k := l.kernel(groups)
	p := &learning.Problem{Kind: objectives[l.objective].kind, Kernel: k, Blocks: blocks, Bounds: l.bounds(k), MaxIterations: steps,
		Tolerance: learning.Tolerance, Likelihood: true}
	p.Evaluate = func(ctx context.Context, theta []float64) (float64, []float64, error) {
		got, err := l.run.Evaluate(ctx, search.Look{Point: search.ParamPoint(1), Rows: rows, Theta: theta},
			func(ctx context.Context, row *search.TraceRow) error {
				gradient := make([]float64, len(theta))
				f, err := p.Value(ctx, theta, gradient)
				if err != nil {
					return err
				}
				row.SetScore(f, math.Exp(theta[l.ridgeAt(theta)]), search.OnBlocks, rows)
				row.Gradient, row.Matrices = gradient, len(blocks)
				return nil
			})
		return got.Score, got.Gradient, err
	}
	return p
}

// climb improves all lengths from one.
func (l *learner) climb(ctx context.Context, at *climbPoint) error {
	k := l.kernel(l.Groups)
	n, _ := l.run.X.Dims()
	rows := cmp.Or(l.onBlocks, n)
	parts := []climbRows{{[]*learning.Block{l.sample}, l.sampled}, {l.blocks, rows}}
	if l.sampled == rows || l.Lengths != nil {
		parts = parts[1:]
	}
	one := at.theta
	looksElsewhere := !l.NoRestarts && l.Lengths == nil
	if looksElsewhere {
		var err error
		if one, err = l.useful(progress.Detach(ctx), parts[0], one); err != nil {
			return err
		}
	}
	theta, centre := one, at.centre
	if l.Lengths == nil {
		theta, centre = l.apart(k, one[0], one[1:]), one[0]
	}
	centres := l.apart(k, centre, theta[len(k.Lengths):])
	var prior *learning.Prior
	if !l.NoPrior {
		prior = l.prior(k, centres)
	}
	var inverse *mat.SymDense
	group := progress.Open(ctx)
	learnt := false
	for i, part := range parts {
		first, second := progress.Two(group.Step(i, len(parts)), 3, 2)
		p := l.problem(l.Groups, part.blocks, part.rows, cmp.Or(l.MaxIterations, learning.MaxSteps))
		p.Prior, p.Inverse = prior, inverse
		out, err := p.Improve(first, theta)
		if !math.IsInf(out.F, -1) {
			at.theta, at.groups, at.score = out.Theta, l.Groups, out.F
		}
		if err != nil || math.IsInf(out.F, -1) { // what was there stays
			return err
		}
		if inverse = out.Inverse; !learnt && looksElsewhere {
			// More rows may show what few did not.
			var place []float64
			if place, learnt, err = l.elsewhere(second, part, prior, at.theta); err != nil {
				return err
			}
			if place != nil {
				if out, err = p.ImproveElsewhere(progress.Detach(ctx), place,
					at.theta); out.F > at.score+learning.ClearlyHigher*float64(part.rows) {
					at.theta, at.score, inverse = out.Theta, out.F, out.Inverse
				}
				if err != nil {
					return err
				}
			}
		}
		theta = slices.Clone(at.theta)
		// Where few rows say nothing of a column the objective is flat: more do not bring it back.
		for j := range k.Lengths {
			theta[j] = min(theta[j], centres[j]+learning.Farthest)
		}
	}
	return nil
}

// climbRows is rows that a climb goes on.
type climbRows struct {
	blocks []*learning.Block
	rows   int
}

// conclude takes the best place of the trace.
func (l *learner) conclude(at climbPoint) (search.Choice, error) {
	out := search.Choice{Target: missing, Measure: l.measure, Status: search.StatusOK, Start: loo.Start{Near: l.near}}
	for _, row := range l.run.Trace() {
		// Of the grid a row has no logarithm of the ridge.
		if n := len(row.Theta); row.Round == at.round && at.theta != nil && n > 0 && slices.Equal(row.Theta,
			at.theta[:min(n, len(at.theta))]) &&
			row.Iteration != at.row {
			out.Iteration = row.Iteration
		}
	}
	if out.Iteration == 0 { // a kernel that stays as it is
		out.Iteration = max(1, at.row)
		if math.IsInf(at.score, -1) {
			out.Measure = search.Measure{}
		}
		return out, nil
	}
	k := l.kernel(at.groups)
	l.warnOfBounds(k, at)
	logs := at.theta[:l.ridgeAt(at.theta)]
	if groups := at.groups; groups != nil {
		lengths := make([]float64, l.d)
		for j, g := range groups {
			lengths[j] = logs[g]
		}
		logs = append(lengths, logs[len(k.Lengths):]...)
	}
	for _, v := range logs {
		out.Values = append(out.Values, math.Exp(v))
	}
	if l.onBlocks == 0 && at.round == 0 && l.objective != LaplaceEvidence {
		out.Ridge = math.Exp(at.theta[l.ridgeAt(at.theta)])
	}
	return out, nil
}

// warnOfBounds says that the ridge has been climbed to an end of its range, or a length to the least. The largest is the length of a
// column that says nothing, and no reason to doubt.
func (l *learner) warnOfBounds(k kernels.ARD, at climbPoint) {
	b, ridge := l.bounds(k), l.ridgeAt(at.theta)
	switch v := at.theta[ridge]; {
	case v <= b.Low[ridge]:
		l.run.Warn("the ridge is the least that is looked at, %.2g: the targets have next to no noise, or are repeated", math.Exp(v))
	case v >= b.High[ridge]:
		l.run.Warn("the ridge is the largest that is looked at, %.2g: the columns say next to nothing of the targets", math.Exp(v))
	}
	if at.round == landmarkRound { // where lengths may be shorter
		return
	}
	for g, p := range k.Params()[:len(k.Lengths)] {
		if at.theta[g] <= b.Low[g] {
			l.run.Warn("the length of column %s is the least that is looked at, %.2g: no two rows are alike in it", numeral.List(p.Columns),
				math.Exp(at.theta[g]))
		}
	}
}

// missing is the value of what was not computed.
var missing = math.NaN()
