package eem

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/transformers"
)

const classifierType = "eem: Classifier"

// Classifier is the extreme entropy machine. The zero value is ready to use: 250 units
// of many widths on training rows, balanced classes. Features should be of comparable
// scale, or in [0, 1] for the paper's own activations (see transformers.Activation).
type Classifier struct {
	Hidden     int // units; 0: transformers.DefaultUnits
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
	// Frequencies takes the classes' shares of the training rows for Priors: for
	// accuracy, where the default is for balanced accuracy.
	Frequencies bool

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
		typ: classifierType, labels: c.Labels, priors: c.Priors, costs: c.Costs, frequencies: c.Frequencies, workers: c.Workers,
		draw: func(ctx context.Context, x *mat.Dense) (layer, error) {
			h := &transformers.RandomHidden{Units: c.Hidden, Activation: c.Activation, Seed: c.Seed, Workers: c.Workers}
			return h, h.Fit(ctx, x)
		},
	}
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

// PartialFit takes in more rows: after all chunks the machine is that of Fit on all
// rows, but for rounding, and for DataRBF, whose units sit on rows of the first chunk.
// The classes are Labels, or those of the first chunk; a chunk need not hold all of
// them. Before each has had a row there is nothing to predict with: ErrNotFitted. A
// chunk that is an error changes nothing.
func (c *Classifier) PartialFit(ctx context.Context, x mat.Matrix, y []int) error {
	m, err := c.settings().partialFit(ctx, c.m, x, y)
	if err == nil {
		c.m = m
	}
	return err
}

// Decision returns r×K scores for the rows of x (r×d): of two classes minus and plus
// the log odds of the second, of more the sum over the other classes of the pairwise
// probabilities.
func (c *Classifier) Decision(x mat.Matrix) (*mat.Dense, error) {
	return c.m.decision(classifierType, x)
}

// Predict returns the class of the largest Decision for each row of x (r×d), the second
// of two where the odds are even. Cost O(rhd).
func (c *Classifier) Predict(x mat.Matrix) ([]int, error) { return c.m.predict(classifierType, x) }

// PredictProba returns probabilities for the rows of x (r×d), r×K: of two classes the
// posterior of their Gaussians, of more the mean of the pairwise ones.
func (c *Classifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	return c.m.proba(classifierType, x)
}

// Classes returns the labels, ascending; nil before Fit.
func (c *Classifier) Classes() []int { return c.m.labels() }

// Pairs returns what was learnt of each two classes; nil before Fit.
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
