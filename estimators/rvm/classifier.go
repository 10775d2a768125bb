package rvm

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/evidence"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/weights"
	"github.com/kernelearn/kernelearn/kernels"
)

const classifierType = "rvm: Classifier"

// folding lets a search mark the classifier as fitted to a fold.
type folding = classes.Folding

// Classifier is the relevance vector machine for classification, with an intercept that has a nearly flat prior. With more than two
// classes, each class is fitted against the others. The zero value is ready to use.
//
// With default settings it makes the same choices as [Regressor].
//
// See also Classifier in package gabasr, Classifier in package lssvm.
type Classifier struct {
	// Kernel is the kernel, which need not be positive semi-definite. If it is nil, Fit chooses a Matérn kernel of ν = 5/2 with a
	// length for each column (see the package documentation).
	Kernel kernels.Kernel

	// Kernels is a dictionary of kernels: every row has a basis function for each of them. If it is set, Kernel must be nil.
	Kernels []kernels.Kernel

	// Landmarks holds the centres of the basis functions (M×d). If it is nil, the centres are training rows.
	Landmarks *mat.Dense

	// Components is the number of training rows, drawn with Seed, that are centres of basis functions. If it is 0, all rows are
	// used.
	Components int `zero:"all rows"`

	// If Refine is set, the fit ends with steps along the true gradient of the evidence. They increase the evidence slightly (by
	// about .04 nats in the reference case). Each step needs a new mode of the posterior, tens of them in total.
	Refine bool

	// Balanced gives the rows of each class the weight n divided by K times the number of its rows, so that all K
	// classes have the same total weight.
	Balanced bool

	// ClassWeights maps a label to a factor > 0 for the weights of the rows of that class. Classes that are absent have the factor
	// 1. If Balanced is set, the factor is multiplied by the weight of Balanced.
	ClassWeights map[int]float64

	// Seed is the seed for drawing the rows of Components, and the rows on which lengths are chosen.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// CacheBytes is the memory for columns of the design matrix. If it is 0, 512 MiB is used.
	CacheBytes int64 `zero:"512 MiB"`

	// If Observe is not nil, it is called after each change of a machine, by one goroutine at a time. Objective is the
	// negative log evidence of that machine.
	Observe func(estimators.Step)

	folding
	supportMethods[*classification]
}

func (c *Classifier) place() basisSettings {
	return basisSettings{typ: classifierType, config: c, kernel: c.Kernel, kernels: c.Kernels, landmarks: c.Landmarks,
		components: c.Components, seed: c.Seed, cacheBytes: c.CacheBytes, workers: c.Workers}
}

func (c *Classifier) classWeights() classes.Weights {
	return classes.Weights{Balanced: c.Balanced, Of: c.ClassWeights, Part: c.IsFold()}
}

func (c *Classifier) validate() error {
	if err := c.classWeights().Validate(classifierType); err != nil {
		return err
	}
	return c.place().validate()
}

// Fit fits the model to x (n×d) and n labels y. With M basis functions, m of them kept, the cost is O(nMm) for each of about m
// scans of the basis. It returns [estimators.ErrParam], [estimators.ErrShape] (also for a single class), [estimators.ErrNotFinite],
// or the error of ctx.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, nil)
}

// FitWeighted is like Fit, with a weight > 0 for each row. The product of this weight and the weight of the row's class multiplies
// the logarithm of the row's likelihood. A weight of 2 has the same effect as the row given twice. Only the ratios of the weights
// matter. On average, each distinct row counts once, or each row if equal rows have different classes. Probabilities assume that
// rows occur in proportion to their weights.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.fit(ctx, x, y, check.Given(weights))
}

func (c *Classifier) fit(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	if err := c.validate(); err != nil {
		return err
	}
	xd, err := check.Labelled(x, len(y))
	if err != nil {
		return err
	}
	rows, err := c.merge(xd, y, weights)
	if err != nil {
		return err
	}
	first, rest := progress.Two(ctx, c.place().shareOfKernel(), 1)
	d, err := c.place().onRows(first, rows.Rows, rows.signs)
	if err != nil {
		return err
	}
	return c.learn(rest, d, rows)
}

// rowsOfClasses holds distinct rows and their targets of ±1. The targets are for the second of two classes, or for each class
// against the others, and are means over equal rows.
type rowsOfClasses struct {
	*distinct.Rows
	labels   []int
	targets  *mat.Dense
	ofKernel []float64 // weights for the choice of the kernel
}

func (c *Classifier) merge(x *mat.Dense, y []int, own []float64) (*rowsOfClasses, error) {
	labels, at, err := c.classWeights().Distinguish(classifierType, y, own)
	if err != nil {
		return nil, err
	}
	r := &rowsOfClasses{Rows: distinct.Merge(x, c.classWeights().Rows(labels, at, own)).Relative(), labels: labels}
	given := classes.AgainstRest(at, len(labels))
	r.targets = r.Mean(given)
	r.ofKernel = r.CountInClass(given, r.targets)
	r.Weights = r.CountEach(given, r.targets)
	return r, nil
}

// FitDesign fits the model to a design matrix phi (n×M) and n labels y. Kernel, Kernels, Landmarks and Components are not used.
// Predictions are then made by the methods whose names end in Design.
func (c *Classifier) FitDesign(ctx context.Context, phi mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	if err := c.validate(); err != nil {
		return err
	}
	pd, err := designRows(phi, len(y))
	if err != nil {
		return err
	}
	rows, err := c.merge(pd, y, nil)
	if err != nil {
		return err
	}
	return c.learn(ctx, basis.OnMatrix(rows.Rows), rows)
}

// learn fits a machine to each class, or a single machine for two classes.
func (c *Classifier) learn(ctx context.Context, d basis.Design, rows *rowsOfClasses) error {
	labels := rows.labels
	first, rest := progress.Two(ctx, 1, 8)
	b, err := basis.New(first, d.Raw, weights.NewCounts(rows.Weights, d.N), d.N, d.M+1, false, true, c.place().bytes(), c.Workers)
	if err != nil {
		return err
	}
	positive := labels[len(labels)-classes.Machines(len(labels)):]
	steps := progress.NewSteps(ctx, 0)
	fitted, done := make([]*evidence.Classification, len(positive)), make([]bool, len(positive))
	err = parallel.ForEachPart(rest, c.Workers, len(positive), func(ctx context.Context, i int) (err error) {
		t := mat.Col(nil, i, rows.targets)
		for row, v := range t {
			t[row] = (1 + v) / 2
		}
		fitted[i], done[i], err = evidence.Classify(ctx, b, t, c.Refine, c.Workers, steps)
		return err
	})
	if err != nil {
		return err
	}
	m := gather(d, labels, positive, fitted, done)
	for _, mc := range m.machines {
		numbers := slices.Concat(mc.Coefficients, mc.Alphas, codec.FromSym(mc.Covariance), []float64{mc.Intercept, mc.Evidence})
		if err := check.Vector(classifierType+": coefficients, precisions and covariance", numbers); err != nil {
			return fmt.Errorf("%w: scale the rows", err) // a file could not hold such a number
		}
	}
	c.m = m
	return nil
}

// decide returns a score for each class. If matrix is true, the rows of x are rows of a design matrix.
func (c *Classifier) decide(name string, x mat.Matrix, matrix bool) (*mat.Dense, error) {
	xd, err := c.m.fittedSupport().Input(classifierType, name, x, matrix)
	if err != nil {
		return nil, err
	}
	return c.m.scores(xd, c.Workers)
}

func (c *Classifier) predict(name string, x mat.Matrix, matrix bool) ([]int, error) {
	s, err := c.decide(name, x, matrix)
	if err != nil {
		return nil, err
	}
	return classes.Predicted(c.m.labels, s), nil
}

func (c *Classifier) proba(name string, x mat.Matrix, matrix bool) (*mat.Dense, error) {
	s, err := c.decide(name, x, matrix)
	if err != nil {
		return nil, err
	}
	return probabilities(s), nil
}

// Decision returns the moderated score of each class for each row of x (r×d), as an r×K matrix. The score is the logit of the
// class's probability against the others.
func (c *Classifier) Decision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return c.decide("x", x, false)
}

// Predict returns the class with the largest Decision score for each row of x (r×d).
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	return c.predict("x", x, false)
}

// PredictDesign is like Predict, for new rows of the design matrix (r×M).
func (c *Classifier) PredictDesign(phi mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	return c.predict("phi", phi, true)
}

// PredictProba returns probabilities (r×K) for each row of x (r×d), with columns in the order of Classes. With two classes the
// probability is the sigmoid of the score, moderated by the variance of the score, so that it is close to 1/2 if the model is
// uncertain. With more classes it is the probability of each class against the others, divided by the sum of these probabilities.
func (c *Classifier) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return c.proba("x", x, false)
}

// PredictProbaDesign is like PredictProba, for new rows of the design matrix (r×M).
func (c *Classifier) PredictProbaDesign(phi mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.Recover(&err)
	return c.proba("phi", phi, true)
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory. Their scores agree with those of
// Decision up to rounding.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Labels(classifierType, dst, x, c.m.fittedSupport().RowWidth(), c.labels(), c.Predict, c.m.row)
}

// DecisionTo is like Decision but writes to dst, which has a row for each row of x and a column for each class. Like PredictTo, it
// does not allocate memory.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return rowwise.Scores(classifierType, dst, x, c.m.fittedSupport().RowWidth(), len(c.labels()), c.Decision, c.m.row)
}

func (c *Classifier) labels() []int {
	if c.m == nil {
		return nil
	}
	return c.m.labels
}

// Classes returns the distinct labels of the last Fit in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int { return slices.Clone(c.labels()) }

// Machines returns the machine of each class. It returns nil before Fit.
func (c *Classifier) Machines() []Machine {
	if c.m == nil {
		return nil
	}
	out := make([]Machine, len(c.m.machines))
	for i, mc := range c.m.machines {
		out[i] = Machine{
			Class: c.m.labels[i+len(c.m.labels)-len(c.m.machines)], Coefficients: slices.Clone(mc.Coefficients),
			Alphas:    slices.Clone(mc.Alphas),
			Intercept: mc.Intercept, LogEvidence: mc.Evidence,
		}
		for _, j := range mc.Members {
			out[i].RelevanceIndices = append(out[i].RelevanceIndices, c.m.Index(j))
			out[i].RelevanceKernels = append(out[i].RelevanceKernels, c.m.KernelOf(j))
		}
	}
	return out
}

// LogEvidence returns the log evidence in Laplace's approximation, summed over the machines. It returns 0 before
// Fit.
func (c *Classifier) LogEvidence() float64 {
	if c.m == nil {
		return 0
	}
	sum := 0.0
	for _, mc := range c.m.machines {
		sum += mc.Evidence
	}
	return sum
}

// Report describes the last Fit. Objective is the negative of LogEvidence. Iterations is the number of changes over all machines.
func (c *Classifier) Report() estimators.Report {
	if c.m == nil {
		return estimators.Report{}
	}
	return c.m.report.Clone()
}
