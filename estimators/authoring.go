package estimators

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// The functions that an estimator or a transformer of another package needs to fulfil the contract, besides the typed errors:
// checks of its input, and a model file that cannot be misread.

// CheckRows returns x as a dense matrix that the caller must neither change nor keep. It returns a *mat.Dense unchanged and copies
// any other type. Width is the number of columns that Fit received, and 0 in Fit itself. Errors: ErrShape for a nil or empty x and
// for another width, and ErrNotFinite.
func CheckRows(x mat.Matrix, width int) (*mat.Dense, error) {
	d, err := check.Dense("x", x)
	if err != nil || width == 0 {
		return d, err
	}
	return d, check.Columns("x", d, width)
}

// CheckTargets returns an error, ErrShape or ErrNotFinite, unless y has a finite entry for each row of x.
func CheckTargets(y []float64, rows int) error {
	if err := check.Rows("y", len(y), rows); err != nil {
		return err
	}
	return check.Vector("y", y)
}

// CheckWeights returns an error, ErrShape, ErrNotFinite or ErrParam, unless there is a finite weight > 0 for each row of x. The
// error names the type.
func CheckWeights(typ string, weights []float64, rows int) error {
	return check.Weights(typ, weights, rows)
}

// BeginFit begins a Fit of an estimator or a transformer of another package that reports its progress to observe, which is its
// field or nil, to the observer of [Observed], and to the surrounding pipeline or search. Fits with the returned context, and the
// kernel matrices and factorisations of this module, are reported as its parts. Each check of the context is reported as a step,
// unless [Tell] gives more detail. Fit must defer the returned function:
//
//	func (m *Mean) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
//		defer estimators.BeginFit(&ctx, m.Observe)(&err)
//
// A Fit that returns no error is reported as complete. A panic becomes an error, a [PanicError]. Without observers all this costs
// nothing.
func BeginFit(ctx *context.Context, observe func(Step)) (end func(err *error)) {
	return progress.BeginFit(ctx, passed(observe))
}

// Tell reports to the observers of the fit in ctx that an iteration has ended and, if Done is not 0, which share of it is done.
func Tell(ctx context.Context, s Step) {
	progress.Report(ctx, s.Done)
	progress.Tell(ctx, progress.Step{Iteration: s.Iteration, Total: s.Total, Objective: s.Objective, Message: s.Message})
}

func passed(observe func(Step)) func(progress.Step) {
	if observe == nil {
		return nil
	}
	return func(s progress.Step) {
		observe(Step{Iteration: s.Iteration, Total: s.Total, Objective: s.Objective, Message: s.Message, Done: s.Done, Between: s.Between})
	}
}

// MarshalModel encodes a model file: the fitted values with their kind, such as "mypackage.Regressor", the version and a checksum.
// Fitted is a struct of exported fields that are numbers, strings, slices, maps, structs, or an encoding.BinaryMarshaler such as
// *mat.Dense. A kernel is stored as a kernels.Reference, and a part of a composite as a Part.
func MarshalModel(kind string, version int, fitted any) ([]byte, error) {
	return codec.Marshal(kind, version, fitted)
}

// UnmarshalModel decodes the output of MarshalModel into fitted, a pointer to such a struct, and returns the file's version, which
// is at most the given one. Every error is ErrBadModel: the data is incomplete, changed, of another kind, of a later version, or
// has other fields. The caller must still check the values, because a checksum is not a signature.
func UnmarshalModel(data []byte, kind string, version int, fitted any) (int, error) {
	return codec.Unmarshal(data, kind, version, fitted)
}
