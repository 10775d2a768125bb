// Package estimators defines the contracts of all types that fit and predict.
//
// Matrices are n×d with an observation in each row; targets and labels have one entry for each row. Every estimator of this module
// follows these rules, and package estimatortest checks them for any type:
//
//   - Settings are exported fields whose zero value is the documented default, so that [Clone] can copy them.
//   - Fit builds a new model and assigns it last: if Fit fails or is cancelled, the earlier model is kept. No input is modified.
//   - Predict and similar methods do not change the estimator, so they may be called concurrently. Fit, PartialFit, UnmarshalBinary
//     and all other methods that fit or decode must not run at the same time as any other method of the same value. To serve a
//     model while the next one is fitted, fit another value, a [Clone], and exchange the two with an atomic.Pointer (see the
//     example Swap of package modelfile).
//   - Invalid input is an error that names the argument, the position and the limit. It never causes a panic.
//   - The same Seed gives the same model for any number of Workers.
//
// The methods of an estimator show its capabilities, which are its abilities beyond the contract. Supports reports them, also
// through wrappers. A type that embeds an estimator has the same capabilities. If it lacks one of them, it must implement Wrapper
// and exclude this capability. Some methods do the same as a method of the contract, but faster or in less memory (PredictTo,
// DecisionTo, FitBlocks, FitMatrix in a search), or fit differently (PartialFit, NewStatistics). If such a method is promoted from
// an embedded field, it is not used, because it would bypass methods that the outer type redefines.
//
// # Equal rows, weights and groups
//
// A copy of a row contains no information beyond the row. Every estimator that leaves rows out, divides them into folds or
// calibrates on them merges rows that are equal in all features into one row with the sum of their weights. Numeric targets are
// replaced by their weighted mean, and the variance around it is a part of the noise. Classes are replaced by their shares.
// Intervals of package conformal count a row once, however many copies it has.
//
// A weight sets how often a row counts: a weight of 2 has the same effect as repeating the row.
//
//   - What an estimator chooses for itself depends only on the ratios of the weights. Weights that sum to 1 give the same model as
//     weights with mean 1.
//   - A parameter that is set, such as Ridge, C or NoiseVariance, applies to rows of weight 1. Doubling all weights then has the
//     same effect as halving the ridge.
//   - The weight of a class moves the border between the classes. It does not change a kernel that is learnt.
//   - Package eem, FitBlocks and [streaming.Statistics] leave nothing out. They count each row that they receive.
//
// Rows that belong together without being equal, such as those of one patient or one day, need the field Groups of an estimator
// that is a [Grouper]. All rows of a group are then left out together, and the model is chosen for new groups. Cross-validation
// does the same with validation.GroupKFold.
//
// # Streams and sums
//
// Package [streaming] defines the contracts of fits from a stream of rows, and of sums over parts of the rows that are computed on
// several machines or over time.
//
// # New estimators
//
// Estimators and transformers in other packages can use the checks of the input (CheckRows, CheckTargets, CheckWeights), the typed
// errors, and model files that cannot be misread (MarshalModel, UnmarshalModel).
//
// [streaming]: https://pkg.go.dev/github.com/kernelearn/kernelearn/streaming
// [streaming.Statistics]: https://pkg.go.dev/github.com/kernelearn/kernelearn/streaming#Statistics
package estimators

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Regressor predicts a number for each row.
type Regressor interface {
	// Fit fits the model to x (n×d) and the n targets y. It returns ErrShape, ErrNotFinite, ErrParam for a field out of range,
	// ErrTooLarge, ErrNotPSD, or the error of ctx. It must not run at the same time as another method of the same value, including
	// Predict.
	Fit(ctx context.Context, x mat.Matrix, y []float64) error
	// Predict returns a number for each row of x, which must have the same width as in Fit. It may be called concurrently. It
	// returns ErrNotFitted, ErrShape or ErrNotFinite.
	Predict(x mat.Matrix) ([]float64, error)
}

// Classifier predicts a class for each row. Labels may be any ints.
type Classifier interface {
	// Fit fits the model to x (n×d) and the n labels y. It returns the errors of Regressor. It must not run at the same time as
	// another method of the same value.
	Fit(ctx context.Context, x mat.Matrix, y []int) error
	// Predict returns one of Classes for each row of x. It may be called concurrently.
	Predict(x mat.Matrix) ([]int, error)
	// Classes returns the distinct labels of the last Fit in ascending order, or nil before Fit.
	Classes() []int
}

// Detector is fitted to rows without targets, and predicts whether other rows are novel.
type Detector interface {
	// Fit fits the model to x (n×d). It returns the errors of Regressor. It must not run at the same time as another method of the
	// same value.
	Fit(ctx context.Context, x mat.Matrix) error
	// Score returns a number for each row of x, which is larger the more the row resembles the training rows. Score may be called
	// concurrently. It returns the errors of Regressor.
	Score(x mat.Matrix) ([]float64, error)
	// Predict reports for each row of x whether it is novel. It may be called concurrently.
	Predict(x mat.Matrix) ([]bool, error)
}

// PPredictor is the capability of a Detector to return p-values.
type PPredictor interface {
	// PredictP returns a p-value in (0, 1] for each row of x. It is the share of rows, among the training rows and the row itself,
	// whose score is at most the score of the row. For a row from the distribution of the training rows, the p-value is at most α
	// with a probability of at most α.
	PredictP(x mat.Matrix) ([]float64, error)
}

// ProbaPredictor is the capability to predict class probabilities.
type ProbaPredictor interface {
	// PredictProba returns probabilities (n×K) with the columns in the order of Classes. Each row sums to 1.
	PredictProba(x mat.Matrix) (*mat.Dense, error)
}

// VariancePredictor is the capability to predict variances.
type VariancePredictor interface {
	// PredictVariance returns, for each row, the mean and the variance of a new observation, including the noise. Their units are
	// those of y and y².
	PredictVariance(x mat.Matrix) (mean, variance []float64, err error)
}

// IntervalPredictor is the capability to predict intervals.
type IntervalPredictor interface {
	// PredictInterval returns for each row the bounds between which a new observation lies with probability level (0 < level < 1).
	// Half of the remaining probability lies on either side. It costs as much as variances, which for kernel machines is ten times
	// the cost of a prediction or more. The function PredictInterval also returns the prediction.
	PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error)
}

// SetPredictor is the capability to predict sets of classes.
type SetPredictor interface {
	// PredictSet returns a set of labels for each row, in ascending order. It contains the right label with probability level (0 <
	// level < 1).
	PredictSet(x mat.Matrix, level float64) ([][]int, error)
}

// LeaveOneOutPredictor is the capability to return leave-one-out residuals.
type LeaveOneOutPredictor interface {
	// LeaveOneOutResiduals returns a residual for each training row: its target minus the prediction of a model that was fitted to
	// all other rows with the same settings. It returns ErrNotFitted, or the error of ctx if a computation is necessary.
	LeaveOneOutResiduals(ctx context.Context) ([]float64, error)
}

// DecisionPredictor is the capability to return the scores that determine Predict.
type DecisionPredictor interface {
	// Decision returns scores (n×K) with the columns in the order of Classes. Predict returns the class with the largest score, or
	// the first one in a tie.
	Decision(x mat.Matrix) (*mat.Dense, error)
}

// PredictorTo is the capability to predict into the caller's memory, for a service that predicts single rows repeatedly. Y is
// float64 for regressors and int for classifiers.
type PredictorTo[Y float64 | int] interface {
	// PredictTo is like Predict but writes to dst, which has an entry for each row of x. For a few rows in a *mat.Dense it
	// allocates no memory. After an error the contents of dst are undefined.
	PredictTo(dst []Y, x mat.Matrix) error
}

// DecisionPredictorTo is the capability to write scores into the caller's memory.
type DecisionPredictorTo interface {
	// DecisionTo is like Decision but writes to dst (n×K), as PredictTo does.
	DecisionTo(dst *mat.Dense, x mat.Matrix) error
}

// ProbaPredictorTo is the capability to write probabilities into the caller's memory.
type ProbaPredictorTo interface {
	// PredictProbaTo is like PredictProba but writes to dst (n×K), as PredictTo does.
	PredictProbaTo(dst *mat.Dense, x mat.Matrix) error
}

// WeightedFitter is the capability to fit with a weight for each row. Y is float64 for regressors and int for classifiers. Weights
// are positive and finite, and a weight of 2 has the same effect as repeating the row. The package documentation defines weights.
type WeightedFitter[Y float64 | int] interface {
	FitWeighted(ctx context.Context, x mat.Matrix, y []Y, weights []float64) error
}

// PartialFitter is the capability to continue a fit with more rows. Y is float64 for regressors and int for classifiers.
// Transformers have [transformers.PartialFitter].
type PartialFitter[Y float64 | int] interface {
	// PartialFit continues the fit with x, which has the same width in all calls, and y. The first call does the same as
	// FitStatistics with the statistics of its rows if the estimator has that method, and otherwise as Fit. Each type documents
	// after which fits PartialFit can continue. After other fits it returns ErrNotFitted.
	PartialFit(ctx context.Context, x mat.Matrix, y []Y) error
}

// Continuer is the capability to stop fitting a stream and to continue in another program. MarshalBinary omits the statistics from
// which PartialFit continues, because they may be larger than the model. The methods of Continuer store them separately.
// UnmarshalStatistics restores them in a value that UnmarshalBinary decoded, and PartialFit can then continue. Checkpoint of
// package modelfile stores the model and the statistics in one file.
type Continuer interface {
	// MarshalStatistics returns the statistics from which PartialFit continues. It returns ErrNotFitted before Fit, and after a fit
	// that does not keep statistics.
	MarshalStatistics() ([]byte, error)
	// UnmarshalStatistics restores the statistics in a fitted value that has the settings and the model with which they were
	// stored. It cannot check that the model and the statistics come from the same rows. It returns ErrNotFitted if no model has
	// been decoded. It returns ErrBadModel for damaged statistics, and for statistics from other columns, classes or settings. If
	// it returns an error, the value is unchanged.
	UnmarshalStatistics(data []byte) error
}

// MatrixFitter is the capability to fit to a given kernel matrix instead of rows and a kernel. Y is float64 for regressors and int
// for classifiers.
type MatrixFitter[Y float64 | int] interface {
	// FitMatrix fits to k (n×n) and y (n).
	FitMatrix(ctx context.Context, k mat.Symmetric, y []Y) error
	// PredictMatrix predicts from the kernel values k (m×n) between the new rows and the training rows.
	PredictMatrix(k mat.Matrix) ([]Y, error)
}

// Reporter is the capability to describe the last Fit.
type Reporter interface{ Report() Report }

// Report describes a Fit. A Fit that does not converge sets Converged to false here, and returns no error.
type Report struct {
	Converged  bool
	Iterations int
	Objective  float64  // final value of the minimised function, which each type documents
	Jitter     float64  // number added to the diagonal of a matrix so that it could be factorised
	Warnings   []string // texts for users
}

// Clone returns a copy that shares no memory with r.
func (r Report) Clone() Report {
	r.Warnings = slices.Clone(r.Warnings)
	return r
}

// Step is a progress report that is passed to an Observe callback. There is a step after each iteration, and between iterations a
// step for each 1/400 of the work. In the latter, Between is true, and Iteration, Objective and Message describe the last completed
// iteration. In the last step of a fit that succeeds, Done is 1.
//
// Observe is never called by two goroutines at the same time. It should be fast, because the fit waits for it. If it panics, the
// fit returns a [PanicError] and does not call it again. The result of a fit does not depend on Observe.
type Step struct {
	Iteration int     // completed iterations; 0 before the end of the first
	Total     int     // largest number of iterations, or 0 if unknown
	Objective float64 // the current value of the objective
	Message   string  // text for users
	// Done is the completed share of the work, from 0 to 1. It never decreases within a fit. It is estimated from the number of
	// operations of each part, or from the convergence of an iteration if that number is unknown.
	Done float64
	// Between is true if no iteration has ended since the last step. A program that prints iterations should ignore such steps.
	Between bool
}

// Observed returns a context with which every fit reports its steps to observe, as it does to a field Observe. This includes
// transformers, which have no such field. Estimators, searches and pipelines call their own Observe as well. Done goes from 0 to 1
// separately for each fit with this context.
func Observed(ctx context.Context, observe func(Step)) context.Context {
	if observe == nil {
		return check.Context(ctx)
	}
	return progress.Observed(check.Context(ctx), passed(observe))
}

// These are the sentinel errors. Every error of this module unwraps to one of them, to errors.ErrUnsupported, or to the error of
// the context.
var (
	ErrParam     = fault.ErrParam     // a field or an argument out of range
	ErrShape     = fault.ErrShape     // numbers of rows, columns, labels or classes that do not match
	ErrNotFinite = fault.ErrNotFinite // a NaN or an infinity in the input
	ErrNotPSD    = fault.ErrNotPSD    // a matrix that should be positive semi-definite is not
	ErrNotFitted = fault.ErrNotFitted // a method was called before Fit
	ErrTooLarge  = fault.ErrTooLarge  // more memory is needed than the limit allows
	ErrBadModel  = fault.ErrBadModel  // model data that is incomplete, changed, or from another kind of model
)

// These are the typed errors, for errors.As. Each unwraps to the sentinel error with its name.
type (
	// ParamError holds Type, Field, Value and Want, for example "lssvm: Regressor", "Ridge", -1 and "> 0".
	ParamError = fault.ParamError
	// PanicError holds Value and Place, and reports a panic in a kernel, an Observe, an estimator or a transformer of the caller,
	// or in a BLAS. It unwraps to ErrParam. Every function with a context, and every prediction, returns it instead of panicking,
	// with any number of workers, and the earlier model is kept. A search counts a candidate that panics as a failed fit. Fatal
	// errors that end the program, such as exhausted memory or concurrent writes to a map, are not panics.
	PanicError = fault.PanicError
	// ShapeError holds What, Got, Unit and Want, for example "y has", 3, "entries" and "x has 4 rows".
	ShapeError = fault.ShapeError
	// NotFiniteError holds Name, Row, Col (-1 in a vector) and Value.
	NotFiniteError = fault.NotFiniteError
	// NotPSDError holds What, which names the matrix, and Jitter, the largest share of its mean diagonal that was added without
	// success.
	NotPSDError = fault.NotPSDError
	// NotFittedError has Type.
	NotFittedError = fault.NotFittedError
	// TooLargeError holds What, the number of Bytes that it needs, the Limit, and a Hint, which names a remedy.
	TooLargeError = fault.TooLargeError
	// BadModelError holds Kind, the expected contents, and Reason.
	BadModelError = fault.BadModelError
	// MixedColumnError reports a column of a CSV file in which nearly all cells are numbers, or times, and a few are other texts.
	// It lists each of these texts as a StrangeText with its line. It unwraps to ErrParam.
	MixedColumnError = fault.MixedColumnError
	// StrangeText holds the Text of a cell, the Line of its first occurrence, counted from 1, and the number of Times that it
	// occurs in its column.
	StrangeText = fault.StrangeText
)
