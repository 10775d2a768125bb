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

// Regressor is a regressor that chooses its kernel in Fit. The zero value is ready to use: after Preprocess it
// fills gaps, of which NaN is the sign (each with a column that says where), and makes the columns even in two
// ways, standardised and by Yeo-Johnson. After each it learns kernels of two Kinds with a length for each column, and
// the ridge, by [shape.Search], for [lssvm.Regressor]: Matérn of ν = 5/2, which is smooth, and [kernels.Laplacian], a
// product of exponentials of single columns, which follows steps. A prediction is the mean of the four models, with shares
// of the least leave-one-out error (see Kinds). Variances and intervals are those of the mixture, times a factor that makes
// the leave-one-out residuals as large as they say. The Result's table says what was compared. The columns that Shape sees
// are those of Preprocess and of the gaps. Fit costs some forty Cholesky factors with an inverse up to 2000 rows, and
// beyond, where Shape learns on some of the rows, the choice of a ridge on all by lssvm.
//
// Of more than 5000 rows, 1000 are a draft: all of the above is made of them, and says which scaling and which Target are
// better, and from which lengths to set out. Then the lengths of each kind are learnt on 2000 rows, and two machines are fitted to all
// rows, by conjugate gradients from 8000 on. A kind whose error is twice that of the other in the draft, beyond doubt, is left out.
// Time grows with the square of the rows, to a minute or so at 40 000.
//
// Where the kernel matrix in float32 takes more than three quarters of MaxKernelBytes (more than 56 000 rows by default), or with a Budget,
// there is one kind, Matérn, on both scalings, and the machines are those of falkon.Regressor: on 2000 landmarks, and on 4000 if the
// effective dimension is more than half of 2000. With a Budget, of which half is for the search, there are 500,
// doubled up to 2000, and up to 8000 while they are as crowded, as long as another fit of four times the seconds of
// the last would end in time. Result has their number. Then a row costs O(M). docs/measured/exact.md compares both.
//
// See also [Classifier], [lssvm.Regressor].
type Regressor struct {
	// Preprocess are transformers that are fitted, as clones, on the training rows, and again on the training rows of
	// each fold. The entropy is that of the preprocessed rows. The first step may fill gaps, such as
	// [columnwise.Imputer].
	Preprocess []transformers.Transformer

	// Space is the space that is searched. If it is the zero value and Search is set, it is the space of [Kernels] for
	// [lssvm.Regressor].
	Space Space[estimators.Regressor]

	// Search is the strategy of the search. If it is nil and Space is set, it is &entropy.Search{}. If neither is set, the
	// zero value's search described above is used.
	Search search.Strategy

	// Kinds are the kinds of kernels that are learnt if neither Space nor Search is set: families whose kernels have a length,
	// such as [families.Matern] and [families.Laplacian]. A kernel of each is learnt on each scaling of the columns, those
	// after the first from the lengths of the first. The models are stacked: their shares of the mean are those of the least
	// leave-one-out error, drawn toward equal ones, and a model of less than 2% is left out. If it is nil, they are Matérn of
	// ν = 5/2 and Laplacian. On landmarks, and with Groups, the first is learnt alone: the models of both scalings
	// have equal shares then, or one has all if its leave-one-out error is less by a fifth.
	Kinds []families.Family

	// Categories has the indices of the columns that name things, such as a country or a kind, whose values are codes: any
	// numbers, of which only equality counts. They are columns of the rows that Preprocess returns, and the first of those
	// that Result has lengths of if neither Space nor Search is set. One length for each
	// is learnt with the kernel (see [kernels.ARD]), at a cost that does not depend on how many categories there are. Where
	// one has more than ten levels, models that also see the mean target of each level ([columnwise.TargetEncoder]) join the
	// mean if they earn a share on rows that their means have not seen: levels with similar means are then similar. A
	// gap is a category, and one that Fit has not seen differs from all. With Groups, where one length is chosen for all columns,
	// two categories are as far apart as two values of a column of unit deviation are in the mean. They are an error where no
	// [shape.Search] learns the kernel but with nothing set.
	Categories []int

	// Names lists the names of the columns of x, nil if they are not known: errors and package inspection use them, and steps of Preprocess
	// that choose columns by name. A model file keeps those of Fit.
	Names []string `settings:"-"`

	// Target says what the models are fitted to if neither Space nor Search is set. A logarithm or a power of skewed targets
	// makes intervals as one-sided as the data, and predictions are means of the targets themselves, not of their
	// logarithms. Nothing is predicted farther beyond the targets of Fit than these spread. If it is [AutomaticTarget],
	// one is taken where it makes the leave-one-out density in the units of the targets clearly larger and the error no larger,
	// without Groups, and of more than 5000 rows on 1000 of them. On landmarks it is PlainTarget. Result.Columns says so.
	Target Target

	// SingleModel keeps the model of the largest share alone if neither Space nor Search is set. A prediction and a model file
	// then cost a quarter.
	SingleModel bool

	// Groups has the group of each row of Fit, such as the patient or the day that it belongs to. Any numbers are allowed.
	// The model is then chosen for rows of groups that are not among those of Fit. Splitters of the search that are nil are
	// [validation.GroupKFold] of these groups, an [entropy.Search] scores by [entropy.CrossValidation], and the learners
	// get the groups of the rows that they are fitted to if they are an [estimators.Grouper]. With nothing else set an
	// [entropy.Search] chooses one length for all columns, whatever the number of rows. [shape.Search], which leaves out no
	// groups, is an error.
	Groups []int `settings:"-"`

	// Workers is the number of goroutines, and of fits at a time. If it is 0, it is GOMAXPROCS.
	Workers int

	// MaxKernelBytes is the limit on the size of a kernel matrix of the search. If it is 0, it is
	// [kernels.MaxKernelBytes].
	MaxKernelBytes int64 `zero:"kernels.MaxKernelBytes"`

	// Budget is the time after which the search begins nothing new. The best of what it has seen is then fitted,
	// whatever is missing. If it is 0, there is no limit. At least one point is evaluated. It is for all families
	// together. How much is done in the time, and so what is chosen, depends on the machine. A deadline of ctx is
	// still an error.
	Budget time.Duration

	// If Observe is not nil, it is called after each entropy and each score, by one goroutine at a time, of points
	// that are scored at the same time in no certain order; and with the Step of a machine on landmarks
	// after each tenth of a pass and each iteration.
	Observe func(search.TraceRow)

	// Resume has rows of the trace of an earlier search with this configuration on the same rows and targets, as
	// Observe received them or as Result has them. What they contain is not computed again, and the Result is that of
	// a search that was never interrupted, including the seconds. That the rows belong to the same search cannot be
	// checked.
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

// SetCategories sets Categories, or with Preprocess those of its first step, such as a pipeline.ColumnTransformer with a part of
// Categories. It implements [estimators.Categorizer].
func (r *Regressor) SetCategories(columns []int) { setCategories(r.Preprocess, &r.Categories, columns) }

// SetColumnNames sets Names. It implements [estimators.ColumnNamer].
func (r *Regressor) SetColumnNames(names []string) { r.Names = names }

// ColumnNames implements [estimators.ColumnNamer].
func (r *Regressor) ColumnNames() []string { return r.f.columnNames() }

// Fit chooses the kernel on x (n×d) and y (n) and fits with it. Errors: those of the preprocessing, of the search
// ([estimators.ErrParam], [estimators.ErrShape] where all rows are equal, [estimators.ErrTooLarge]) and of the
// estimator, or the error of ctx.
func (r *Regressor) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
	defer check.Begin(&ctx)(&err)
	f, err := r.engine().fit(ctx, x, y, nil, y, nil)
	if err != nil {
		return err
	}
	r.f = f
	return nil
}

// FitWeighted is like Fit, with a weight > 0 for each row. The estimator gets them, on all rows and in each fold,
// and the score of the search counts the rows by them; the preprocessing and the entropy know no weights. Only their
// ratios matter, and a weight of 2 is the row given twice. The error
// wraps errors.ErrUnsupported if the estimator that was built takes none.
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

// PredictTo is like Predict but writes the predictions to dst, which has one entry for each row of x. Up to sixteen
// rows of a dense matrix allocate nothing where the steps of Preprocess have TransformTo and the estimator
// PredictTo, as all of this module.
func (r *Regressor) PredictTo(dst []float64, x mat.Matrix) (err error) {
	defer fault.Recover(&err)
	return r.f.pass(regressorType, x, func(z mat.Matrix) error { return rowwise.Predict(r.f.inner, dst, z) })
}

// PredictVariance calls PredictVariance of the estimator that was built. If it has none, the error wraps
// errors.ErrUnsupported.
func (r *Regressor) PredictVariance(x mat.Matrix) (mean, variance []float64, err error) {
	defer fault.Recover(&err)
	err = forward(r.f, regressorType, estimators.Variance, x, func(p estimators.VariancePredictor, z mat.Matrix) (err error) {
		mean, variance, err = p.PredictVariance(z)
		return err
	})
	return mean, variance, err
}

// PredictInterval calls PredictInterval of the estimator that was built. If it has none, the error wraps
// errors.ErrUnsupported.
func (r *Regressor) PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error) {
	defer fault.Recover(&err)
	err = forward(r.f, regressorType, estimators.Interval, x, func(p estimators.IntervalPredictor, z mat.Matrix) (err error) {
		low, high, err = p.PredictInterval(z, level)
		return err
	})
	return low, high, err
}

// Result returns what the search did and chose, a copy. It returns nil before Fit.
func (r *Regressor) Result() *search.Result { return r.f.copyResult() }

// Fitted returns the fitted estimator that was built. It returns nil before Fit. The estimator takes preprocessed
// rows, and must not be fitted again.
func (r *Regressor) Fitted() estimators.Regressor {
	if r.f == nil {
		return nil
	}
	return r.f.inner
}

// Report is the fitted estimator's, with the warnings of the search.
func (r *Regressor) Report() estimators.Report { return r.f.report() }

// Forward implements [estimators.Forwarder] with the estimator that was built.
func (r *Regressor) Forward(x mat.Matrix, f func(model any, z mat.Matrix) error) error {
	return r.f.reach(regressorType, x, f)
}

// Supports reports whether the estimator that was built can do c.
func (r *Regressor) Supports(c estimators.Capability) bool { return r.engine().supports(r, r.f, c) }

// MarshalBinary writes the fitted preprocessing, the family's name, the
// parameter, the estimator and the Result. Functions are not written.
func (r *Regressor) MarshalBinary() ([]byte, error) { return r.engine().marshal(regressorKind, r.f) }

// UnmarshalBinary reads what MarshalBinary wrote into a Regressor of the same Preprocess and Space. Errors are
// [estimators.ErrBadModel], naming what does not match, and leave r as it was.
func (r *Regressor) UnmarshalBinary(data []byte) error {
	f, err := r.engine().unmarshal(regressorKind, data)
	if err != nil {
		return err
	}
	r.f = f
	return nil
}
