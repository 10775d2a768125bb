// Package estimators holds the contracts of everything that fits and predicts.
//
// Matrices are n×d, a sample in each row; targets and labels have one entry for
// each row. Every estimator of this module keeps these rules, and package
// estimatortest checks them on any type that wants to:
//
//   - configuration is exported fields whose zero value is the documented default, so that [Clone] can copy it;
//   - Fit builds a fresh model and assigns it last: a Fit that fails or is
//     cancelled leaves the model fitted before, and no input is modified;
//   - Predict and its kin write nothing, so concurrent calls of them are safe. Fit, PartialFit, UnmarshalBinary and all else that
//     learns or reads write: none of them may run beside any other method of the same value. Who serves a model while the next
//     one is learnt fits another value, a [Clone], and swaps the two by an atomic.Pointer (the example Swap of package modelfile);
//   - bad input is an error that names the thing, the place and the limit; it
//     never panics;
//   - the same Seed gives the same model on any number of Workers.
//
// What an estimator can do beyond its contract, its capabilities, its methods say; Supports
// looks for them, through wrappers too. A type that embeds an estimator has its
// capabilities; where one does not hold for it, it says so as a Wrapper. Short cuts, which
// do the same as a method of the contract but faster or in less memory (PredictTo, DecisionTo,
// FitBlocks, FitMatrix in a search), and other ways to fit (PartialFit, NewStatistics), are not taken where they come from
// an embedded field: they would go behind the methods that the type has redefined.
//
// # Equal rows, weights and groups
//
// A copy of a row says nothing that the row does not. Every estimator that leaves rows out, folds them or calibrates on
// them merges rows that are equal in all features into one row with the sum of their weights. Numeric targets become
// their weighted mean, and the variance around it is a part of the noise. Classes become their shares. Intervals of
// package conformal count a row once, however many copies it has.
//
// A weight is how often a row counts: a weight of 2 gives the model of the row given twice.
//
//   - Whatever an estimator chooses for itself depends only on the ratios of the weights. Weights that sum to 1 give the
//     same model as weights of mean 1.
//   - A parameter that is set, such as Ridge, C or NoiseVariance, is for rows of weight 1. Weights twice as large then
//     have the effect of half the ridge.
//   - How much a class counts moves the border between the classes. It does not change a kernel that is learnt.
//   - Package eem, FitBlocks and [streaming.Statistics] leave nothing out. They count each row that they are given.
//
// Rows that belong together without being equal, such as those of one patient or one day, need the field Groups of an
// estimator that is a [Grouper]. Then all rows of a group are left out, or held back, together, and the model is chosen
// for groups that it has not seen. Cross-validation does the same with validation.GroupKFold.
//
// # Streams and sums
//
// Package [streaming] has the contracts of fits from a stream of rows and from sums over parts of the rows, on several
// machines or over time.
//
// # Of one's own
//
// For an estimator or a transformer of one's own there are checks of its input (CheckRows,
// CheckTargets, CheckWeights), the typed errors, and model files that cannot be misread
// (MarshalModel, UnmarshalModel).
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
	// Fit learns from x (n×d) and the n targets y. Errors: ErrShape, ErrNotFinite,
	// ErrParam for a field out of range, ErrTooLarge, ErrNotPSD, or ctx's. It may not run beside
	// another method of the same value, Predict included: fit another one, and swap.
	Fit(ctx context.Context, x mat.Matrix, y []float64) error
	// Predict returns a number for each row of x, which is as wide as Fit's. Many calls may run at the same time.
	// Errors: ErrNotFitted, ErrShape, ErrNotFinite.
	Predict(x mat.Matrix) ([]float64, error)
}

// Classifier predicts a class for each row. Labels are any ints.
type Classifier interface {
	// Fit learns from x (n×d) and the n labels y. Errors as Regressor's. It may not run beside another
	// method of the same value.
	Fit(ctx context.Context, x mat.Matrix, y []int) error
	// Predict returns one of Classes for each row of x. Many calls may run at the same time.
	Predict(x mat.Matrix) ([]int, error)
	// Classes returns the distinct labels that Fit saw, ascending; nil before Fit.
	Classes() []int
}

// Detector learns from rows alone what rows are usually like, and says of others whether they are novel.
type Detector interface {
	// Fit learns from x (n×d). Errors as Regressor's. It may not run beside another method of the same value.
	Fit(ctx context.Context, x mat.Matrix) error
	// Score returns a number for each row of x, the larger the more it is like those of Fit. Many calls may run at the
	// same time. Errors as Regressor's.
	Score(x mat.Matrix) ([]float64, error)
	// Predict reports for each row of x whether it is novel. Many calls may run at the same time.
	Predict(x mat.Matrix) ([]bool, error)
}

// PPredictor is the capability of a Detector to say how rare a row is.
type PPredictor interface {
	// PredictP returns for each row of x, in (0, 1], the share of rows, of those of Fit and the row itself, that are no more
	// like the others than it is: if it comes from where those came from, this is at most α with probability α.
	PredictP(x mat.Matrix) ([]float64, error)
}

// ProbaPredictor is the capability to give class probabilities.
type ProbaPredictor interface {
	// PredictProba returns n×K probabilities, columns in the order of Classes;
	// each row sums to 1.
	PredictProba(x mat.Matrix) (*mat.Dense, error)
}

// VariancePredictor is the capability to say how certain a prediction is.
type VariancePredictor interface {
	// PredictVariance returns, for each row, the mean and the variance of a new
	// observation there (the noise included), in the units of y and of y².
	PredictVariance(x mat.Matrix) (mean, variance []float64, err error)
}

// IntervalPredictor is the capability to say between which bounds an observation lies.
type IntervalPredictor interface {
	// PredictInterval returns, for each row, the bounds between which a new observation
	// lies with probability level (0 < level < 1), half of the rest on either side. It costs what variances cost, with
	// kernel machines ten times a prediction and more. The function PredictInterval adds the prediction.
	PredictInterval(x mat.Matrix, level float64) (low, high []float64, err error)
}

// SetPredictor is the capability to give sets of classes.
type SetPredictor interface {
	// PredictSet returns, for each row, labels, ascending, among which the right one is with probability
	// level (0 < level < 1).
	PredictSet(x mat.Matrix, level float64) ([][]int, error)
}

// LeaveOneOutPredictor is the capability to say how each row is predicted by the others.
type LeaveOneOutPredictor interface {
	// LeaveOneOutResiduals returns, for each row of Fit, its target less the prediction of
	// the model fitted to all other rows with the same settings. Errors: ErrNotFitted, or
	// ctx's where there is something to compute.
	LeaveOneOutResiduals(ctx context.Context) ([]float64, error)
}

// DecisionPredictor is the capability to give the scores that Predict decides by.
type DecisionPredictor interface {
	// Decision returns n×K scores, columns in the order of Classes; Predict takes
	// the class of the largest, and the first of those that tie.
	Decision(x mat.Matrix) (*mat.Dense, error)
}

// PredictorTo is the capability to predict into memory of the caller's: what serves
// single rows again and again. Y is float64 for regressors and int for classifiers.
type PredictorTo[Y float64 | int] interface {
	// PredictTo is Predict into dst, which has an entry for each row of x. Of a few rows
	// in a *mat.Dense it allocates nothing. After an error dst holds nothing of use.
	PredictTo(dst []Y, x mat.Matrix) error
}

// DecisionPredictorTo is the same for scores.
type DecisionPredictorTo interface {
	// DecisionTo is Decision into dst, n×K, as PredictTo.
	DecisionTo(dst *mat.Dense, x mat.Matrix) error
}

// ProbaPredictorTo is the same for probabilities.
type ProbaPredictorTo interface {
	// PredictProbaTo is PredictProba into dst, n×K, as PredictTo.
	PredictProbaTo(dst *mat.Dense, x mat.Matrix) error
}

// WeightedFitter is the capability to fit with a weight for each row. Y is
// float64 for regressors and int for classifiers. A weight of 2 counts like the
// row given twice; weights are positive and finite. The package documentation has what weights mean.
type WeightedFitter[Y float64 | int] interface {
	FitWeighted(ctx context.Context, x mat.Matrix, y []Y, weights []float64) error
}

// PartialFitter is the capability to learn from more rows. Y is float64 for regressors and int for
// classifiers. That of transformers is [transformers.PartialFitter].
type PartialFitter[Y float64 | int] interface {
	// PartialFit learns from x, of one width in all calls, and y besides what it has learnt from before.
	// The first call is FitStatistics of its rows where the estimator has that, else Fit. Which fits there is
	// something to go on from after, each type documents; where there is not, the error is ErrNotFitted.
	PartialFit(ctx context.Context, x mat.Matrix, y []Y) error
}

// Continuer is the capability to stop learning from a stream and to go on in another program. MarshalBinary leaves out the
// statistics that PartialFit goes on from, which may be larger than the model; these methods store them beside it. With a
// value that UnmarshalBinary read, UnmarshalStatistics makes what it was: its PartialFit goes on. Package modelfile keeps
// both in one file, by Checkpoint.
type Continuer interface {
	// MarshalStatistics returns what PartialFit goes on from. ErrNotFitted before Fit, and after a fit that left none.
	MarshalStatistics() ([]byte, error)
	// UnmarshalStatistics takes it over into a fitted value, of the settings and the model that it was stored with; that they
	// are of the same rows cannot be checked. Errors: ErrNotFitted before a model was read, ErrBadModel for damaged
	// statistics and for those of other columns, classes or settings; they leave the value as it was.
	UnmarshalStatistics(data []byte) error
}

// MatrixFitter is the capability to learn from a kernel matrix of the caller's what Fit
// learns from rows and the kernel. Y is float64 for regressors and int for classifiers.
type MatrixFitter[Y float64 | int] interface {
	// FitMatrix learns from k (n×n) and y (n).
	FitMatrix(ctx context.Context, k mat.Symmetric, y []Y) error
	// PredictMatrix predicts from kernel values k (m×n) between new rows and those fitted.
	PredictMatrix(k mat.Matrix) ([]Y, error)
}

// Reporter is the capability to say how the last Fit went.
type Reporter interface{ Report() Report }

// Report says how a Fit went. Not converging is said here and is no error.
type Report struct {
	Converged  bool
	Iterations int
	Objective  float64  // what Fit minimised, at its end; each type documents it
	Jitter     float64  // added to a matrix's diagonal to factor it, absolute
	Warnings   []string // for people
}

// Clone returns a copy that shares no memory.
func (r Report) Clone() Report {
	r.Warnings = slices.Clone(r.Warnings)
	return r
}

// Step is one line of progress, passed to an Observe callback: after each iteration, and between iterations whenever a
// four-hundredth more of the work is done, so that the first steps come early. Iteration, Objective and Message are then those of
// the last iteration that has ended, and Between is true. The last step of a fit that succeeds has Done 1.
//
// An Observe is never called by two goroutines at a time. It may not be slow, since the fit waits for it. What it panics with is the
// fit's error, a [PanicError], and it is not called again. The result of a fit does not depend on it.
type Step struct {
	Iteration int     // that has ended, from 1; 0 before the first
	Total     int     // how many there will be at most; 0 if not known
	Objective float64 // the current value of what is optimised
	Message   string  // for people
	// Done is the share of the work that is done, from 0 to 1. It never falls within a fit. It is an estimate, by the operations
	// that each part of the work takes, and where their number is not known by how far an iteration has converged.
	Done float64
	// Between says that no iteration has ended since the last step, only that more of the work is done. A program that prints
	// iterations leaves such steps out.
	Between bool
}

// Observed returns a context with which whatever fits tells observe of its steps, as an Observe field does: transformers,
// which have no such field, and estimators, searches and pipelines besides theirs. Each fit that begins with it is one of
// its own, with a Done from 0 to 1.
func Observed(ctx context.Context, observe func(Step)) context.Context {
	if observe == nil {
		return check.Context(ctx)
	}
	return progress.Observed(check.Context(ctx), passed(observe))
}

// The errors. Every error of this module unwraps to one of these, to
// errors.ErrUnsupported, or to the context's.
var (
	ErrParam     = fault.ErrParam     // a field or an argument out of range
	ErrShape     = fault.ErrShape     // counts of rows, columns, labels, classes that do not fit
	ErrNotFinite = fault.ErrNotFinite // a NaN or an infinity in the input
	ErrNotPSD    = fault.ErrNotPSD    // a matrix that should be positive semi-definite is not
	ErrNotFitted = fault.ErrNotFitted // called before Fit
	ErrTooLarge  = fault.ErrTooLarge  // needs more memory than the limit
	ErrBadModel  = fault.ErrBadModel  // model data cut short, changed, or of something else
)

// The typed errors, for errors.As; each unwraps to the sentinel of its name.
type (
	// ParamError has Type, Field, Value and Want, for example "lssvm: Regressor",
	// "Ridge", -1 and "> 0".
	ParamError = fault.ParamError
	// PanicError has Value and Place: what panicked, a kernel, an Observe, an estimator or a transformer of the caller's, or a
	// BLAS. It unwraps to ErrParam. Every function that takes a context, and every prediction, returns it in place of a panic,
	// on any number of workers, and the old model stays. A search counts a candidate that panics among the fits that failed.
	// What Go ends a program for, as memory that is out or a map that is written at the same time, is no panic.
	PanicError = fault.PanicError
	// ShapeError has What, Got, Unit and Want, for example "y has", 3, "entries" and
	// "x has 4 rows".
	ShapeError = fault.ShapeError
	// NotFiniteError has Name, Row, Col (-1 in a vector) and Value.
	NotFiniteError = fault.NotFiniteError
	// NotPSDError has What, the matrix, and Jitter, the largest share of its mean
	// diagonal that was added in vain.
	NotPSDError = fault.NotPSDError
	// NotFittedError has Type.
	NotFittedError = fault.NotFittedError
	// TooLargeError has What, the Bytes that it needs, the Limit, and a Hint, the way
	// out.
	TooLargeError = fault.TooLargeError
	// BadModelError has Kind, what was to be read, and Reason.
	BadModelError = fault.BadModelError
	// MixedColumnError is a column of a CSV file that is nearly all numbers, or times, and has a few other words, each a
	// StrangeText with its line. It unwraps to ErrParam.
	MixedColumnError = fault.MixedColumnError
	// StrangeText has the Text of a cell, the Line that it is first in, from 1, and how many Times it occurs in its column.
	StrangeText = fault.StrangeText
)
