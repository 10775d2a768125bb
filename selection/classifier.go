package selection

import (
	"context"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/classes"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection/internal/folds"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	classifierType = "selection: Classifier"
	classifierKind = "selection.Classifier"
)

// folding lets a search mark fits to folds.
type folding = classes.Folding

// Classifier is a classifier that chooses its kernel in Fit. The zero value is ready to use. After Preprocess it fills gaps, which
// are NaN, and adds an indicator column for each column with gaps. It predicts a weighted mean of the probabilities of six machines.
// The first five are machines of package lssvm. Four of them learn kernels of two Kinds, Matérn with ν = 5/2 and
// [kernels.Laplacian], on standardised columns and on columns transformed by Yeo-Johnson, with one length per column
// ([shape.Search]). The fifth has one length for all columns, as in a [Regressor]. The sixth is a falkon.Classifier with logistic
// loss. It takes the kernel of the machine with the smallest leave-one-out log loss. With Kinds or Groups, and if equal rows are
// separate observations, there is no sixth machine. The shares of the machines minimise the leave-one-out log loss. Fit costs
// several hundred Cholesky factors of up to 2000 rows per class, or about forty in total for more than six classes. Above 5000
// rows, or if too many factors would be needed, it works like a Regressor, with the machines of falkon.Classifier on landmarks.
// Landmarks have one kind on both scalings, also after a draft.
//
// See also [Regressor], [lssvm.Classifier].
type Classifier struct {
	// Preprocess lists transformers. Clones of them are fitted on the training rows, and again on the training rows of each fold.
	// The entropy is computed from the preprocessed rows. The first step may fill gaps, such as [columnwise.Imputer].
	Preprocess []transformers.Transformer

	// Space is the space to search. If it is the zero value and Search is set, the space of [Kernels] for [lssvm.Classifier] is
	// used.
	Space Space[estimators.Classifier]

	// Search is the search strategy. If it is nil and Space is set, &entropy.Search{} is used. If neither is set, the search is
	// that of the zero value described above.
	Search search.Strategy

	// Kinds is as in [Regressor], with shares that minimise the leave-one-out log loss.
	Kinds []families.Family

	// Categories is as in [Regressor].
	Categories []int

	// Names is as in [Regressor].
	Names []string `settings:"-"`

	// SingleModel is as in [Regressor].
	SingleModel bool

	// Groups is as in [Regressor], with folds of [validation.StratifiedGroupKFold].
	Groups []int `settings:"-"`

	// Workers is the number of goroutines, and of simultaneous fits. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxKernelBytes is the limit on the size of a kernel matrix of the search. If it is 0, [kernels.MaxKernelBytes] is used.
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"`

	// Budget is the time after which the search evaluates no further points, for all families together. The best point so far is
	// then fitted. At least one point is evaluated. If it is 0, there is no limit. The number of points, and therefore the choice,
	// depends on the speed of the computer. A deadline of ctx is still an error.
	Budget time.Duration

	// If Observe is not nil, it is called after each entropy and each score, by one goroutine at a time. The order of points that
	// are scored in parallel is not deterministic. It is also called with the Step of a machine on landmarks after each tenth of a
	// pass and each iteration.
	Observe func(search.TraceRow)

	// Resume holds rows of the trace of an earlier search with the same configuration on the same rows and targets, as Observe
	// received them or Result contains them. They are not computed again, and the Result, including the seconds, is that of a
	// search that was never interrupted. Fit does not check that the rows belong to the same search.
	Resume []search.TraceRow `settings:"-"`

	folding
	now func() time.Time // nil: time.Now
	f   *fitted[estimators.Classifier]
}

func (c *Classifier) engine() engine[int, estimators.Classifier] {
	out := engine[int, estimators.Classifier]{
		Settings: search.Settings{Type: classifierType, Workers: c.Workers, MaxKernelBytes: c.MaxKernelBytes, Budget: c.Budget,
			Observe: c.Observe, Resume: c.Resume, Now: c.now, Groups: c.Groups, Fold: c.IsFold()},
		config: c, given: c.Kinds, categories: c.Categories, names: c.Names, single: c.SingleModel, steps: c.Preprocess, strategy: c.Search,
		metric: metrics.ForClassification(), splitter: validation.StratifiedKFold{}, scorer: folds.ClassificationScorer,
	}
	if c.Groups != nil {
		out.splitter = validation.StratifiedGroupKFold{Groups: c.Groups}
	}
	return out.withDefaults(c.Space, zeroValue[estimators.Classifier]{
		mean: meanOfClassifiers, many: falkonClassifier, logistic: logisticClassifier,
		machine: func(k kernels.Kernel) estimators.Classifier { return &lssvm.Classifier{Kernel: k} },
	})
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (c *Classifier) SetGroups(groups []int) { c.Groups = groups }

// SetCategories sets Categories. With Preprocess, it sets the categories of the first step instead. An example of such a step is a
// pipeline.ColumnTransformer with a part for Categories. It implements [estimators.Categorizer].
func (c *Classifier) SetCategories(columns []int) {
	setCategories(c.Preprocess, &c.Categories, columns)
}

// SetColumnNames sets Names. It implements [estimators.ColumnNamer].
func (c *Classifier) SetColumnNames(names []string) { c.Names = names }

// ColumnNames implements [estimators.ColumnNamer].
func (c *Classifier) ColumnNames() []string { return c.f.columnNames() }

// Fit chooses the kernel on x (n×d) and the labels y (n), and fits with it. It returns the errors of the preprocessing, of the
// search ([estimators.ErrParam], [estimators.ErrShape] if all rows are equal, [estimators.ErrTooLarge]), of the estimator, and of
// ctx.
func (c *Classifier) Fit(ctx context.Context, x mat.Matrix, y []int) (err error) {
	defer check.Begin(&ctx)(&err)
	f, err := c.engine().fit(ctx, x, y, nil, nil, y)
	if err != nil {
		return err
	}
	c.f = f
	return nil
}

// FitWeighted is like Fit, with a weight > 0 for each row. The estimator receives the weights, for all rows and in each fold, and
// the score of the search uses them. The preprocessing and the entropy do not. Only the ratios of weights matter, and a weight of 2
// is equivalent to repeating the row. The error wraps errors.ErrUnsupported if the estimator does not accept weights.
func (c *Classifier) FitWeighted(ctx context.Context, x mat.Matrix, y []int, weights []float64) (err error) {
	defer check.Begin(&ctx)(&err)
	f, err := c.engine().fitWeighted(ctx, x, y, weights, nil, y)
	if err != nil {
		return err
	}
	c.f = f
	return nil
}

// Predict preprocesses the rows of x and predicts with the chosen kernel.
func (c *Classifier) Predict(x mat.Matrix) (_ []int, err error) {
	defer fault.Recover(&err)
	z, err := c.f.transform(classifierType, x)
	if err != nil {
		return nil, err
	}
	y, err := c.f.inner.Predict(z)
	return y, c.f.named(err)
}

// PredictTo is like Predict, but writes the predictions to dst, which has one entry per row of x. For up to sixteen rows of a dense
// matrix it allocates no memory if the steps of Preprocess have TransformTo and the estimator has PredictTo. All types of this
// module have these methods.
func (c *Classifier) PredictTo(dst []int, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return c.f.pass(classifierType, x, func(z mat.Matrix) error { return rowwise.Predict(c.f.inner, dst, z) })
}

// DecisionTo is like Decision, but writes the scores to dst, with one row per row of x and one column per class. It allocates no
// more than PredictTo does.
func (c *Classifier) DecisionTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return forward(c.f, classifierType, estimators.Decision, x, func(p estimators.DecisionPredictor, z mat.Matrix) error {
		return rowwise.Decide(p, dst, z)
	})
}

// PredictSet calls PredictSet of the chosen estimator. If the estimator has no such method, the error wraps errors.ErrUnsupported.
func (c *Classifier) PredictSet(x mat.Matrix, level float64) (sets [][]int, err error) {
	defer fault.Recover(&err)
	err = forward(c.f, classifierType, estimators.Sets, x, func(p estimators.SetPredictor, z mat.Matrix) (err error) {
		sets, err = p.PredictSet(z, level)
		return err
	})
	return sets, err
}

// PredictProbaTo is like PredictProba, but writes the probabilities to dst, with one row per row of x and one column per class. It
// allocates no more than PredictTo does.
func (c *Classifier) PredictProbaTo(dst *mat.Dense, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return forward(c.f, classifierType, estimators.Proba, x, func(p estimators.ProbaPredictor, z mat.Matrix) error {
		return rowwise.Probabilities(p, dst, z)
	})
}

// Classes returns the distinct labels of the training rows in ascending order. It returns nil before Fit.
func (c *Classifier) Classes() []int {
	if c.f == nil {
		return nil
	}
	return c.f.inner.Classes()
}

// PredictProba calls PredictProba of the chosen estimator. If the estimator has no such method, the error wraps
// errors.ErrUnsupported.
func (c *Classifier) PredictProba(x mat.Matrix) (proba *mat.Dense, err error) {
	defer fault.Recover(&err)
	err = forward(c.f, classifierType, estimators.Proba, x, func(p estimators.ProbaPredictor, z mat.Matrix) (err error) {
		proba, err = p.PredictProba(z)
		return err
	})
	return proba, err
}

// Decision calls Decision of the chosen estimator. If the estimator has no such method, the error wraps errors.ErrUnsupported.
func (c *Classifier) Decision(x mat.Matrix) (scores *mat.Dense, err error) {
	defer fault.Recover(&err)
	err = forward(c.f, classifierType, estimators.Decision, x, func(p estimators.DecisionPredictor, z mat.Matrix) (err error) {
		scores, err = p.Decision(z)
		return err
	})
	return scores, err
}

// Result returns a copy of the record of the search and its choice. It returns nil before Fit.
func (c *Classifier) Result() *search.Result { return c.f.copyResult() }

// Fitted returns the fitted estimator. It returns nil before Fit. The estimator expects preprocessed rows, and must not be fitted
// again.
func (c *Classifier) Fitted() estimators.Classifier {
	if c.f == nil {
		return nil
	}
	return c.f.inner
}

// Report returns the Report of the fitted estimator, with the warnings of the search.
func (c *Classifier) Report() estimators.Report { return c.f.report() }

// Forward implements [estimators.Forwarder] with the chosen estimator.
func (c *Classifier) Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error {
	return c.f.reach(classifierType, x, f)
}

// Supports reports whether the chosen estimator has the capability a.
func (c *Classifier) Supports(a estimators.Capability) bool { return c.engine().supports(c, c.f, a) }

// MarshalBinary writes the fitted preprocessing, the family's name, the parameter, the estimator and the Result. Functions are not
// written.
func (c *Classifier) MarshalBinary() ([]byte, error) { return c.engine().marshal(classifierKind, c.f) }

// UnmarshalBinary reads the result of MarshalBinary into a Classifier with the same Preprocess and Space. An error is
// [estimators.ErrBadModel], names the mismatch, and leaves c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	f, err := c.engine().unmarshal(classifierKind, data)
	if err != nil {
		return err
	}
	c.f = f
	return nil
}
