package falkon

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/solver"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/posterior"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/streaming"
)

const classifierType = "falkon: Classifier"

// folding is embedded in Classifier, so that a search can report that it fits a fold.
type folding = classes.Folding

// Classifier is kernel classification with landmarks. With [SquaredLoss], the default, it is ridge regression on targets ±1 for
// each class against the rest, or on a single target for two classes. All targets share each pass over the rows. The probabilities
// come from a link that is fitted to leave-one-out scores, as in lssvm.Classifier. With [LogisticLoss] it is logistic regression.
// The zero value is ready to use.
//
// Predict returns the class with the largest score. PredictProba estimates the class frequencies in data like the training rows.
// With class weights, or with three or more classes, the most probable class can therefore differ from the predicted class.
//
// See also Classifier in package lssvm.
type Classifier struct {
	// Kernel is the kernel. If it is nil, a Matérn kernel with ν = 5/2 is used, whose length is chosen by leave-one-out.
	Kernel kernels.Kernel

	// Components is the number of landmarks M, at most n. If it is 0, it is chosen: first as 10√n, at least 500 and at most 2000.
	// It is then doubled, up to 2000, while the effective dimension is more than 0.7 of the number of landmarks.
	Components int `zero:"a number by the rows"`

	// Landmarks sets the landmarks (M×d). If it is not nil, Components and Rule must be 0.
	Landmarks *mat.Dense

	// Rule selects the method that chooses the landmarks. The zero value is [UniformLandmarks].
	Rule LandmarkRule

	// Ridge is the regularisation parameter Λ. It is relative to the sum of the losses over all rows, not to their mean. If it is
	// 0, Λ is chosen by leave-one-out, with the loss of the classifier.
	Ridge float64 `zero:"the choice by leave-one-out"`

	// NoIntercept leaves out the constant b.
	NoIntercept bool

	// Loss is the loss that Fit minimises. The zero value is [SquaredLoss].
	Loss Loss

	// Balanced gives each row the weight n/(K·the number of rows in its class), so that all K classes have the same total weight.
	Balanced bool

	// ClassWeights maps a label to a factor > 0 for the weights of the rows of that class. The factor of all other classes is 1. If
	// Balanced is set, the two factors are multiplied.
	ClassWeights map[int]float64

	// Solver selects the method that solves the system. The zero value is [Automatic].
	Solver Solver

	// Tolerance is the tolerance of [ConjugateGradients], as in [Regressor]. If it is 0, 0.001 is used.
	Tolerance float64 `zero:"1e-3"`

	// MaxIterations is the largest number of iterations of [ConjugateGradients], or of steps of Newton's method. If it is 0, 200 is
	// used.
	MaxIterations int `zero:"200"`

	// Groups holds the group of each training row, such as a patient or a day, as an arbitrary number. The rows of a group are left
	// out together, so that the ridge, the kernel and the probabilities are chosen for new groups. A group of g rows needs memory
	// for its features, gM numbers. If it is nil, equal rows are left out together. FitBlocks does not accept groups.
	Groups []int `settings:"-"`

	// Seed determines the random landmarks and samples.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxBytes limits the memory that Fit allocates, as in [Regressor]. If it is 0, 8 GiB is used.
	MaxBytes int64 `zero:"8 GiB"`

	// Observe, Checkpoint and Resume have the same meanings as in [Regressor]. With [LogisticLoss], Checkpoint is not called, and
	// if Resume is not nil, Fit returns [estimators.ErrParam].
	Observe    func(estimators.Step)
	Checkpoint func(*State)
	Resume     *State

	folding
	fittedMachine
	classes []int
	link    posterior.Link // with SquaredLoss
	used    Loss           // the loss of the last Fit
	left    *mat.Dense     // leave-one-out probabilities of the training rows; nil if there are none
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (c *Classifier) SetGroups(groups []int) { c.Groups = groups }

func (c *Classifier) settings() machineSettings {
	return machineSettings{
		config: c, configured: c.Kernel, components: c.Components, given: c.Landmarks, rule: c.Rule, loss: c.Loss, solver: c.Solver,
		classify: true,
		Settings: solver.Settings{
			Type: classifierType, Ridge: c.Ridge, NoIntercept: c.NoIntercept, Tolerance: c.Tolerance, Iterations: c.MaxIterations,
			Seed:    c.Seed,
			Workers: c.Workers, MaxBytes: c.MaxBytes, Checkpoint: checkpoint(c.Checkpoint), Resume: c.Resume.forSolver(),
			AddedJitter: solver.LeastJitter,
		},
	}
}

func (c *Classifier) classWeights() classes.Weights {
	return classes.Weights{Balanced: c.Balanced, Of: c.ClassWeights, Part: c.IsFold()}
}

func (c *Classifier) validated() (machineSettings, error) {
	s := c.settings()
	if err := s.validate(); err != nil {
		return s, err
	}
	return s, c.classWeights().Validate(classifierType)
}

// Fit fits the model to x (n×d) and the labels y (n), which must contain at least two classes. The cost and the errors are those of
// [Regressor.Fit]. The kernel is computed once in each pass, whatever the number of classes.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, but with a weight > 0 for each row, which is multiplied by the weight of its class. A weight of 2 has
// the same effect as repeating the row. If the ridge is chosen by leave-one-out, only the ratios of the weights matter.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, check.Given(weights))
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	s, err := c.validated()
	if err != nil {
		return err
	}
	given, err := s.rows(x)
	if err != nil {
		return err
	}
	if err := check.Rows("y", len(y), rowsOf(given)); err != nil {
		return err
	}
	names, at, err := c.classWeights().Distinguish(classifierType, y, weights)
	if err != nil {
		return err
	}
	factors := c.factors(names, sumsOf(len(names), at, weights))
	src, err := rows.DistinctRows(given, classes.AgainstRest(at, len(names)), weighed(at, weights, factors), c.Groups)
	if err != nil {
		return fault.AddName(classifierType, err)
	}
	return c.learn(ctx, s, src, names, factors)
}

// sumsOf returns the sum of the weights of the rows of each class.
func sumsOf(k int, at []int, rows []float64) []float64 {
	out := make([]float64, k)
	for i, l := range at {
		out[l] += weights.Weight(rows, i)
	}
	return out
}

// factors returns the factors for the weights of the rows of each class. The argument sums holds the sums of the weights.
func (c *Classifier) factors(names []int, sums []float64) []float64 {
	at := make([]int, len(names)) // one row for each class, with the sum of its weights
	for i := range at {
		at[i] = i
	}
	return c.classWeights().Factors(names, at, sums)
}

// weighed returns the product of each row's weight and the factor of its class, or nil if all products are 1.
func weighed(at []int, rows, factors []float64) []float64 {
	if rows == nil && !slices.ContainsFunc(factors, func(f float64) bool { return f != 1 }) {
		return nil
	}
	out := make([]float64, len(at))
	for i, l := range at {
		out[i] = weights.Weight(rows, i) * factors[l]
	}
	return out
}

// FitBlocks is like Fit or FitWeighted on the rows of all blocks, as in [Regressor.FitBlocks]. It reads them in an additional pass,
// to count the classes.
func (c *Classifier) FitBlocks(ctx context.Context, blocks iter.Seq2[streaming.Block[int], error]) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	s, err := c.validated()
	if err != nil {
		return err
	}
	if c.Groups != nil {
		return noGroups(classifierType, c.Groups)
	}
	rows := &rows.Stream[int]{Type: classifierType, Blocks: blocks}
	names, factors, err := c.count(ctx, rows)
	if err != nil {
		return err
	}
	position := map[int]int{}
	for i, name := range names {
		position[name] = i
	}
	rows.Target = func(dst []float64, y int) {
		for j := range dst {
			dst[j] = -1
		}
		switch at := position[y]; {
		case len(dst) > 1:
			dst[at] = 1
		case at == 1:
			dst[0] = 1
		}
	}
	rows.Weight = func(y int) float64 { return factors[position[y]] }
	src, err := rows.Source(ctx, classes.Machines(len(names)))
	if err != nil {
		return err
	}
	return c.learn(ctx, s, src, names, factors)
}

// count returns the classes in a stream, and the factors for the weights of their rows.
func (c *Classifier) count(ctx context.Context, rows *rows.Stream[int]) (names []int, factors []float64, err error) {
	weight := map[int]float64{}
	err = rows.Each(ctx, func(b streaming.Block[int]) error {
		for i, y := range b.Y {
			w := 1.0
			if b.Weights != nil {
				w = b.Weights[i]
			}
			weight[y] += w
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	names = slices.Sorted(maps.Keys(weight))
	if err := cmp.Or(classes.AtLeastTwo(names), c.classWeights().CheckClasses(classifierType, names)); err != nil {
		return nil, nil, err
	}
	sums := make([]float64, len(names))
	for i, name := range names {
		sums[i] = weight[name]
	}
	return names, c.factors(names, sums), nil
}

// learn fits the machine, and then the link to its leave-one-out scores. The row weights of the machine include the class factors.
// The link is fitted with the weights before these factors.
func (c *Classifier) learn(ctx context.Context, s machineSettings, src *rows.Source, names []int, factors []float64) error {
	m, err := fit(ctx, s, src)
	if err != nil {
		return err
	}
	var link posterior.Link
	if s.loss == SquaredLoss {
		if link, err = linkOf(ctx, m.left, factors); err != nil {
			return err
		}
	}
	left := m.left
	m.left = nil
	c.fittedMachine, c.classes, c.link, c.used, c.left = *m, names, link, s.loss, nil
	if left != nil && src.Merged != nil && c.details.Solver == Direct && rowsOf(left.Targets) == src.N {
		c.left = src.Merged.Spread(leftScores(left))
		c.apply(c.left)
	}
	return nil
}

// leftScores returns the leave-one-out scores of the classes.
func leftScores(l *solver.LeftOut) *mat.Dense {
	scores := mat.DenseCopyOf(l.Targets)
	scores.Sub(scores, l.Residuals)
	return classes.Scores(scores)
}

// LeaveOneOutProba returns n×K probabilities for the training rows of Fit. Each row, together with the rows that equal it, is
// predicted by the machines of all other rows, with the same landmarks, ridge and link. With [LogisticLoss] the probabilities are
// approximate, from one step of Newton's method. It returns [estimators.ErrNotFitted] before Fit. The error wraps
// errors.ErrUnsupported if the system was solved by [ConjugateGradients], with Groups, with more than 50 000 distinct rows, after
// FitBlocks, and after UnmarshalBinary.
func (c *Classifier) LeaveOneOutProba() (*mat.Dense, error) {
	switch {
	case c.m == nil:
		return nil, fault.NotFitted(classifierType)
	case c.left == nil:
		return nil, fmt.Errorf("%s: this fit has no leave-one-out probabilities: %w", classifierType, errors.ErrUnsupported)
	}
	return mat.DenseCopyOf(c.left), nil
}

// linkOf fits a link to leave-one-out scores. A distinct row counts for each of its classes with the share of the class in the
// weight of the row, without the factor of the class.
func linkOf(ctx context.Context, l *solver.LeftOut, factors []float64) (posterior.Link, error) {
	rows, _ := l.Targets.Dims()
	var of, at []int
	var weights []float64
	shares := make([]float64, len(factors))
	for i := range rows {
		shareOut(shares, l.Targets.RawRowView(i))
		for k, share := range shares {
			if share > 0 {
				of, at, weights = append(of, i), append(at, k), append(weights, l.Weights[i]*share/factors[k])
			}
		}
	}
	return posterior.Fit(ctx, linalg.Rows(leftScores(l), of), at, distinct.Counts(weights, len(of), rows))
}

// shareOut sets shares to the shares of the classes, from targets that are means of ±1.
func shareOut(shares, targets []float64) {
	if len(targets) == 1 {
		shares[0], shares[1] = (1-targets[0])/2, (1+targets[0])/2
		return
	}
	for k, t := range targets {
		shares[k] = (1 + t) / 2
	}
}

// Classes returns the labels of the last Fit in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int { return slices.Clone(c.classes) }

// Decision returns m×K scores for the rows of x (m×d), with the columns in the order of Classes. With [SquaredLoss] they are near
// +1 for the row's class and near -1 for the others. With [LogisticLoss] they are log odds. With two classes the columns are -f and
// f.
func (c *Classifier) Decision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	f, err := c.m.Decide(classifierType, x, c.Workers)
	if err != nil {
		return nil, err
	}
	return classes.Scores(f), nil
}

// Predict returns the class with the largest score for each row of x (m×d). The cost is O(mMd).
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	f, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.classes, f), nil
}

// PredictProba returns m×K probabilities for the rows of x (m×d). With [SquaredLoss] they come from the link that was fitted to
// leave-one-out scores. With [LogisticLoss] they are the probabilities of the model. If there are more than two classes, these are
// divided by their sum.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	f, err := c.Decision(x)
	if err != nil {
		return nil, err
	}
	c.apply(f)
	return f, nil
}

// PredictProbaTo is like PredictProba but writes to dst, which has a row for each row of x and a column for each class. Up to
// sixteen rows of a dense matrix are predicted without allocating memory.
func (c *Classifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	if err := c.DecisionTo(dst, x); err != nil {
		return err
	}
	c.apply(dst)
	return nil
}

// apply replaces scores by the probabilities that result from them.
func (c *Classifier) apply(scores *mat.Dense) {
	if c.used == SquaredLoss {
		c.link.Apply(scores)
		return
	}
	n, _ := scores.Dims()
	for i := range n {
		row, sum := scores.RawRowView(i), 0.0
		for j, f := range row {
			row[j] = vecmath.Sigmoid(f)
			sum += row[j]
		}
		for j := range row {
			if row[j] /= sum; !(sum > 0) {
				row[j] = 1 / float64(len(row))
			}
		}
	}
}

func (c *Classifier) rowWidth() int { return c.m.RowWidth() }

// row computes the scores of one row.
func (c *Classifier) row(out, x []float64) {
	if len(c.m.Bias) > 1 {
		c.m.Row(out, x)
		return
	}
	c.m.Row(out[:1], x)
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

// Coefficients returns β, with a row for each landmark and a column for each of Classes, or one column for two classes. It returns
// nil before Fit.
func (c *Classifier) Coefficients() *mat.Dense { return c.coefficients() }

// Intercepts returns b, one for each column of Coefficients. It returns nil before Fit.
func (c *Classifier) Intercepts() []float64 { return c.intercepts() }
