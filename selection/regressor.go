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
	regressorType = "selection: Regressor"
	regressorKind = "selection.Regressor"
)

// Regressor is a regressor that chooses the parameter of its kernel in Fit. The
// zero value is ready to use: RBF, lssvm, by entropy, without preprocessing.
type Regressor struct {
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
	// &lssvm.Regressor{Kernel: k}.
	Build func(k kernels.Kernel) estimators.Regressor
	// Search; nil: &Entropy{}.
	Search Strategy

	f *fitted[estimators.Regressor]
}

var (
	_ estimators.Regressor                    = (*Regressor)(nil)
	_ estimators.VariancePredictor            = (*Regressor)(nil)
	_ estimators.WeightedFitter[float64]      = (*Regressor)(nil)
	_ estimators.Wrapper                      = (*Regressor)(nil)
	_ estimators.Reporter                     = (*Regressor)(nil)
	_ estimators.Cloner[estimators.Regressor] = (*Regressor)(nil)
)

func (r *Regressor) config() config[float64, estimators.Regressor] {
	c := config[float64, estimators.Regressor]{
		typ: regressorType, steps: r.Preprocess, families: familiesOf(r.Family, r.Families, r.Family2), family2: r.Family2, build: r.Build, search: r.Search,
		metric: DefaultRegressionMetric(), splitter: KFold{}, scorer: regressionScorer,
	}
	regressors, classifiers := lineupOf(c.search)
	c.candidates, c.misplaced = regressors, len(classifiers)
	c.configured = given(r.Family, r.Families, r.Family2, r.Build != nil)
	if c.build == nil {
		c.build = func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }
	}
	if c.search == nil {
		c.search = &Entropy{}
	}
	return c
}

// Fit chooses the kernel on x (n×d) and y (n) and fits with it. Errors: those of
// the preprocessing, of the search (ErrParam, ErrShape where all rows are equal,
// ErrTooLarge) and of the estimator, or ctx's.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) error {
	f, err := r.config().fit(ctx, x, y, nil, y, nil)
	if err != nil {
		return err
	}
	r.f = f
	return nil
}

// FitWeighted is Fit with a weight > 0 for each row. The estimator gets them, on all
// rows and in each fold, and the score of the search counts the rows by them; the
// preprocessing and the entropy know no weights. A row is left out, or falls into a
// fold, with all its weight, so a weight of 2 is not quite the row given twice. The
// error wraps errors.ErrUnsupported if the estimator that Build returns takes none.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) error {
	f, err := r.config().fitWeighted(ctx, x, y, weights, y, nil)
	if err != nil {
		return err
	}
	r.f = f
	return nil
}

// Predict preprocesses the rows of x and predicts with the chosen kernel.
func (r *Regressor) Predict(x mat.Matrix) ([]float64, error) {
	xd, err := r.f.transform(regressorType, x)
	if err != nil {
		return nil, err
	}
	return r.f.inner.Predict(xd)
}

// PredictTo is Predict into dst, which has an entry for each row of x. Up to sixteen rows
// of a dense matrix allocate nothing where the steps of Preprocess have TransformTo and the
// estimator PredictTo, as all of this module.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) error {
	return r.f.with(regressorType, x, func(z mat.Matrix) error { return rowwise.Predict(r.f.inner, dst, z) })
}

// PredictVariance is that of the estimator that Build returns; an error that
// wraps errors.ErrUnsupported if it has none.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	xd, err := r.f.transform(regressorType, x)
	if err != nil {
		return nil, nil, err
	}
	v, ok := r.f.inner.(estimators.VariancePredictor)
	if !ok {
		return nil, nil, estimators.Unsupported(regressorType, r.f.inner, estimators.Variance)
	}
	return v.PredictVariance(xd)
}

// Result returns what the search did and chose, a copy; nil before Fit.
func (r *Regressor) Result() *Result { return r.f.copyResult() }

// Fitted returns the fitted estimator that Build made, nil before Fit. It sees
// preprocessed rows, and must not be fitted again.
func (r *Regressor) Fitted() estimators.Regressor {
	if r.f == nil {
		return nil
	}
	return r.f.inner
}

// Report is the fitted estimator's, with the warnings of the search.
func (r *Regressor) Report() estimators.Report { return r.f.report() }

// Supports reports whether the estimator that Build returns can do c.
func (r *Regressor) Supports(c estimators.Capability) bool { return r.config().supports(r, r.f, c) }

// Clone returns an unfitted Regressor of the same configuration. Search is
// shared: a strategy is configuration only.
func (r *Regressor) Clone() estimators.Regressor {
	return &Regressor{Preprocess: cloneSteps(r.Preprocess), Family: r.Family, Families: slices.Clone(r.Families), Family2: r.Family2, Build: r.Build, Search: r.Search}
}

// MarshalBinary writes the fitted preprocessing, the family's name, the
// parameter, the estimator and the Result. Functions are not written.
func (r *Regressor) MarshalBinary() ([]byte, error) { return r.config().marshal(regressorKind, r.f) }

// UnmarshalBinary reads what MarshalBinary wrote into a Regressor of the same
// Preprocess, Family and Build. Errors are ErrBadModel, naming what does not
// match, and leave r as it was.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	f, err := r.config().unmarshal(regressorKind, data)
	if err != nil {
		return err
	}
	r.f = f
	return nil
}
