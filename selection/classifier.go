package selection

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	classifierType = "selection: Classifier"
	classifierKind = "selection.Classifier"
)

// Classifier is a classifier that chooses the parameter of its kernel in Fit.
// The zero value is ready to use: RBF, lssvm, by entropy, without preprocessing.
type Classifier struct {
	// Preprocess is fitted, as clones, on the training rows, and anew on those of
	// each fold. The entropy is that of the preprocessed rows.
	Preprocess []transformers.Transformer
	// Family; nil: kernels.RBFFamily{}.
	Family kernels.Family
	// Families, where there are several, in place of Family: Search runs over each, and
	// the one of the best score is taken.
	Families []kernels.Family
	// Family2, in place of Family, has two parameters: Search takes them in turn, each with
	// the other at the best that was seen, until the score no longer improves.
	Family2 kernels.Family2
	// Build returns a new estimator with the kernel it is given; nil:
	// &lssvm.Classifier{Kernel: k}.
	Build func(k kernels.Kernel) estimators.Classifier
	// Search; nil: &Entropy{}.
	Search Strategy

	f *fitted[estimators.Classifier]
}

var (
	_ estimators.Classifier                    = (*Classifier)(nil)
	_ estimators.ProbaPredictor                = (*Classifier)(nil)
	_ estimators.DecisionPredictor             = (*Classifier)(nil)
	_ estimators.WeightedFitter[int]           = (*Classifier)(nil)
	_ estimators.Wrapper                       = (*Classifier)(nil)
	_ estimators.Reporter                      = (*Classifier)(nil)
	_ estimators.Cloner[estimators.Classifier] = (*Classifier)(nil)
)

func (c *Classifier) config() config[int, estimators.Classifier] {
	out := config[int, estimators.Classifier]{
		typ: classifierType, steps: c.Preprocess, families: familiesOf(c.Family, c.Families, c.Family2), family2: c.Family2, build: c.Build, search: c.Search,
		metric: DefaultClassificationMetric(), splitter: StratifiedKFold{}, scorer: classificationScorer,
	}
	regressors, classifiers := lineupOf(out.search)
	out.candidates, out.misplaced = classifiers, len(regressors)
	out.configured = given(c.Family, c.Families, c.Family2, c.Build != nil)
	if out.build == nil {
		out.build = func(k kernels.Kernel) estimators.Classifier { return &lssvm.Classifier{Kernel: k} }
	}
	if out.search == nil {
		out.search = &Entropy{}
	}
	return out
}

// Fit chooses the kernel on x (n×d) and the labels y (n) and fits with it.
// Errors: those of the preprocessing, of the search (ErrParam, ErrShape where all
// rows are equal, ErrTooLarge) and of the estimator, or ctx's.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) error {
	f, err := c.config().fit(ctx, x, y, nil, nil, y)
	if err != nil {
		return err
	}
	c.f = f
	return nil
}

// FitWeighted is Fit with a weight > 0 for each row. The estimator gets them, on all
// rows and in each fold, and the score of the search counts the rows by them; the
// preprocessing and the entropy know no weights. A row is left out, or falls into a
// fold, with all its weight, so a weight of 2 is not quite the row given twice. The
// error wraps errors.ErrUnsupported if the estimator that Build returns takes none.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) error {
	f, err := c.config().fitWeighted(ctx, x, y, weights, nil, y)
	if err != nil {
		return err
	}
	c.f = f
	return nil
}

// Predict preprocesses the rows of x and predicts with the chosen kernel.
func (c *Classifier) Predict(x mat.Matrix) ([]int, error) {
	xd, err := c.f.transform(classifierType, x)
	if err != nil {
		return nil, err
	}
	return c.f.inner.Predict(xd)
}

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows
// of a dense matrix allocate nothing where the steps of Preprocess have TransformTo and the
// estimator PredictTo, as all of this module.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) error {
	return c.f.with(classifierType, x, func(z mat.Matrix) error { return rowwise.Predict(c.f.inner, dst, z) })
}

// DecisionTo is Decision into dst, a row for each of x and a column for each of Classes,
// as PredictTo.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) error {
	if c.f != nil {
		if _, ok := c.f.inner.(estimators.DecisionPredictor); !ok {
			return estimators.Unsupported(classifierType, c.f.inner, estimators.Decision)
		}
	}
	return c.f.with(classifierType, x, func(z mat.Matrix) error {
		return rowwise.Decide(c.f.inner.(estimators.DecisionPredictor), dst, z)
	})
}

// Classes returns the distinct labels that Fit saw, ascending; nil before Fit.
func (c *Classifier) Classes() []int {
	if c.f == nil {
		return nil
	}
	return c.f.inner.Classes()
}

// PredictProba is that of the estimator that Build returns; an error that wraps
// errors.ErrUnsupported if it has none.
func (c *Classifier) PredictProba(x mat.Matrix) (*mat.Dense, error) {
	xd, err := c.f.transform(classifierType, x)
	if err != nil {
		return nil, err
	}
	p, ok := c.f.inner.(estimators.ProbaPredictor)
	if !ok {
		return nil, estimators.Unsupported(classifierType, c.f.inner, estimators.Proba)
	}
	return p.PredictProba(xd)
}

// Decision is that of the estimator that Build returns; an error that wraps
// errors.ErrUnsupported if it has none.
func (c *Classifier) Decision(x mat.Matrix) (*mat.Dense, error) {
	xd, err := c.f.transform(classifierType, x)
	if err != nil {
		return nil, err
	}
	d, ok := c.f.inner.(estimators.DecisionPredictor)
	if !ok {
		return nil, estimators.Unsupported(classifierType, c.f.inner, estimators.Decision)
	}
	return d.Decision(xd)
}

// Result returns what the search did and chose, a copy; nil before Fit.
func (c *Classifier) Result() *Result { return c.f.copyResult() }

// Fitted returns the fitted estimator that Build made, nil before Fit. It sees
// preprocessed rows, and must not be fitted again.
func (c *Classifier) Fitted() estimators.Classifier {
	if c.f == nil {
		return nil
	}
	return c.f.inner
}

// Report is the fitted estimator's, with the warnings of the search.
func (c *Classifier) Report() estimators.Report { return c.f.report() }

// Supports reports whether the estimator that Build returns can do a.
func (c *Classifier) Supports(a estimators.Capability) bool { return c.config().supports(c, c.f, a) }

// Clone returns an unfitted Classifier of the same configuration. Search is
// shared: a strategy is configuration only.
func (c *Classifier) Clone() estimators.Classifier {
	return &Classifier{Preprocess: cloneSteps(c.Preprocess), Family: c.Family, Families: slices.Clone(c.Families), Family2: c.Family2, Build: c.Build, Search: c.Search}
}

// MarshalBinary writes the fitted preprocessing, the family's name, the
// parameter, the estimator and the Result. Functions are not written.
func (c *Classifier) MarshalBinary() ([]byte, error) { return c.config().marshal(classifierKind, c.f) }

// UnmarshalBinary reads what MarshalBinary wrote into a Classifier of the same
// Preprocess, Family and Build. Errors are ErrBadModel, naming what does not
// match, and leave c as it was.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	f, err := c.config().unmarshal(classifierKind, data)
	if err != nil {
		return err
	}
	c.f = f
	return nil
}
