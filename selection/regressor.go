package selection

import (
	"context"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/check"
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
	regressorType = "selection: Regressor"
	regressorKind = "selection.Regressor"
)

// Regressor is a regressor that chooses its kernel in Fit. The zero value is ready to use. After Preprocess it fills gaps, which
// are NaN, adds an indicator column for each column with gaps, and scales the columns in two ways, standardised and by Yeo-Johnson.
// On each scaling it learns kernels of two Kinds, with one length per column, and the ridge, with [shape.Search] for
// [lssvm.Regressor]. The kinds are Matérn with ν = 5/2, which is smooth, and [kernels.Laplacian], a product of exponentials of
// single columns, which can follow steps. A fifth model, on standardised columns, has a Matérn kernel with one length for all
// columns, which minimises the leave-one-out error. It helps where all columns matter about equally, and where the evidence fails. A
// prediction is the mean of the models, with shares that minimise the leave-one-out error (see Kinds). Variances and intervals are
// those of the mixture, multiplied by a factor that matches them to the leave-one-out residuals. The table of the Result lists the
// compared models. Its lengths are those of the best model with a length for each column. They refer to the columns after Preprocess
// and the indicators of gaps. Up to 2000 rows, Fit costs about forty Cholesky factors with an inverse. With more rows, the lengths are
// learnt on some of the rows, and lssvm chooses the ridge on all of them.
//
// Above 5000 rows, all of this is done on a draft of 1000 rows. The draft chooses the scaling and the Target, and provides initial
// lengths. Then the lengths of each kind are learnt on 2000 rows, and two machines are fitted to all rows. From 8000 rows,
// conjugate gradients are used. A kind whose error in the draft is significantly more than twice that of the other is dropped. The
// time grows with the square of the number of rows, to about a minute for 40 000.
//
// Machines of falkon.Regressor are used if the kernel matrix in float32 takes more than three quarters of MaxKernelBytes (above
// 56 000 rows by default), or if there are more than 5000 rows and the time of the draft shows that the Budget is too short for
// all rows. There is then one kind, Matérn, on both scalings. After a draft it is the first kind that the draft kept, on the
// draft's scaling and with its Target, and the search begins with the draft's lengths. The machines use 2000 landmarks, and 4000
// if the effective dimension exceeds half of 2000. With a Budget, half of what the draft leaves is for the search, and there are
// initially 500 landmarks. Their number is doubled up to 2000, and up to 8000 while the effective dimension requires it. Each
// time, another fit that takes four times as long as the last must be expected to end in time. Result contains their number. A
// prediction then costs O(M) per row. docs/measured/exact.md compares the two solvers.
//
// See also [Classifier], [lssvm.Regressor].
type Regressor struct {
	// Preprocess lists transformers. Clones of them are fitted on the training rows, and again on the training rows of each fold.
	// The entropy is computed from the preprocessed rows. The first step, such as [columnwise.Imputer], may fill gaps.
	Preprocess []transformers.Transformer

	// Space is the space to search. If it is the zero value and Search is set, the space of [Kernels] for [lssvm.Regressor] is
	// used.
	Space Space[estimators.Regressor]

	// Search is the search strategy. If it is nil and Space is set, &entropy.Search{} is used. If neither is set, the search is
	// that of the zero value described above.
	Search search.Strategy

	// Kinds lists the kinds of kernels to learn if neither Space nor Search is set: families whose kernels have a length, such as
	// [families.Matern] and [families.Laplacian]. A kernel of each kind is learnt on each scaling of the columns. The initial
	// lengths of the second and later kinds are those of the first. The models are stacked. Their shares minimise the
	// leave-one-out error and are pulled towards equal shares. Models with a share below 2% are dropped. If Kinds is nil, the
	// kinds are Matérn with ν = 5/2 and Laplacian, and the model with one length joins them for up to 5000 rows. On landmarks, and
	// with Groups, only the first kind is learnt. The models on the two scalings then have equal shares, unless the leave-one-out
	// error of one is smaller by a fifth, in which case its share is 1.
	Kinds []families.Family

	// Categories holds the indices of categorical columns, such as a country. Their values are codes. These may be any numbers, and
	// are only compared for equality. Categories are columns of the rows that Preprocess returns. If neither Space nor Search is
	// set, they come first among the lengths in Result. One length per category is learnt with the kernel (see [kernels.ARD]), at a
	// cost that does not depend on the number of levels. If a category has more than ten levels, models that also use the mean
	// target of each level ([columnwise.TargetEncoder]) are added to the stack. For these models, levels with similar means are
	// similar. Their shares are determined on rows that were not used for the means. A gap is a level, and a level that is missing
	// from the training rows differs from all others. With Groups, one length is chosen for all columns. The distance between two
	// levels is then the mean distance between two values in a column with unit standard deviation. Categories are an error unless
	// a [shape.Search] learns the kernel, or neither Space nor Search is set.
	Categories []int

	// Names are the names of the columns of x; nil: unknown. Errors and package inspection use them, and so do steps of Preprocess
	// that select columns by name. A model file contains the names that were set when Fit was called.
	Names []string `settings:"-"`

	// Target is the transformation of the targets if neither Space nor Search is set. A logarithm or a power of skewed targets
	// makes intervals as asymmetric as the data. Predictions are means of the targets themselves, not of their logarithms. They
	// exceed the range of the training targets by at most the length of that range. [AutomaticTarget] uses a transformation if it
	// clearly increases the leave-one-out density in the units of the targets and does not increase the error. The choice is made
	// only without Groups, and above 5000 rows on 1000 of them. On landmarks without a draft the targets are not transformed.
	// Result.Columns contains the choice.
	Target Target

	// SingleModel keeps only the model with the largest share if neither Space nor Search is set. Predictions and model files then
	// cost a fifth.
	SingleModel bool

	// Groups holds the group of each training row, such as its patient or day. Any numbers are allowed. The model is then chosen
	// for rows of new groups. Nil splitters of the search become [validation.GroupKFold] with these groups, and an [entropy.Search]
	// uses the score [entropy.CrossValidation]. Learners that are an [estimators.Grouper] receive the groups of their training
	// rows. If neither Space nor Search is set, an [entropy.Search] chooses one length for all columns, for any number of rows.
	// [shape.Search] is an error, since it cannot leave out groups.
	Groups []int `settings:"-"`

	// Workers is the number of goroutines, and of simultaneous fits. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxKernelBytes limits the size of a kernel matrix of the search. If it is 0, [kernels.MaxKernelBytes] is used.
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"`

	// Budget is the time after which the search evaluates no further points, for all families together. The best point so far is
	// then fitted. At least one point is evaluated. If it is 0, there is no limit. The number of points, and therefore the choice,
	// depends on the speed of the computer. A deadline of ctx is still an error.
	Budget time.Duration

	// If Observe is not nil, it is called after each entropy and each score, by one goroutine at a time. The order of points that
	// are scored in parallel is not deterministic. For a machine on landmarks, it is also called with a Step after each tenth of a
	// pass and after each iteration.
	Observe func(search.TraceRow)

	// Resume holds rows of the trace of an earlier search with the same configuration on the same rows and targets, as Observe
	// received them or Result contains them. These rows are not computed again, and the Result, including the seconds, is that of a
	// search that was never interrupted. Fit does not check that the rows belong to the same search.
	Resume []search.TraceRow `settings:"-"`

	now func() time.Time // nil: time.Now
	f   *fitted[estimators.Regressor]
}

func (r *Regressor) engine() engine[float64, estimators.Regressor] {
	out := engine[float64, estimators.Regressor]{
		Settings: search.Settings{Type: regressorType, Workers: r.Workers, MaxKernelBytes: r.MaxKernelBytes, Budget: r.Budget,
			Observe: r.Observe,
			Resume:  r.Resume, Now: r.now, Groups: r.Groups},
		config: r, given: r.Kinds, categories: r.Categories, names: r.Names, targetOf: r.Target, single: r.SingleModel, steps: r.Preprocess,
		strategy: r.Search,
		metric:   metrics.ForRegression(), splitter: validation.KFold{}, scorer: folds.RegressionScorer,
	}
	if r.Groups != nil {
		out.splitter = validation.GroupKFold{Groups: r.Groups}
	}
	return out.withDefaults(r.Space, zeroValue[estimators.Regressor]{
		mean: meanOfRegressors, many: falkonRegressor,
		machine: func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} },
	})
}

// SetGroups sets Groups. It implements [estimators.Grouper].
func (r *Regressor) SetGroups(groups []int) { r.Groups = groups }

// SetCategories sets Categories. With Preprocess, it sets the categories of the first step instead. An example of such a step is a
// pipeline.ColumnTransformer with a part for Categories. It implements [estimators.Categorizer].
func (r *Regressor) SetCategories(columns []int) { setCategories(r.Preprocess, &r.Categories, columns) }

// SetColumnNames sets Names. It implements [estimators.ColumnNamer].
func (r *Regressor) SetColumnNames(names []string) { r.Names = names }

// ColumnNames implements [estimators.ColumnNamer].
func (r *Regressor) ColumnNames() []string { return r.f.columnNames() }

// Fit chooses the kernel on x (n×d) and y (n), and fits the estimator with it. It returns the errors of the preprocessing, of the
// search ([estimators.ErrParam], [estimators.ErrShape] if all rows are equal, [estimators.ErrTooLarge]), of the estimator, and of
// ctx.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer check.Begin(&ctx)(&err)
	f, err := r.engine().fit(ctx, x, y, nil, y, nil)
	if err != nil {
		return err
	}
	r.f = f
	return nil
}

// FitWeighted is like Fit, with a weight > 0 for each row. The estimator receives the weights, for all rows and in each fold, and
// the score of the search uses them. The preprocessing and the entropy do not. Only the ratios of weights matter, and a weight of 2
// is equivalent to repeating the row. The error wraps errors.ErrUnsupported if the estimator does not accept weights.
func (r *Regressor) FitWeighted(ctx context.Context, x mat.Matrix, y, weights []float64) (err error) {
	defer check.Begin(&ctx)(&err)
	f, err := r.engine().fitWeighted(ctx, x, y, weights, y, nil)
	if err != nil {
		return err
	}
	r.f = f
	return nil
}

// Predict preprocesses the rows of x and predicts with the chosen kernel.
func (r *Regressor) Predict(x mat.Matrix) (_ []float64, err error) {
	defer fault.Recover(&err)
	z, err := r.f.transform(regressorType, x)
	if err != nil {
		return nil, err
	}
	y, err := r.f.inner.Predict(z)
	return y, r.f.named(err)
}

// PredictTo is like Predict, but writes the predictions to dst, which has one entry per row of x. For up to sixteen rows of a dense
// matrix it allocates no memory if the steps of Preprocess have TransformTo and the estimator has PredictTo. All types of this
// module have these methods.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return r.f.pass(regressorType, x, func(z mat.Matrix) error { return rowwise.Predict(r.f.inner, dst, z) })
}

// PredictVariance calls PredictVariance of the chosen estimator. If the estimator has no such method, the error wraps
// errors.ErrUnsupported.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	err = forward(r.f, regressorType, estimators.Variance, x, func(p estimators.VariancePredictor, z mat.Matrix) (err error) {
		mean, variance, err = p.PredictVariance(z)
		return err
	})
	return mean, variance, err
}

// PredictInterval calls PredictInterval of the chosen estimator. If the estimator has no such method, the error wraps
// errors.ErrUnsupported.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	err = forward(r.f, regressorType, estimators.Interval, x, func(p estimators.IntervalPredictor, z mat.Matrix) (err error) {
		low, high, err = p.PredictInterval(z, level)
		return err
	})
	return low, high, err
}

// Result returns a copy of the record of the search and its choice. It returns nil before Fit.
func (r *Regressor) Result() *search.Result { return r.f.copyResult() }

// Fitted returns the fitted estimator. It returns nil before Fit. The estimator expects preprocessed rows, and must not be fitted
// again.
func (r *Regressor) Fitted() estimators.Regressor {
	if r.f == nil {
		return nil
	}
	return r.f.inner
}

// Report returns the Report of the fitted estimator, with the warnings of the search.
func (r *Regressor) Report() estimators.Report { return r.f.report() }

// Forward implements [estimators.Forwarder] with the chosen estimator.
func (r *Regressor) Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error {
	return r.f.reach(regressorType, x, f)
}

// Supports reports whether the chosen estimator has the capability c.
func (r *Regressor) Supports(c estimators.Capability) bool { return r.engine().supports(r, r.f, c) }

// MarshalBinary writes the fitted preprocessing, the family's name, the parameter, the estimator and the Result. Functions are not
// written.
func (r *Regressor) MarshalBinary() ([]byte, error) { return r.engine().marshal(regressorKind, r.f) }

// UnmarshalBinary reads the result of MarshalBinary into a Regressor with the same Preprocess and Space. An error is
// [estimators.ErrBadModel], names the mismatch, and leaves r unchanged.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	f, err := r.engine().unmarshal(regressorKind, data)
	if err != nil {
		return err
	}
	r.f = f
	return nil
}
