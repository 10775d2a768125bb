package eem

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

const classifierType = "eem: Classifier"

// defaultUnits is the number of units that featuremap.RandomHidden draws if Units is 0.
const defaultUnits = 250

// folding is embedded in Classifier, so that a search can report that it fits a fold.
type folding = classes.Folding

// Classifier is the extreme entropy machine. The zero value is ready to use. It has 250 units with many widths, centred on training
// rows, and gives all classes the same prior. Features should be of comparable scale, or in [0, 1] for the paper's own activations
// (see [featuremap.Activation]).
//
// See also [KernelClassifier], and Classifier in package elm.
type Classifier struct {
	// Units is the number of hidden units. If it is 0, 250 is used.
	Units      int `zero:"250"`
	Activation featuremap.Activation

	// Seed determines the hidden units.
	Seed uint64

	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// Labels holds the classes, in ascending order. It is needed if the first chunk of PartialFit does not contain all classes. If
	// it is nil, the classes are those of Fit, or of the first chunk.
	Labels []int

	// Priors holds the probabilities of the classes, in the order of Classes. Only their ratios matter. If it is nil, all classes
	// have the same prior.
	Priors []float64

	// Costs holds the cost of misclassifying a row of each class, in the order of Classes. If Costs is nil, all costs are equal.
	Costs []float64

	// EmpiricalPriors uses the share of each class in the training rows as its prior. This aims at accuracy, while the default aims
	// at balanced accuracy.
	EmpiricalPriors bool

	// Balanced states the default of this package explicitly: equal priors whatever the numbers of rows. It is an error if Priors
	// or EmpiricalPriors is also set.
	Balanced bool

	// ClassWeights maps a label to a factor > 0 for the prior of its class. The factor of all other classes is 1.
	ClassWeights map[int]float64

	// Multiclass is the method for more than two classes. The zero value is [OneVersusOne].
	Multiclass Multiclass

	// If Observe is not nil, it is called after each sum over a block of rows and each solution of a linear system, by one
	// goroutine at a time. HeldOut also calls it after each block that is held out. Objective is the current Objective of Report.
	Observe func(estimators.Step)

	folding
	machine[classifierName]
}

type classifierName struct{}

func (classifierName) typ() string { return classifierType }

func (c *Classifier) settings() fitSettings {
	onRows := 0
	if c.Activation == featuremap.DataRBF {
		onRows = cmp.Or(max(c.Units, 0), defaultUnits)
	}
	return fitSettings{
		seed: c.Seed, onRows: onRows, wanted: onRows, signature: fmt.Sprintf("(%d units, %v, Seed %d, Labels %v)", c.Units, c.Activation,
			c.Seed,
			c.Labels),
		typ: classifierType, config: c, labels: c.Labels, priors: c.Priors, costs: c.Costs, empirical: c.EmpiricalPriors,
		class: classes.Weights{Balanced: c.Balanced, Of: c.ClassWeights, Part: c.IsFold()}, multiclass: c.Multiclass, workers: c.Workers,
		observe: c.Observe,
		draw: func(ctx context.Context, x *mat.Dense) (features.Layer, error) {
			h := &featuremap.RandomHidden{Units: c.Units, Activation: c.Activation, Seed: c.Seed, Workers: c.Workers}
			if err := h.Fit(ctx, x); err != nil {
				return nil, err
			}
			return features.NewHidden(h), nil
		},
	}
}

// Fit fits the model to x (n×d) and n labels y. It returns [estimators.ErrParam], [estimators.ErrShape], [estimators.ErrNotFinite],
// or the error of ctx. ErrShape is also returned for a single class, and if one of Labels has no row.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.keep(c.settings().fit(ctx, x, y, nil))
}

// FitWeighted is like Fit, but with a weight > 0 for each row. A row with weight w counts as w rows in all properties of its class:
// the mean, the covariance, the shrinkage of Ledoit and Wolf, and the share in EmpiricalPriors. Weights should therefore be near 1:
// a class whose weights sum to at most 1 counts as one row.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.keep(c.settings().fitWeighted(ctx, x, y, weights))
}

// FitPath fits a machine for each number of hidden units, in ascending order, as Fit would with Units set to that number. The units
// of a smaller machine are the first units of a larger one. All machines therefore share the products of the largest, and each adds
// only its own linear system, O(h³).
func (c *Classifier) FitPath(ctx context.Context, x mat.Matrix, y []int, units []int) (_ []*Classifier, err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	if err := checkPath(classifierType, units); err != nil {
		return nil, err
	}
	largest := *c
	largest.Units = units[len(units)-1]
	models, err := largest.settings().path(ctx, x, y, nil, units)
	if err != nil {
		return nil, err
	}
	out := make([]*Classifier, len(models))
	for i, m := range models {
		out[i] = estimators.Clone(c)
		out[i].Units, out[i].m = units[i], m
	}
	return out, nil
}

// HeldOut cross-validates. The slice block holds the block number of each row of x (n×d). For each row, HeldOut returns the
// probabilities from the machine that was not fitted to the rows of its block (n×K, in ascending order of the labels). The units
// are drawn once, from rows without their labels. The statistics of all rows are summed once, and those of a block are subtracted.
// So k blocks cost two passes over the rows and the solution of k systems, O(kh³), while k fits would cost k passes. HeldOut
// returns the errors of Fit, and [estimators.ErrShape] if a class has rows in only one block.
func (c *Classifier) HeldOut(ctx context.Context, x mat.Matrix, y, block []int) (_ *mat.Dense, err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.settings().heldOut(ctx, x, y, block)
}

// NewStages implements [streaming.StagedFitter]. If units are centred on rows (DataRBF), the first stage draws a sample of the
// rows: those with the smallest hashes, which depend on Seed. The sample has 4096 different rows, or four for each unit if that is
// more. The last stage sums the moments of the classes. If Labels is set, any other label is an error ([estimators.ErrParam]).
func (c *Classifier) NewStages() (streaming.Stages[int], error) { return c.settings().stages() }

// FitStages implements [streaming.StagedFitter]. It is like Fit, except that for DataRBF the units are drawn from the sample.
// PartialFit can continue from it. If Labels is set, each label must have rows.
func (c *Classifier) FitStages(ctx context.Context, s streaming.Stages[int]) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.keep(c.settings().take(ctx, s))
}

// FitClassStatistics solves the linear system for statistics from the caller, one for each of classes, which must be in ascending
// order. The features of the statistics must be those of the units of c, as in Statistics. The statistics may have been merged from
// several computers, or stored separately from the model file. PartialFit can continue from them. FitClassStatistics returns
// [estimators.ErrNotFitted] before there are units. It returns [estimators.ErrParam], and [estimators.ErrShape] if the number of
// classes, statistics or features is wrong, or if a class has no rows.
func (c *Classifier) FitClassStatistics(ctx context.Context, classes []int, of []*Statistics) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.keep(c.settings().fitClasses(ctx, c.m, classes, of))
}

// PartialFit adds more rows to the fit. After all chunks the machine equals that of Fit on all rows, up to rounding. The exception
// is DataRBF, whose units are centred on a sample of the first chunk, as in NewStages. The classes are Labels, or those of the
// first chunk. A chunk need not contain all of them. Later chunks add no units: if the first chunk has fewer rows than DataRBF has
// Units, there are only as many units as rows, and Report contains a warning.
//
// Until each class has had a row, predictions return [estimators.ErrNotFitted]. If PartialFit returns an error, the chunk changes
// nothing. The linear system is solved by Solve, or by the first prediction. Until then Report and Pairs describe the previous
// solution, and MarshalBinary returns [estimators.ErrNotFitted].
func (c *Classifier) PartialFit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer estimators.BeginFit(&ctx, c.Observe)(&err)
	return c.keep(c.settings().partialFit(ctx, c.m, x, y))
}

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix are predicted one by one without allocating memory. Their scores agree with those of
// Decision up to rounding.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return c.predictTo(dst, x)
}

// DecisionTo is like Decision but writes to dst, which has a row for each row of x and a column for each class. Like PredictTo, it
// does not allocate memory.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return c.decisionTo(dst, x)
}
