package eem

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/transformers"
)

const classifierType = "eem: Classifier"

// Classifier is the extreme entropy machine. The zero value is ready to use: 250 units
// of many widths on training rows, balanced classes. Features should be of comparable
// scale, or in [0, 1] for the paper's own activations (see transformers.Activation).
type Classifier struct {
	Units      int // units; 0: transformers.DefaultUnits
	Activation transformers.Activation
	Seed       uint64 // of the units
	Workers    int    // goroutines; 0: GOMAXPROCS
	// Labels are the classes, ascending, where the first chunk of PartialFit may not
	// hold all of them; nil: those of Fit's rows, or of the first chunk.
	Labels []int
	// Priors are the probabilities of the classes, in the order of Classes; nil: equal.
	// Only their ratios count.
	Priors []float64
	// Costs are of taking a class for another, in the order of Classes; nil: equal.
	Costs []float64
	// EmpiricalPriors takes the classes' shares of the training rows for Priors: for
	// accuracy, where the default is for balanced accuracy.
	EmpiricalPriors bool
	// Multiclass is how more than two classes are told apart; zero: OneVersusOne.
	Multiclass Multiclass

	m *model
}

var (
	_ estimators.Classifier                    = (*Classifier)(nil)
	_ estimators.ProbaPredictor                = (*Classifier)(nil)
	_ estimators.DecisionPredictor             = (*Classifier)(nil)
	_ estimators.Cloner[estimators.Classifier] = (*Classifier)(nil)
	_ estimators.Reporter                      = (*Classifier)(nil)
)

func (c *Classifier) settings() settings {
	return settings{
		typ: classifierType, labels: c.Labels, priors: c.Priors, costs: c.Costs, empirical: c.EmpiricalPriors,
		multiclass: c.Multiclass, workers: c.Workers,
		draw: func(ctx context.Context, x *mat.Dense) (layer, error) {
			h := &transformers.RandomHidden{Units: c.Units, Activation: c.Activation, Seed: c.Seed, Workers: c.Workers}
			if err := h.Fit(ctx, x); err != nil {
				return nil, err
			}
			return newHiddenLayer(h), nil
		},
	}
}

// hiddenLayer sees rows through random units.
type hiddenLayer struct {
	hidden *transformers.RandomHidden
	units  int
}

func newHiddenLayer(h *transformers.RandomHidden) *hiddenLayer {
	_, b := h.UnitWeights()
	return &hiddenLayer{hidden: h, units: len(b)}
}

func (l *hiddenLayer) features(dst, x *mat.Dense) error { return l.hidden.UnitsTo(dst, x) }
func (l *hiddenLayer) width(units int) int              { return min(units, l.units) }

func (l *hiddenLayer) first(units int) (layer, error) {
	h, err := l.hidden.First(units)
	return &hiddenLayer{hidden: h, units: l.width(units)}, err
}

func (l *hiddenLayer) along(directions *mat.Dense) (scorer, error) {
	return &hiddenScorer{hidden: l.hidden, directions: directions}, nil
}

type hiddenScorer struct {
	hidden     *transformers.RandomHidden
	directions *mat.Dense // h×r
}

func (s *hiddenScorer) scores(x *mat.Dense) (*mat.Dense, error) {
	_, r := s.directions.Dims()
	if n, _ := x.Dims(); n == 1 {
		return placed(s, x, r)
	}
	h := &mat.Dense{}
	return inChunks(x, r, func(dst, x *mat.Dense) error {
		rows, _ := x.Dims()
		if last, _ := h.Dims(); last != rows {
			h = &mat.Dense{}
		}
		err := s.hidden.TransformTo(h, x)
		if err == nil {
			dst.Mul(h, s.directions)
		}
		return err
	})
}

// Fit learns from x (n×d) and n labels y. Errors: ErrParam, ErrShape (also for a single
// class, or one of Labels without a row), ErrNotFinite, or ctx's.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	m, err := c.settings().fit(ctx, x, y)
	if err == nil {
		c.m = m
	}
	return err
}

// FitPath fits a machine for each number of hidden units, ascending, as Fit would with
// Units set to it: the units of a smaller one are the first of a larger one, so that all
// share the products of the largest, and each adds its own system of equations, O(h³).
func (c *Classifier) FitPath(ctx context.Context, x mat.Matrix, y []int, units []int) ([]*Classifier, error) {
	if err := checkUnits(classifierType, units); err != nil {
		return nil, err
	}
	largest := *c
	largest.Units = units[len(units)-1]
	models, err := largest.settings().path(ctx, x, y, units)
	if err != nil {
		return nil, err
	}
	out := make([]*Classifier, len(models))
	for i, m := range models {
		out[i] = c.Clone().(*Classifier)
		out[i].Units, out[i].m = units[i], m
	}
	return out, nil
}

// HeldOut cross-validates: it returns for each row of x (n×d) the probabilities, n×K in
// the order of the ascending labels, of the machine that has not seen the rows of its
// block; block names the block of each row. The units are drawn once, from rows without
// their labels; the statistics of all rows are summed once and those of a block are taken
// out again, so that k blocks cost two passes over the rows and k solutions, O(kh³),
// where k fits would cost k passes. Errors are Fit's, and ErrShape for a block without
// which a class has no rows.
func (c *Classifier) HeldOut(ctx context.Context, x mat.Matrix, y, block []int) (*mat.Dense, error) {
	return c.settings().heldOut(ctx, x, y, block)
}

// PartialFit takes in more rows: after all chunks the machine is that of Fit on all
// rows, but for rounding, and for DataRBF, whose units sit on rows of the first chunk.
// The classes are Labels, or those of the first chunk; a chunk need not hold all of
// them. Before each has had a row there is nothing to predict with: ErrNotFitted. A
// chunk that is an error changes nothing. The system of equations is solved when first
// a prediction or a report wants it.
func (c *Classifier) PartialFit(ctx context.Context, x mat.Matrix, y []int) error {
	m, err := c.settings().partialFit(ctx, c.m, x, y)
	if err == nil {
		c.m = m
	}
	return err
}

// Decision returns r×K scores for the rows of x (r×d): of two classes minus and plus
// the log odds of the second, of more the sum over the other classes of the pairwise
// probabilities, or with Discriminant the log densities.
func (c *Classifier) Decision(x mat.Matrix) (*mat.Dense, error) {
	return c.m.decision(classifierType, x)
}

// Predict returns the class of the largest Decision for each row of x (r×d), the second
// of two where the odds are even. Cost O(rhd).
func (c *Classifier) Predict(x mat.Matrix) ([]int, error) { return c.m.predict(classifierType, x) }

// PredictProba returns probabilities for the rows of x (r×d), r×K: of two classes the
// posterior of their Gaussians, of more the mean of the pairwise ones, or with
// Discriminant the posterior of all.
func (c *Classifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	return c.m.proba(classifierType, x)
}

// Project returns where the rows of x (r×d) lie along the directions: a column for each
// of Pairs, in their order, or for each axis of the discriminant plane.
func (c *Classifier) Project(x mat.Matrix) (*mat.Dense, error) {
	_, z, err := c.m.project(classifierType, x)
	return z, err
}

// Classes returns the labels, ascending; nil before Fit.
func (c *Classifier) Classes() []int { return c.m.labels() }

// Pairs returns what was learnt of each two classes; nil before Fit, and for more than
// two with Discriminant.
func (c *Classifier) Pairs() []Pair { return c.m.describe() }

// Statistics returns copies of the classes' statistics, in the order of Classes; nil
// before Fit and for a model from a file.
func (c *Classifier) Statistics() []*Statistics { return c.m.copiedStatistics() }

// Report says how the last Fit went. Objective is the negative divergence, summed over
// the pairs of classes.
func (c *Classifier) Report() estimators.Report { return c.m.copiedReport() }

// Clone returns an unfitted Classifier of the same configuration.
func (c *Classifier) Clone() estimators.Classifier {
	out := *c
	out.m = nil
	out.Labels, out.Priors, out.Costs = slices.Clone(c.Labels), slices.Clone(c.Priors), slices.Clone(c.Costs)
	return &out
}

func (s *hiddenScorer) place(z, x []float64) {
	units, _ := s.directions.Dims()
	p := rowwise.Scratch(units)
	defer rowwise.Release(p)
	if s.hidden.TransformRow(*p, x) != nil {
		z[0] = math.NaN() // of an activation that is not finite
		return
	}
	along(z, *p, s.directions)
}

func (c *Classifier) rowWidth() int { return c.m.rowWidth() }

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows of a
// dense matrix are predicted one by one without allocating; their scores agree with
// Decision's to rounding.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) error {
	return rowwise.Labels(classifierType, dst, x, c.rowWidth(), c.m.classLabels(), c.Predict, c.m.row)
}

// DecisionTo is Decision into dst, a row for each of x and a column for each of Classes,
// without allocating as PredictTo.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error {
	return rowwise.Scores(classifierType, dst, x, c.rowWidth(), len(c.m.classLabels()), c.Decision, c.m.row)
}
