package svm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

const classifierType = "svm: Classifier"

// folding lets a search mark the classifier as fitted to a fold.
type folding = classes.Folding

// Classifier is the support vector machine for classification, C-SVC. For two classes t = ±1 and weights w it minimises
//
//	½ |f|² + Σ C w[i] max(0, 1 - t[i] (f(x[i]) + b))
//
// With Nu, it chooses C for each pair of classes so that ν is the share of margin errors. With more than two classes, there is one
// machine for each pair of classes, and the machines vote. The zero value is ready to use. Features should be of comparable scale.
//
// PredictProba is available only if Probabilities was set before Fit, which then takes about four times as long. Decision is always
// available.
//
// With default settings its kernel is chosen as in [Regressor].
//
// See also Classifier in package lssvm.
type Classifier struct {
	// Kernel is the kernel, which need not be positive semi-definite. If it is nil, [kernels.MedianRBF] of the training rows is
	// used.
	Kernel kernels.Kernel

	// C is the cost of errors. If it is 0, it is derived from the least-squares machine (see the package documentation).
	C float64 `zero:"the choice by the least-squares machine"`

	// If Nu is not 0, it is used instead of C (ν-SVC). For each pair of classes at most this share of the rows is within the margin
	// or on its wrong side, and at least this share are support vectors. Nu must be at most twice the share of the smaller class,
	// or at most 1 with Balanced.
	Nu float64 `zero:"none" most:"1"`

	// Balanced gives the rows of each class the weight n divided by K times the number of its rows, so that all K
	// classes have the same total weight.
	Balanced bool

	// ClassWeights maps a label to a factor > 0 for the weights of the rows of that class. Classes that are absent have the factor
	// 1. If Balanced is set, the factor is multiplied by the weight of Balanced.
	ClassWeights map[int]float64

	// If Probabilities is set, Fit also fits the sigmoids that PredictProba needs, by cross-validation with 5 folds.
	Probabilities bool

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The rows of a group are left
	// out together when C is chosen and probabilities are fitted. If it is nil, equal rows are left out together.
	Groups []int `settings:"-"`

	// Tolerance is the value of m - M at which the solver stops (see the package documentation). If it is 0, 1e-3 is used.
	Tolerance float64 `zero:"1e-3"`

	// MaxIterations is the largest number of steps for each pair of classes. If it is 0, 10 million is used.
	MaxIterations int `zero:"10 million"`

	// If NoShrinking is set, the solver considers all rows in every step.
	NoShrinking bool

	// Seed is the seed for the folds, and for the samples that MedianRBF and the least-squares machine draw if there are many rows.
	Seed uint64

	// Workers is the number of goroutines that compute kernel values and fit machines. If it is 0, GOMAXPROCS is used.
	Workers int

	// CacheBytes is the memory for kernel values. If it is 0, 512 MiB is used. Each worker keeps at least two rows of the kernel
	// matrix.
	CacheBytes int64 `zero:"512 MiB"`

	// If Observe is not nil, it is called after every 1000 steps of a machine, by one goroutine at a time. Objective is the current
	// sum of the dual objectives.
	Observe func(estimators.Step)

	folding
	m       *machine
	classes []int
	links   []platt.Sigmoid // one for each pair; nil if Probabilities was not set
}

// Supports reports probabilities only if the field Probabilities is set. For a fitted or decoded model, the setting during its Fit
// counts. For a fitted model with more than two classes, it reports no Expansion.
func (c *Classifier) Supports(capability estimators.Capability) bool {
	if capability == estimators.Proba {
		return c.links != nil || c.m == nil && c.Probabilities
	}
	if capability == estimators.Expanding && len(c.classes) > 2 {
		return false
	}
	return estimators.Wrapped{}.Supports(c, capability)
}

func (c *Classifier) settings() (machineSettings, error) {
	s, err := machineSettings{
		typ: classifierType, config: c, kernel: c.Kernel, c: c.C, nu: c.Nu, tolerance: c.Tolerance, maxIterations: c.MaxIterations,
		noShrinking: c.NoShrinking,
		seed:        c.Seed, workers: c.Workers, cacheBytes: c.CacheBytes,
	}.withDefaults()
	if err == nil {
		err = s.checkNu("C", c.C)
	}
	if err == nil {
		err = c.classWeights().Validate(classifierType)
	}
	return s, err
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (c *Classifier) SetGroups(groups []int) { c.Groups = groups }

// Fit fits the model to x (n×d) and the labels y (n), which must contain at least two classes. The cost is between O(n²) and O(n³),
// plus O(n²d) for the kernel. The memory is CacheBytes plus O(nd). It returns [estimators.ErrParam], [estimators.ErrShape],
// [estimators.ErrNotFinite] (also if the kernel overflows), or the error of ctx. If the solver does not converge, Report contains a
// warning.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row, which multiplies the C of the row. A weight of 2 has the same
// effect as the row given twice. If C is 0, only the ratios of the weights matter.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, check.Given(weights))
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	xd, err := check.Labelled(x, len(y))
	if err != nil {
		return err
	}
	names, at, err := c.classWeights().Distinguish(classifierType, y, weights)
	if err != nil {
		return err
	}
	rows, err := rowsOf(xd, at, weights, c.Groups)
	if err != nil {
		return err
	}
	first, rest := progress.Two(ctx, 1, 6)
	kernel, src, err := s.sourceOf(first, rows.x)
	if err != nil {
		return err
	}
	return c.finish(rest, s, src, kernel, rows, names, picked(rows, at))
}

// FitMatrix fits the model to a kernel matrix k (n×n) that the caller has computed, and labels y (n). The field Kernel is not used.
// Predictions are then made by PredictMatrix, PredictProbaMatrix and DecisionMatrix. Only the upper triangle of a *mat.SymDense is
// read, and the model does not keep k.
func (c *Classifier) FitMatrix(ctx context.Context, k mat.Symmetric, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fitMatrix(ctx, k, y, nil)
}

// FitMatrixWeighted is like FitMatrix, with a weight > 0 for each row, as in FitWeighted.
func (c *Classifier) FitMatrixWeighted(ctx context.Context, k mat.Symmetric, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fitMatrix(ctx, k, y, check.Given(weights))
}

func (c *Classifier) fitMatrix(ctx context.Context, k mat.Symmetric, y []int, weights []float64) error {
	s, err := c.settings()
	if err != nil {
		return err
	}
	if err := check.Symmetric(k, len(y)); err != nil {
		return err
	}
	names, at, err := c.classWeights().Distinguish(classifierType, y, weights)
	if err != nil {
		return err
	}
	rows, k, err := rowsOfMatrix(k, at, weights, c.Groups)
	if err != nil {
		return err
	}
	return c.finish(ctx, s, smo.ShareMatrix(k), nil, rows, names, picked(rows, at))
}

// finish solves the problem for each pair of classes. For probabilities, it also solves the problem for each fold of a pair.
func (c *Classifier) finish(
	ctx context.Context, s machineSettings, src smo.Source, kernel kernels.Kernel, rows *fitRows, names, at []int,
) error {
	own := c.classWeights().Rows(names, at, rows.own)
	if s.nu > 0 {
		s.c = 1 // the solver scales the bounds
	}
	first, rest := progress.Two(ctx, s.shareOfChoice(len(at)), 1)
	if s.c == 0 {
		if err := s.ofClasses(first, src, rows, classes.AgainstRest(at, len(names)), own); err != nil {
			return err
		}
	}
	// A row is in one problem for each other class.
	perRow := 8.0 // numbers of a row in a problem
	if c.Probabilities {
		perRow *= defaultFolds
	}
	if err := check.Numbers(fmt.Sprintf("%s: the pairwise problems of %d rows of %d classes", classifierType, len(at), len(names)),
		perRow*float64(len(names)-1)*float64(len(at)+len(names)), "use another estimator, such as an lssvm.Classifier, for this number of "+
			"classes"); err != nil {
		return err
	}
	members := make([][]int, len(names))
	for i, l := range at {
		members[l] = append(members[l], i)
	}
	var problems []smo.Problem
	for a := range names {
		if err := ctx.Err(); err != nil {
			return err
		}
		for b := a + 1; b < len(names); b++ {
			p := s.pair(members[a], members[b], own)
			if s.nu > 0 {
				if err := s.checkShare(p, names[a], names[b]); err != nil {
					return err
				}
				p.SetShare(smo.Margins, s.nu)
			}
			problems = append(problems, p)
		}
	}
	solutions := make([]smo.Solution, len(problems))
	unseen := make([][]float64, len(problems)) // decision values of left-out rows
	var tasks []task
	for i, p := range problems {
		if err := ctx.Err(); err != nil {
			return err
		}
		tasks = append(tasks, task{p, func(_ context.Context, sol smo.Solution) error { solutions[i] = sol; return nil }})
		if c.Probabilities {
			unseen[i] = make([]float64, len(p.Rows))
			tasks = append(tasks, foldTasks(src, p, rows.unit, unseen[i], s.seed, uint64(i))...)
		}
	}
	if err := s.solveAll(rest, src, tasks); err != nil {
		return err
	}
	if s.nu > 0 {
		s.c = 0
		for _, sol := range solutions {
			s.c = max(s.c, sol.Cost)
		}
		s.warnings = append(s.warnings, flatWarnings(names, solutions)...)
	}
	m, err := newMachine(s, kernel, rows, problems, solutions)
	if err != nil {
		return err
	}
	var links []platt.Sigmoid
	if c.Probabilities {
		for i, p := range problems {
			links = append(links, linkOf(unseen[i], p, rows.own))
		}
	}
	c.m, c.classes, c.links = m, names, links
	return nil
}

// flatWarnings returns a warning if pairs of classes have no margin. It states their number, and names the first of these pairs.
func flatWarnings(names []int, solutions []smo.Solution) []string {
	first, count, p := "", 0, 0
	for a := range names {
		for b := a + 1; b < len(names); b++ {
			if solutions[p].Flat {
				if count++; count == 1 {
					first = fmt.Sprintf("%d and %d", names[a], names[b])
				}
			}
			p++
		}
	}
	if count == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%d of %d machines, the first for the classes %s, have no margin, because more rows overlap "+
		"than Nu allows: they predict the class with more weight; use a larger Nu", count, len(solutions), first)}
}

// pair returns the problem for two classes. negative and positive list their rows, in ascending order.
func (s machineSettings) pair(negative, positive []int, own []float64) smo.Problem {
	n := len(negative) + len(positive)
	p := smo.Problem{Rows: make([]int, 0, n), Target: make([]float64, 0, n), Lo: make([]float64, 0, n), Hi: make([]float64, 0, n)}
	for len(negative)+len(positive) > 0 {
		row, t := 0, 0.0
		if len(positive) == 0 || len(negative) > 0 && negative[0] < positive[0] {
			row, t, negative = negative[0], -1, negative[1:]
		} else {
			row, t, positive = positive[0], 1, positive[1:]
		}
		bound := s.bound(weights.Weight(own, row))
		p.Rows, p.Target = append(p.Rows, row), append(p.Target, t)
		p.Lo, p.Hi = append(p.Lo, min(t, 0)*bound), append(p.Hi, max(t, 0)*bound)
	}
	return p
}

func (c *Classifier) classWeights() classes.Weights {
	return classes.Weights{Balanced: c.Balanced, Of: c.ClassWeights, Part: c.IsFold()}
}

// Classes returns the labels of the last Fit in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int { return slices.Clone(c.classes) }

// PairDecision returns the decision values f(x) + b of each pair of classes for the rows of x (m×d), in the order of Pairs. A
// positive value is a vote for the larger label.
func (c *Classifier) PairDecision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return c.m.decisions(classifierType, c.m.ofRows(classifierType, x, c.Workers))
}

// PairDecisionMatrix is like PairDecision, but from kernel values k (m×n) between new rows and the training rows of FitMatrix. Only
// the columns of support vectors are used.
func (c *Classifier) PairDecisionMatrix(k mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return c.m.decisions(classifierType, c.m.ofValues(classifierType, k))
}

// Decision returns m×K scores for the rows of x (m×d), with the columns in the order of Classes. With two classes the scores are -f
// and f for the decision value f. With more classes each score is the number of votes, plus the sum of the class's decision values
// scaled to (-⅓, ⅓), which breaks ties.
func (c *Classifier) Decision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return c.scores(c.m.ofRows(classifierType, x, c.Workers))
}

// DecisionMatrix is like Decision, but from the same kernel values as PairDecisionMatrix.
func (c *Classifier) DecisionMatrix(k mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return c.scores(c.m.ofValues(classifierType, k))
}

// perClass returns a matrix with a number for each row and class. For each block of rows, it calls of to compute the numbers from
// the decision values.
func (c *Classifier) perClass(values visited, of func(dst, f *mat.Dense)) (*mat.Dense, error) {
	var out *mat.Dense
	err := values(func(n, first int, f *mat.Dense) error {
		if out == nil {
			out = mat.NewDense(n, len(c.classes), nil)
		}
		r, _ := f.Dims()
		of(out.Slice(first, first+r, 0, len(c.classes)).(*mat.Dense), f)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// scores returns the scores of classes for decision values of pairs.
func (c *Classifier) scores(values visited) (*mat.Dense, error) {
	sums := make([]float64, len(c.classes))
	return c.perClass(values, func(dst, f *mat.Dense) {
		n, _ := f.Dims()
		for i := range n {
			vote(dst.RawRowView(i), f.RawRowView(i), sums)
		}
	})
}

// probabilities returns the probabilities of classes for decision values of pairs.
func (c *Classifier) probabilities(values visited) (*mat.Dense, error) {
	return c.perClass(values, func(dst, f *mat.Dense) { couple(dst, f, c.links, len(c.classes)) })
}

// vote sets row to the scores for the decision values of pairs. sums is working memory.
func vote(row, pairs, sums []float64) {
	if len(pairs) == 1 {
		classes.SetBoth(row, pairs[0])
		return
	}
	clear(row)
	clear(sums)
	pair := 0
	for a := range row {
		for b := a + 1; b < len(row); b++ {
			v := pairs[pair]
			pair++
			sums[a] -= v
			sums[b] += v
			if v > 0 {
				row[b]++
			} else {
				row[a]++
			}
		}
	}
	for k, v := range sums {
		row[k] += v / (3 * (math.Abs(v) + 1))
	}
}

func (c *Classifier) rowWidth() int { return c.m.rowWidth() }

// row sets out to the scores for the row x.
func (c *Classifier) row(out, x []float64) {
	pairs := len(c.m.intercepts)
	p := rowwise.Scratch(pairs + len(out))
	defer rowwise.Release(p)
	c.m.row((*p)[:pairs], x)
	vote(out, (*p)[:pairs], (*p)[pairs:])
}

// Predict returns the class with the largest Decision score for each row of x (m×d). With s support vectors, the cost is O(sd) for
// each row.
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	return classes.Labels(c.classes).Predict(c.Decision(x))
}

// PredictMatrix is like Predict, but from the same kernel values as PairDecisionMatrix.
func (c *Classifier) PredictMatrix(k mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	return classes.Labels(c.classes).Predict(c.DecisionMatrix(k))
}

// PredictProba returns m×K probabilities for the rows of x (m×d), with the columns in the order of Classes. If Probabilities was
// not set in Fit, the error wraps [errors.ErrUnsupported].
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	if err := c.hasLinks(); err != nil {
		return nil, err
	}
	return c.probabilities(c.m.ofRows(classifierType, x, c.Workers))
}

// PredictProbaMatrix is like PredictProba, but from the same kernel values as PairDecisionMatrix.
func (c *Classifier) PredictProbaMatrix(k mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	if err := c.hasLinks(); err != nil {
		return nil, err
	}
	return c.probabilities(c.m.ofValues(classifierType, k))
}

func (c *Classifier) hasLinks() error {
	if c.m != nil && c.links == nil {
		return fmt.Errorf("%s: PredictProba needs Probabilities to be true at Fit: %w", classifierType, errors.ErrUnsupported)
	}
	return nil
}

// Pair is the machine for two classes.
type Pair struct {
	// Negative and Positive are the labels of the two classes. Negative is the smaller label.
	Negative, Positive int

	// Support lists the pair's support vectors, as ascending positions in SupportIndices.
	Support []int

	// Coefficients lists β, one for each entry of Support.
	Coefficients []float64

	// Intercept is b.
	Intercept float64
}

// Pairs returns the K(K-1)/2 machines for K classes, in the order (0, 1), (0, 2), ..., (1, 2), ... of positions in Classes. It
// returns nil before Fit.
func (c *Classifier) Pairs() []Pair {
	if c.m == nil {
		return nil
	}
	var out []Pair
	for a, negative := range c.classes {
		for _, positive := range c.classes[a+1:] {
			p := len(out)
			support, values := c.m.coefficients(p)
			out = append(out, Pair{Negative: negative, Positive: positive, Support: support, Coefficients: values,
				Intercept: c.m.intercepts[p]})
		}
	}
	return out
}

// SupportIndices returns the training rows that are support vectors of at least one pair, in ascending order. It returns nil before
// Fit.
func (c *Classifier) SupportIndices() []int { return c.m.supportIndices() }

// SupportVectors returns the rows of SupportIndices (s×d). It returns nil before Fit and after FitMatrix.
func (c *Classifier) SupportVectors() *mat.Dense { return c.m.supportVectors() }

// ChosenC returns the C that Fit used. With Nu it is the C that leads to the same machine. With more than two classes it is the
// largest C of the pairs. It returns 0 before Fit, and if no pair has a margin.
func (c *Classifier) ChosenC() float64 { return c.m.chosenC() }

// ChosenKernel returns the kernel that Fit used. It returns nil before Fit and after FitMatrix.
func (c *Classifier) ChosenKernel() kernels.Kernel { return c.m.chosenKernel() }

// Report describes the last Fit. Objective is the minimised dual objective, and Iterations is the number of steps. Both are sums
// over the pairs, without the folds. With Nu, the objective is that of the problem with bounds w[i], before the division by the
// margin.
func (c *Classifier) Report() estimators.Report { return c.m.copiedReport() }

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory. Their scores agree with those of
// Decision up to rounding.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Labels(classifierType, dst, x, c.rowWidth(), c.classes, c.Predict, c.row)
}

// DecisionTo is like Decision but writes to dst, which has a row for each row of x and a column for each class. Like PredictTo, it
// does not allocate memory.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Scores(classifierType, dst, x, c.rowWidth(), len(c.classes), c.Decision, c.row)
}
