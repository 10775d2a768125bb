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

// Objective is the function that a Search maximises.
type Objective int

// The objectives describe the machine of package lssvm, with a free constant, unless stated otherwise. All have exact gradients.
// The package documentation gives formulas and sources.
const (
	// AutomaticObjective is [LaplaceEvidence] for up to six classes. For more classes it is [LeaveOneOutError], since the evidence
	// of targets ±1 would favour flat kernels. For numeric targets it is [RestrictedEvidence], or LeaveOneOutError if one value,
	// such as 0, makes up at least two fifths of them: rows with that value look free of noise to the evidence. If Lengths is set,
	// it is RestrictedEvidence for up to six classes as well. In a mean with a kernel chosen by Laplace's evidence, a kernel chosen
	// by a different objective contributes more, and costs less. docs/measured/shape.md and zeros.md show the comparisons behind
	// these choices.
	AutomaticObjective Objective = iota
	// RestrictedEvidence is the log evidence of a Gaussian process for the contrasts of the targets, at its best variance. The
	// contrasts do not depend on the constant.
	RestrictedEvidence
	// FullEvidence is the log evidence of the targets at the best constant and variance.
	FullEvidence
	// LeaveOneOutError is the mean squared leave-one-out residual E, as -n/2 ln E for n rows.
	LeaveOneOutError
	// LeaveOneOutDensity is the sum of the log predictive densities of all rows, each given the other rows.
	LeaveOneOutDensity
	// LeaveOneOutLogistic is minus the sum of the logistic losses ln(1 + exp(-t y f)) of leave-one-out predictions f for two
	// classes y = ±1. Its slope t is learnt with the lengths.
	LeaveOneOutLogistic
	// LaplaceEvidence is Laplace's approximation of the log evidence of a Gaussian process classifier with the logistic link. For
	// more than two classes it is the sum over the classes, each against the rest. Its ridge is the reciprocal of the variance of
	// the log odds. The fitted machine chooses its own ridge. A value costs about eight Cholesky factors per class.
	LaplaceEvidence
	// ComplexityRegularised is the objective of Meanti, Carratino, De Vito and Rosasco (AISTATS 2022) for ridge regression on
	// landmarks, for any number of rows. It is the penalised error, increased for the part of the kernel that the landmarks do not
	// represent, plus σ² times the effective dimension. Here σ² is the smallest generalised cross-validation error. The authors'
	// code uses σ² = 1 for targets in any unit. The climb starts with [RestrictedEvidence]. Weights are not supported.
	ComplexityRegularised
)

// objectives holds, for each objective, its name in a Result and the corresponding objective of package learning.
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
	startRows             = 300 // largest number of rows in the search for one common length
	randomBlock           = 700
	localBlocks, localRow = 4, 250
	// manyEqual is the share of a single value among numeric targets from which AutomaticObjective is LeaveOneOutError.
	manyEqual = .4
)

// Search learns one length per column, and the ridge, from the gradient of an objective. This is an [Objective] minus a penalty
// that keeps a length near the common one unless the rows clearly favour another value. The kernels of the family need a length and
// derivatives, as RBF, Matern, Laplacian and RationalQuadratic have. Their other parameters are learnt with the lengths. Columns
// should have comparable scales, as after scalers.StandardScaler. Categorical columns are only compared for equality, as in
// [kernels.ARD], and their lengths are learnt with the others.
//
// The search starts with one common length: the best of a grid on up to 300 rows, improved by a climb, or the choice of Start. From
// there a quasi-Newton method (L-BFGS) improves all lengths. The penalty is the log of a Student t density with three degrees of
// freedom around the common length. Without it, lengths follow the noise of few rows. Each value with its gradient costs a kernel
// matrix, a Cholesky factor and an inverse, n³ + 4n²d multiplications for n rows of d columns. A climb typically needs 10 to 60
// values. If there are many more columns than rows, the columns dominate the cost: 200 rows of 5000 columns cost as much as 900
// rows of ten. No column is left out for that reason. Budget and MaxIterations end a search early, and a few steps show which
// columns are relevant. A constant column keeps its initial length.
//
// Such a climb ends at the nearest maximum. From one common length it cannot detect a wave or a product of two columns hidden among
// others. The search therefore checks whether there is a clearly higher maximum elsewhere, with 0.125 more log evidence per row, or
// about a fifth less error. The check uses up to 300 rows and [RestrictedEvidence]. It climbs from one short length for all
// columns, and from the best point with one length shortened, that of the column with the largest evidence, repeatedly. If so few
// rows carry almost no information, more rows are used. This costs a kernel matrix and three factors per column, for up to 256
// columns. With more columns, single lengths are not shortened. Maxima of similar height are ignored, since the error does not
// follow the evidence there. docs/measured/hidden.md shows results, and NoRestarts turns the check off.
//
// Above MaxRows rows the objective is the sum over a random block of 700 rows and four blocks of 250 neighbouring rows each,
// without blocks whose targets are constant. The result is then compared with one common length on all rows, and the better one is
// kept. They are compared by the leave-one-out error on the features of up to 1000 pivots. The fitted machine chooses its ridge on
// all rows.
//
// Above 5000 rows, with [AutomaticObjective] or [LeaveOneOutError], these lengths are only a starting point. From them, and from
// the best of three common lengths, a climb follows the leave-one-out error of ridge regression on 300 landmarks over 2000 other
// rows, with its exact gradient. From the better result, a second climb follows the same error on 600 landmarks over 6000 rows. A
// value with its gradient costs about ten times rows × landmarks² multiplications.
//
// With Lengths and more than MaxRows rows, the objective is that of MaxRows random rows, and there are no other stages. Good
// initial lengths need no blocks, and with that many rows the exact objective gives better lengths than landmarks.
//
// Numeric targets are centred, and divided by the largest power of two below their largest magnitude, so that their unit does not
// matter. The objective values in the trace refer to the divided targets. Classes have targets ±1, each against the rest if there
// are more than two.
type Search struct {
	// Objective selects the function to maximise. The zero value is [AutomaticObjective], which depends on the task.
	Objective Objective

	// Start finds one common length. If it is nil, the grid and the climb described above find it. It can be any strategy that
	// searches one parameter, such as an entropy.Search.
	Start search.Strategy

	// If Lengths is not nil, it holds one initial length per column, such as those learnt with a kernel of another family. The
	// search first chooses the best of several multiples, from half to 16 times, on up to 300 rows. The penalty keeps the lengths
	// near their geometric mean. Start and other starting points are then not used.
	Lengths []float64

	// Groups assigns each column of the preprocessed rows to a length, numbered from 0. Columns can thus share a length, such as
	// the levels of a category. If it is nil, each column has its own length.
	Groups []int

	// PriorScale is the scale of the Student t density of log lengths; 0: 0.5. NoPrior removes the penalty.
	PriorScale float64 `zero:"0.5"`
	NoPrior    bool

	// NoRestarts limits the search to the climb from one common length, without other starting points.
	NoRestarts bool

	// MaxIterations limits the steps of the climb. If it is 0, 100 is used. On landmarks it is then 50 for the first climb and 20
	// for the second, on more rows.
	MaxIterations int `zero:"100, or fewer on landmarks"`

	// MaxRows is the largest number of rows in one evaluation of the objective, >= 2. If it is 0, 2000 is used.
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
	r.Expect(0) // each stage receives its share of the progress
	// Climbs on more rows take most of the time.
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

// shareOfLast returns the relative time of the stages after the climb.
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

// climbPoint is a point of the climb: the logs of the parameters of a kernel and of the ridge.
type climbPoint struct {
	theta  []float64
	score  float64
	groups []int
	centre float64 // centre of the prior; 0: the common length
	row    int     // trace row, if there was no climb
	round  int     // round in the trace
}

// learner is the state of one search.
type learner struct {
	*Search
	run *search.Run
	// objective is Objective, or the objective that AutomaticObjective stands for.
	objective Objective
	base      kernels.Kernel // of unit length
	d         int
	numbers   *mat.Dense // rows with categories set to 0, for distances
	nearer    []float64  // amount that is added to the log of a common length in a column; 0 except for categories
	targets   learning.Targets
	measure   search.Measure
	spread    []float64         // log of each column's standard deviation
	sample    *learning.Block   // rows of the search for a common length; blocks[0] if all its rows are used
	sampled   int               // number of rows in sample
	blocks    []*learning.Block // rows of the climb
	onBlocks  int               // number of rows in blocks; 0 if they are all rows
	near      float64           // a ridge near that of the machine on all rows; 0 if unknown
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
	case s.Objective == AutomaticObjective && distinct.MostCommon(r.Targets, r.Weights) >= manyEqual:
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

// targetsOf returns the targets of a regression, ±1 for two classes, or ±1 for each class against the rest. The objectives depend
// neither on the constant nor on the unit of the targets.
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

// degenerate reports whether there is nothing to learn: fewer than three rows, or constant targets.
func (l *learner) degenerate() bool {
	n, _ := l.targets.Y.Dims()
	return n < 3 || constant(l.targets.Y)
}

// constant reports whether all rows of y are equal.
func constant(y *mat.Dense) bool {
	n, _ := y.Dims()
	for i := range n {
		if !slices.Equal(y.RawRowView(i), y.RawRowView(0)) {
			return false
		}
	}
	return true
}

// kernel returns the kernel with one length per group of columns.
func (l *learner) kernel(groups []int) kernels.ARD {
	lengths := l.d
	if groups != nil {
		lengths = slices.Max(groups) + 1
	}
	return kernels.ARD{Kernel: l.base, Lengths: slices.Repeat([]float64{1}, lengths), Groups: groups, Categories: l.run.Categories}
}

// nearer returns a number that is added to the log length of a categorical column. With it, the mean squared distance of two rows
// is 2, as for a column with unit standard deviation.
func nearer(codes []float64) float64 {
	differ := distinct.Differ(codes)
	if differ == 0 {
		return 0
	}
	return math.Log(differ/2) / 2
}

// apart returns a point whose lengths are a common length, adjusted for categories. The parameters in rest follow the lengths.
func (l *learner) apart(k kernels.ARD, length float64, rest []float64) []float64 {
	out := slices.Repeat([]float64{length}, len(k.Lengths))
	for g, p := range k.Params()[:len(k.Lengths)] {
		for _, j := range p.Columns {
			out[g] += l.nearer[j] / float64(len(p.Columns))
		}
	}
	return append(out, rest...)
}

// ridgeAt returns the position of the ridge. It is the last position, or the one before the slope of LeaveOneOutLogistic.
func (l *learner) ridgeAt(theta []float64) int {
	if l.objective == LeaveOneOutLogistic {
		return len(theta) - 2
	}
	return len(theta) - 1
}

// oneLength returns groups that assign all columns to one length.
func (l *learner) oneLength() []int { return make([]int, l.d) }

// problem returns the problem of learning the parameters of a kernel on blocks. Each evaluation adds a row to the trace.
func (l *learner) problem(groups []int, blocks []*learning.Block, rows, steps int) *learning.Problem {
	k := l.kernel(groups)
	p := &learning.Problem{Kind: objectives[l.objective].kind, Kernel: k, Blocks: blocks, Bounds: l.bounds(k), MaxIterations: steps,
		Tolerance: learning.Tolerance, Likelihood: true}
	p.Evaluate = func(ctx context.Context, theta []float64) (float64, []float64, error) {
		got, err := l.run.Evaluate(ctx, search.Evaluation{Point: search.ParamPoint(1), Rows: rows, Theta: theta},
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

// climb improves the lengths of all groups, starting from a common length.
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
		if err != nil || math.IsInf(out.F, -1) { // keep the previous point
			return err
		}
		if inverse = out.Inverse; !learnt && looksElsewhere {
			// More rows may show a maximum that few rows did not show.
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
		// If few rows carry no information about a column, its length may become so long that the objective is flat. More rows
		// could not shorten it again.
		for j := range k.Lengths {
			theta[j] = min(theta[j], centres[j]+learning.Farthest)
		}
	}
	return nil
}

// climbRows holds the rows of a climb.
type climbRows struct {
	blocks []*learning.Block
	rows   int
}

// conclude chooses the best point of the trace.
func (l *learner) conclude(at climbPoint) (search.Choice, error) {
	out := search.Choice{Target: missing, Measure: l.measure, Status: search.StatusOK, Start: loo.Start{Near: l.near}}
	for _, row := range l.run.Trace() {
		// The Theta of a row of the grid may lack the log of the ridge.
		if n := len(row.Theta); row.Round == at.round && at.theta != nil && n > 0 && slices.Equal(row.Theta,
			at.theta[:min(n, len(at.theta))]) &&
			row.Iteration != at.row {
			out.Iteration = row.Iteration
		}
	}
	if out.Iteration == 0 { // the kernel was not changed
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

// warnOfBounds adds a warning if the ridge is at a bound, or a length at its lower bound. A length at its upper bound belongs to an
// irrelevant column, which is no reason for a warning.
func (l *learner) warnOfBounds(k kernels.ARD, at climbPoint) {
	b, ridge := l.bounds(k), l.ridgeAt(at.theta)
	switch v := at.theta[ridge]; {
	case v <= b.Low[ridge]:
		l.run.Warn("the ridge is the smallest that is tried, %.2g: the targets have almost no noise, or rows are repeated", math.Exp(v))
	case v >= b.High[ridge]:
		l.run.Warn("the ridge is the largest that is tried, %.2g: the columns hardly predict the targets", math.Exp(v))
	}
	if at.round == landmarkRound { // on landmarks, lengths may be shorter
		return
	}
	for g, p := range k.Params()[:len(k.Lengths)] {
		if at.theta[g] <= b.Low[g] {
			l.run.Warn("the length of column %s is the smallest that is tried, %.2g: no two rows are similar in it",
				numeral.List(p.Columns),
				math.Exp(at.theta[g]))
		}
	}
}

// missing is the value of quantities that were not computed.
var missing = math.NaN()
