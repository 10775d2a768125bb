package eem

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/rowwise"
)

// model is a fitted machine. Fit computes the solution from the statistics at once. After PartialFit it is computed only when it is
// first needed, so that chunks without predictions between them do not each cost a solution.
type model struct {
	fitSettings
	layer   features.Layer
	width   int // number of columns of x
	classes []int
	stats   []*moments.Moments // of each class; nil after loading
	few     string             // warning that the units were drawn from too few rows, or ""
	before  *solution          // solution before the last chunk; nil if there was none

	solving sync.Mutex
	now     atomic.Pointer[solution] // solution for all rows; nil until it is needed
}

// solve returns the solution for all rows, and computes it if necessary.
func (m *model) solve(ctx context.Context, steps *progress.Steps) (*solution, error) {
	m.solving.Lock()
	defer m.solving.Unlock()
	if s := m.now.Load(); s != nil {
		return s, nil
	}
	s, err := newSolution(ctx, m, steps)
	if err == nil {
		m.now.Store(s)
	}
	return s, err
}

// lastSolution returns the last computed solution, or nil.
func (m *model) lastSolution() *solution {
	if m == nil {
		return nil
	}
	if s := m.now.Load(); s != nil {
		return s
	}
	return m.before
}

func (m *model) copiedStatistics() []*moments.Moments {
	out := make([]*moments.Moments, len(m.stats))
	for k, s := range m.stats {
		out[k] = s.Clone()
	}
	return out
}

// named is the interface of types that have a name for errors.
type named interface{ typ() string }

// machine implements the methods of fitted Classifiers and KernelClassifiers.
type machine[N named] struct{ m *model }

func (c *machine[N]) typ() string {
	var n N
	return n.typ()
}

// keep sets the model unless there was an error.
func (c *machine[N]) keep(m *model, err error) error {
	if err == nil {
		c.m = m
	}
	return err
}

// solution returns the solution for predictions, and computes it if necessary.
func (c *machine[N]) solution(ctx context.Context, steps *progress.Steps) (*solution, error) {
	if c.m == nil {
		return nil, fault.NotFitted(c.typ())
	}
	if s := c.m.now.Load(); s != nil {
		return s, nil
	}
	if err := c.m.complete(); err != nil {
		return nil, fmt.Errorf("%s: %w: %w", c.typ(), fault.ErrNotFitted, err)
	}
	return c.m.solve(ctx, steps)
}

// Solve solves the linear system for the rows of all chunks of PartialFit. Otherwise the first prediction after a chunk solves it.
// After Fit, Solve does nothing. It costs O(h³) for each pair of classes, or once with Discriminant. It returns ErrNotFitted before
// Fit and while a class has no rows, ErrNotPSD, or the error of ctx.
func (c *machine[N]) Solve(ctx context.Context) (err error) {
	defer fault.RecoverAs(c.typ(), &err)
	ctx = check.Context(ctx)
	var steps *progress.Steps
	if c.m != nil {
		defer estimators.BeginFit(&ctx, c.m.observe)(&err)
		steps = progress.NewSteps(ctx, c.m.systems())
	}
	_, err = c.solution(ctx, steps)
	return err
}

// project returns the solution and the positions of rows along its directions.
func (c *machine[N]) project(x mat.Matrix) (*solution, *mat.Dense, error) {
	s, err := c.solution(context.Background(), nil)
	if err != nil {
		return nil, nil, err
	}
	xd, err := check.Wide("x", x, c.m.width)
	if err != nil {
		return nil, nil, err
	}
	z, err := s.scorer.Scores(xd)
	return s, z, err
}

// Decision returns r×K scores for the rows of x (r×d). With two classes they are minus and plus the log odds of the second class.
// With more classes they are the sums of the pairwise probabilities over the other classes, or with Discriminant the log densities.
// Like every prediction, the first call after PartialFit solves the linear system, as Solve does.
func (c *machine[N]) Decision(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.RecoverAs(c.typ(), &err)
	s, z, err := c.project(x)
	if err != nil {
		return nil, err
	}
	out := s.decision(z)
	return out, check.Vector("score", out.RawMatrix().Data)
}

// Predict returns the class with the largest Decision for each row of x (r×d). With two classes and even odds it returns the second
// class. It costs O(rhd).
func (c *machine[N]) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.RecoverAs(c.typ(), &err)
	return classes.Labels(c.Classes()).Predict(c.Decision(x))
}

// PredictProba returns probabilities (r×K) for the rows of x (r×d). With two classes they are the posterior probabilities of the
// two Gaussians. With more classes they are the means of the pairwise probabilities, or with Discriminant the posterior
// probabilities of all Gaussians.
func (c *machine[N]) PredictProba(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.RecoverAs(c.typ(), &err)
	s, z, err := c.project(x)
	if err != nil {
		return nil, err
	}
	out := s.proba(z)
	return out, check.Vector("probability", out.RawMatrix().Data)
}

// Project returns the positions of the rows of x (r×d) along the directions. The result has a column for each of Pairs, in the same
// order, or for each axis of the discriminant plane.
func (c *machine[N]) Project(x mat.Matrix) (_ *mat.Dense, err error) {
	defer fault.RecoverAs(c.typ(), &err)
	_, z, err := c.project(x)
	return z, err
}

// rowForm implements the interface of package rowwise. It returns the number of columns of x and the classes. If there is no
// solution, the number is 0.
func (c *machine[N]) rowForm() (width int, names []int) {
	if _, err := c.solution(context.Background(), nil); err != nil {
		return 0, nil
	}
	return c.m.width, c.m.classes
}

// row computes the scores of one row.
func (c *machine[N]) row(out, x []float64) { c.m.now.Load().row(out, x) }

// predictTo and decisionTo implement PredictTo and DecisionTo. Each type must define these methods itself, because promoted methods
// are not recognised.
func (c *machine[N]) predictTo(dst []int, x mat.Matrix) error {
	width, names := c.rowForm()
	return rowwise.Labels(c.typ(), dst, x, width, names, c.Predict, c.row)
}

func (c *machine[N]) decisionTo(dst *mat.Dense, x mat.Matrix) error {
	width, names := c.rowForm()
	return rowwise.Scores(c.typ(), dst, x, width, len(names), c.Decision, c.row)
}

// Classes returns the labels in ascending order. It returns nil before Fit.
func (c *machine[N]) Classes() []int {
	if c.m == nil {
		return nil
	}
	return slices.Clone(c.m.classes)
}

// Statistics returns copies of the statistics of the classes, in the order of Classes. It returns nil before Fit and
// for a model from a file.
func (c *machine[N]) Statistics() []*Statistics {
	if c.m == nil || c.m.stats == nil {
		return nil
	}
	out := make([]*Statistics, len(c.m.stats))
	for k, s := range c.m.stats {
		out[k] = &Statistics{*s.Clone()}
	}
	return out
}

// Report describes the last Fit, or the last Solve after PartialFit. It does not include rows that were added after that. Objective
// is the negative divergence, summed over the pairs of classes.
func (c *machine[N]) Report() estimators.Report {
	s := c.m.lastSolution()
	if s == nil {
		return estimators.Report{}
	}
	return s.report.Clone()
}

// Pair is the model of two classes.
type Pair struct {
	// Negative and Positive are the labels of the two classes. Negative is the smaller label.
	Negative, Positive int

	// Direction is β, in the space of the hidden units, or of the features of a [KernelClassifier].
	Direction []float64
	Means     [2]float64

	// Variances holds the variances of the negative and of the positive class along β.
	Variances [2]float64

	// Divergence is the Cauchy-Schwarz divergence of the two classes along β.
	Divergence float64

	// Distance is the first term of Divergence, which β maximises.
	Distance float64

	// Shrinkage holds the ρ of Ledoit and Wolf for each class.
	Shrinkage  [2]float64
	Thresholds Thresholds
}

// Pairs returns the model of each pair of classes from the last Fit or Solve, or from the last prediction that solved the system.
// It returns nil before there is a solution, and with Discriminant if there are more than two classes. The Direction of a
// KernelClassifier is in a space whose axes are arbitrary up to a rotation (see LandmarkCoefficients).
func (c *machine[N]) Pairs() []Pair {
	s := c.m.lastSolution()
	if s == nil || s.plane != nil {
		return nil
	}
	var out []Pair
	for i := range s.classes {
		for j := range i {
			at := len(out)
			p := s.pairs[at]
			out = append(out, Pair{
				Negative: s.classes[j], Positive: s.classes[i], Direction: slices.Clone(p.Beta), Means: [2]float64{p.MNeg, p.MPos},
				Variances: [2]float64{p.SNeg, p.SPos}, Divergence: p.Divergence(), Distance: p.Distance,
				Shrinkage: [2]float64{p.RhoNeg, p.RhoPos}, Thresholds: thresholds(p, s.logW[at]),
			})
		}
	}
	return out
}
