// Package estimators holds the contracts of everything that fits and predicts.
//
// Matrices are n×d, a sample in each row; targets and labels have one entry for
// each row. Every estimator of this module keeps these rules, and package
// estimatortest checks them on any type that wants to:
//
//   - configuration is exported fields whose zero value is the documented default;
//   - Fit builds a fresh model and assigns it last: a Fit that fails or is
//     cancelled leaves the model fitted before, and no input is modified;
//   - Predict and its kin write nothing, so concurrent calls are safe;
//   - bad input is an error that names the thing, the place and the limit; it
//     never panics;
//   - the same Seed gives the same model on any number of Workers.
package estimators

import (
	"context"
	"encoding"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

// Regressor predicts a number for each row.
type Regressor interface {
	// Fit learns from x (n×d) and the n targets y. Errors: ErrShape, ErrNotFinite,
	// ErrParam for a field out of range, ErrTooLarge, ErrNotPSD, or ctx's.
	Fit(ctx context.Context, x mat.Matrix, y []float64) error
	// Predict returns a number for each row of x, which is as wide as Fit's.
	// Errors: ErrNotFitted, ErrShape, ErrNotFinite.
	Predict(x mat.Matrix) ([]float64, error)
}

// Classifier predicts a class for each row. Labels are any ints.
type Classifier interface {
	// Fit learns from x (n×d) and the n labels y. Errors as Regressor's.
	Fit(ctx context.Context, x mat.Matrix, y []int) error
	// Predict returns one of Classes for each row of x.
	Predict(x mat.Matrix) ([]int, error)
	// Classes returns the distinct labels that Fit saw, ascending; nil before Fit.
	Classes() []int
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

// WeightedFitter is the capability to fit with a weight for each row. Y is
// float64 for regressors and int for classifiers. A weight of 2 counts like the
// row given twice; weights are positive and finite.
type WeightedFitter[Y float64 | int] interface {
	FitWeighted(ctx context.Context, x mat.Matrix, y []Y, weights []float64) error
}

// Cloner is the capability to give an unfitted, equally configured, independent
// copy. T is Regressor, Classifier or transformers.Transformer.
type Cloner[T any] interface{ Clone() T }

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

// Step is one line of progress, passed to an Observe callback.
type Step struct {
	Iteration int     // from 1
	Total     int     // how many there will be at most; 0 if not known
	Objective float64 // the current value of what is optimised
	Message   string  // for people
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
)

// Capability names something that an estimator may or may not be able to do.
type Capability int

// The capabilities, and the interface that each stands for.
const (
	Proba       Capability = iota + 1 // ProbaPredictor
	Variance                          // VariancePredictor
	Decision                          // DecisionPredictor
	Weighted                          // WeightedFitter[float64] or WeightedFitter[int]
	Cloning                           // Cloner of Regressor, Classifier or transformers.Transformer
	Reporting                         // Reporter
	Marshalling                       // encoding.BinaryMarshaler and BinaryUnmarshaler
)

var capabilityNames = map[Capability]string{
	Proba: "PredictProba", Variance: "PredictVariance", Decision: "Decision", Weighted: "FitWeighted",
	Cloning: "Clone", Reporting: "Report", Marshalling: "MarshalBinary and UnmarshalBinary",
}

// String returns the method's name.
func (c Capability) String() string {
	if s, ok := capabilityNames[c]; ok {
		return s
	}
	return fmt.Sprintf("Capability(%d)", int(c))
}

// Wrapper is what composites implement (a pipeline, a search, an adapter): they
// have every method, whatever they wrap, and say here which of them would work.
type Wrapper interface{ Supports(c Capability) bool }

// Supports reports whether e can do c. It looks through Wrappers: a pipeline
// supports Variance if its final estimator does.
func Supports(e any, c Capability) bool {
	if e == nil {
		return false
	}
	if w, ok := e.(Wrapper); ok {
		return w.Supports(c)
	}
	switch c {
	case Proba:
		return is[ProbaPredictor](e)
	case Variance:
		return is[VariancePredictor](e)
	case Decision:
		return is[DecisionPredictor](e)
	case Weighted:
		return is[Regressor](e) && is[WeightedFitter[float64]](e) || is[Classifier](e) && is[WeightedFitter[int]](e)
	case Cloning:
		return is[Cloner[Regressor]](e) || is[Cloner[Classifier]](e) || is[Cloner[transformers.Transformer]](e)
	case Reporting:
		return is[Reporter](e)
	case Marshalling:
		return is[encoding.BinaryMarshaler](e) && is[encoding.BinaryUnmarshaler](e)
	}
	return false
}

func is[T any](e any) bool {
	_, ok := e.(T)
	return ok
}

// Unsupported makes the error of a wrapper whose wrapped value e cannot do c. It
// wraps errors.ErrUnsupported.
func Unsupported(wrapper string, e any, c Capability) error {
	return fmt.Errorf("%s: %T has no %v: %w", wrapper, e, c, errors.ErrUnsupported)
}

// Clone returns an unfitted copy of e, or an error that wraps
// errors.ErrUnsupported if e has no Clone method of its kind. T is Regressor,
// Classifier or transformers.Transformer; the wrapper's name stands in the error.
func Clone[T any](wrapper string, e T) (T, error) {
	var zero T
	if any(e) == nil {
		return zero, fault.Param(wrapper, "wrapped value", nil, "a value that is not nil")
	}
	c, ok := any(e).(Cloner[T])
	if !ok {
		return zero, Unsupported(wrapper, e, Cloning)
	}
	return c.Clone(), nil
}
