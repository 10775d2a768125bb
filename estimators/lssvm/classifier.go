package lssvm

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/posterior"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/settings"
	"github.com/kernelearn/kernelearn/kernels"
)

const classifierType = "lssvm: Classifier"

// folding lets a search mark the classifier as fitted to a fold.
type folding = classes.Folding

// Classifier is the least-squares support vector machine for classification. It fits one machine for each class against the others,
// on targets ±1, or a single machine for two classes. All machines share one factorisation. The zero value is ready to use.
//
// Predict returns the class with the largest score. PredictProba estimates the class frequencies in data like the training rows.
// With class weights, or with three or more classes, the most probable class can therefore differ from the predicted one.
//
// The zero value chooses one length for all columns. selection.Classifier also chooses a length for each column.
//
// See also Classifier in package svm, Classifier in package falkon.
type Classifier struct {
	// Kernel is the kernel k. If it is nil, leave-one-out chooses a Matérn kernel together with the ridge. If Ridge is set or
	// [RidgeRule] is [Heuristic], [kernels.MedianRBF] of the training rows is used instead.
	Kernel kernels.Kernel

	// Ridge is the regularisation parameter λ. If it is 0, [RidgeRule] determines it.
	Ridge float64 `zero:"the choice by RidgeRule"`

	// RidgeRule determines how the ridge is chosen if Ridge is 0. The zero value is [LeaveOneOut].
	RidgeRule RidgeRule

	// Solver selects the method that solves the linear system. If it is [Automatic], the number of rows and MaxKernelBytes decide.
	// It does not affect FitMatrix, which always factors.
	Solver Solver

	// Balanced gives the rows of each class the weight n divided by K times the number of its rows, so that all K
	// classes have the same total weight.
	Balanced bool

	// ClassWeights maps a label to a factor > 0 for the weights of the rows of that class. Classes that are absent have the factor
	// 1. If Balanced is set, the factor is multiplied by the weight of Balanced.
	ClassWeights map[int]float64

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The rows of a group are left
	// out together, so that the ridge, the kernel and the probabilities are chosen for new groups. If it is nil, equal rows are
	// left out together.
	Groups []int `settings:"-"`

	// Seed is the seed for the samples of rows on which a kernel is chosen if there are many rows.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxKernelBytes is the limit on the size of the kernel matrix. With [ConjugateGradients] this includes the preconditioner and
	// the vectors. If it is 0, the limit is [kernels.MaxKernelBytes].
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"`

	// If Observe is not nil, it is called after each ridge that leave-one-out evaluates, and after each iteration of
	// [ConjugateGradients].
	Observe func(estimators.Step)

	// Checkpoint and Resume are as in [Regressor].
	Checkpoint func(*State)
	Resume     *State

	folding
	starting
	m       *machine
	classes []int
	link    posterior.Link
	left    *mat.Dense // leave-one-out probabilities of the training rows; nil after UnmarshalBinary
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (c *Classifier) SetGroups(groups []int) { c.Groups = groups }

func (c *Classifier) settings() machineSettings {
	return machineSettings{
		typ: classifierType, kernel: c.Kernel, ridge: c.Ridge, rule: c.RidgeRule, solver: c.Solver, seed: c.Seed, groups: c.Groups,
		options:    kernels.Options{Workers: c.Workers, MaxBytes: c.MaxKernelBytes},
		checkpoint: c.Checkpoint, resume: c.Resume,
		classify: true,
	}
}

func (c *Classifier) validated() (machineSettings, error) {
	s := c.settings()
	if err := settings.Check(classifierType, c); err != nil {
		return s, err
	}
	return s, c.classWeights().Validate(classifierType)
}

// Fit fits the model to x (n×d) and the labels y (n), which must contain at least two classes. The cost is O(n²d + n³) for any
// number of classes, or the cost of [ConjugateGradients].
//
// Fit returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite], [estimators.ErrTooLarge] above
// MaxKernelBytes, [estimators.ErrNotPSD] if the kernel is indefinite beyond the ridge, or the error of ctx. If Solver is Automatic,
// ErrTooLarge is also returned above 200 000 rows; package falkon has no such limit.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row, which is multiplied by the weight of its class. A weight of 2
// has the same effect as the row given twice. If the ridge is chosen by leave-one-out, only the ratios of the weights
// matter.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, check.Given(weights))
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	s, err := c.validated()
	s.start = c.TakeStart()
	if err != nil {
		return err
	}
	rows, err := s.rows(x)
	if err != nil {
		return err
	}
	n, _ := rows.Dims()
	if err := check.Rows("y", len(y), n); err != nil {
		return err
	}
	return c.finish(ctx, y, weights, func(targets *mat.Dense, w []float64) (*machine, error) {
		return fitRows(ctx, s, rows, targets, w)
	})
}

// PredictProbaTo is like PredictProba but writes to dst, which has a row for each row of x and a column for each class. Up to
// sixteen rows of a dense matrix are predicted without allocating memory.
func (c *Classifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	if err := c.DecisionTo(dst, x); err != nil {
		return err
	}
	c.link.Apply(dst)
	return finiteProba(dst)
}

// finiteProba returns an error if probabilities are not finite because scores overflowed.
func finiteProba(p *mat.Dense) error {
	rows, _ := p.Dims()
	for i := range rows {
		if err := check.Vector("probability", p.RawRowView(i)); err != nil {
			return err
		}
	}
	return nil
}

// CheckRowCount returns the [estimators.ErrTooLarge] that Fit would return for this number of rows, or nil if Fit would
// accept it. It computes nothing, so that a search can call it before it begins.
func (c *Classifier) CheckRowCount(rows int) error { return c.settings().holds(rows) }

// FitMatrix fits the model to a kernel matrix k (n×n) that the caller has computed, and labels y (n). The field Kernel is not used.
// Predictions are then made by PredictMatrix, PredictProbaMatrix and DecisionMatrix.
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
	s, err := c.validated()
	if err != nil {
		return err
	}
	if err := check.Symmetric(k, len(y)); err != nil {
		return err
	}
	return c.finish(ctx, y, weights, func(targets *mat.Dense, w []float64) (*machine, error) {
		return fitMatrix(ctx, s, k, targets, w)
	})
}

// finish computes targets and weights from the labels, solves the system, and fits the link.
func (c *Classifier) finish(ctx context.Context, y []int, weights []float64, solve func(*mat.Dense, []float64) (*machine, error)) error {
	names, at, err := c.classWeights().Distinguish(classifierType, y, weights)
	if err != nil {
		return err
	}
	target := classes.AgainstRest(at, len(names))
	m, err := solve(target, c.classWeights().Rows(names, at, weights))
	if err != nil {
		return err
	}
	if m.left.residuals == nil { // a single distinct row has no leave-one-out scores
		target.Zero()
	} else {
		target.Sub(target, m.left.residuals) // the leave-one-out scores
	}
	m.left, m.groups, m.given = nil, nil, givenRows{first: m.given.first, n: m.given.n}
	left := classes.Scores(target)
	link, err := posterior.Fit(ctx, left, at, distinct.Counts(weights, len(y), m.n))
	if err != nil {
		return err
	}
	c.m, c.classes, c.link = m, names, link
	c.left = mat.DenseCopyOf(left)
	c.link.Apply(c.left)
	return nil
}

// LeaveOneOutProba returns n×K probabilities for the training rows. Each row is predicted by the machines of all other rows, or of
// the rows in other Groups, with the same ridge and the link of PredictProba. Files do not contain these probabilities. It returns
// [estimators.ErrNotFitted] before Fit and after UnmarshalBinary.
func (c *Classifier) LeaveOneOutProba() (*mat.Dense, error) {
	if c.left == nil {
		return nil, fault.NotFitted(classifierType)
	}
	return mat.DenseCopyOf(c.left), nil
}

func (c *Classifier) classWeights() classes.Weights {
	return classes.Weights{Balanced: c.Balanced, Of: c.ClassWeights, Part: c.IsFold()}
}

// Classes returns the labels of the last Fit in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int { return slices.Clone(c.classes) }

// Decision returns m×K scores for the rows of x (m×d), with the columns in the order of Classes. They are near +1 for the row's
// class and near -1 for the others. With two classes the columns are -f and f.
func (c *Classifier) Decision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return scores(c.m.decide(classifierType, x, c.settings().options))
}

// DecisionMatrix is like Decision, but from kernel values k (m×n) between new rows and the training rows.
func (c *Classifier) DecisionMatrix(k mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return scores(c.m.decideMatrix(classifierType, k))
}

// scores returns the scores of the classes from the outputs of the machines.
func scores(f *mat.Dense, err error) (*mat.Dense, error) {
	if err != nil {
		return nil, err
	}
	return classes.Scores(f), nil
}

// Predict returns the class with the largest score for each row of x (m×d). The cost is O(mnd).
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	return classes.Labels(c.classes).Predict(c.Decision(x))
}

// PredictMatrix is like Predict, but from the same kernel values as DecisionMatrix.
func (c *Classifier) PredictMatrix(k mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	return classes.Labels(c.classes).Predict(c.DecisionMatrix(k))
}

// PredictProba returns m×K probabilities for the rows of x (m×d), with the link fitted to leave-one-out scores.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return c.probabilities(c.Decision(x))
}

// PredictProbaMatrix is like PredictProba, but from the same kernel values as DecisionMatrix.
func (c *Classifier) PredictProbaMatrix(k mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return c.probabilities(c.DecisionMatrix(k))
}

// probabilities replaces the scores in f by probabilities and returns f, unless err is not nil.
func (c *Classifier) probabilities(f *mat.Dense, err error) (*mat.Dense, error) {
	if err != nil {
		return nil, err
	}
	c.link.Apply(f)
	if err := finiteProba(f); err != nil {
		return nil, err
	}
	return f, nil
}

// ChosenKernel returns the kernel that Fit used. It returns nil before Fit and after FitMatrix.
func (c *Classifier) ChosenKernel() kernels.Kernel { return c.m.chosenKernel() }

// ChosenRidge returns the ridge λ that Fit used. It returns 0 before Fit.
func (c *Classifier) ChosenRidge() float64 { return c.m.chosenRidge() }

// Coefficients returns α. It has a row for each distinct training row, in the order of their first occurrence, and a column for
// each class, or one column for two classes. After FitMatrix there is a row for each row of k, and the first of equal rows has the
// coefficients of all of them. It returns nil before Fit.
func (c *Classifier) Coefficients() *mat.Dense {
	if c.m == nil {
		return nil
	}
	return c.m.coefficients()
}

// Intercepts returns b, one for each column of Coefficients. It returns nil before Fit.
func (c *Classifier) Intercepts() []float64 {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.bias)
}

// Details describes how the last Fit solved the linear system. It returns the zero value before Fit.
func (c *Classifier) Details() Details { return c.m.copiedDetails() }

// Report describes the last Fit. Objective is the mean weighted squared leave-one-out residual of the targets ±1, summed over the
// machines. Iterations is the number of evaluated ridges, or the number of iterations of [ConjugateGradients].
func (c *Classifier) Report() estimators.Report { return c.m.copiedReport() }

func (c *Classifier) rowWidth() int { return c.m.rowWidth() }

// row sets out to the scores for the row x.
func (c *Classifier) row(out, x []float64) {
	if len(c.m.bias) > 1 {
		c.m.row(out, x)
		return
	}
	c.m.row(out[:1], x)
	classes.SetBoth(out, out[0])
}

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
