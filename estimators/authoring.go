package estimators

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// A third-party estimator or transformer needs the following functions, in addition to the typed errors, to fulfil the contract.
// They check its input, and write model files that cannot be misread.

// CheckRows returns x as a dense matrix, which the caller must neither change nor keep. It returns a *mat.Dense unchanged and
// copies any other type. The argument width is the number of columns in Fit, or 0 if Fit itself calls CheckRows. CheckRows returns
// ErrShape if x is nil or empty or has another width, and ErrNotFinite if an entry is NaN or infinite.
func CheckRows(x mat.Matrix, width int) (*mat.Dense, error) {
	d, err := check.Dense("x", x)
	if err != nil || width == 0 {
		return d, err
	}
	return d, check.Columns("x", d, width)
}

// CheckTargets returns ErrShape or ErrNotFinite unless y has a finite entry for each row of x.
func CheckTargets(y []float64, rows int) error {
	if err := check.Rows("y", len(y), rows); err != nil {
		return err
	}
	return check.Vector("y", y)
}

// CheckWeights returns ErrShape, ErrNotFinite or ErrParam unless there is a finite weight > 0 for each row of x. The error contains
// typ, the name of the type.
func CheckWeights(typ string, weights []float64, rows int) error {
	return check.Weights(typ, weights, rows)
}

// BeginFit begins a Fit of a third-party estimator or transformer. It reports the progress to observe (the field Observe, or nil),
// to the observer of [Observed], and to the surrounding pipeline or search. Fits, kernel matrices and factorisations of this module
// that use the returned context are reported as parts of the Fit. Each check of the context is reported as a step, unless [Tell]
// reports more detail. Fit must defer the returned function:
//
//	func (m *Mean) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
//		defer estimators.BeginFit(&ctx, m.Observe)(&err)
//
// A Fit that returns no error is reported as complete. A panic becomes a [PanicError]. Without observers, none of this costs time.
func BeginFit(ctx *context.Context, observe func(Step)) (end func(err *error)) {
	return progress.BeginFit(ctx, passed(observe))
}

// Tell reports the end of an iteration to the observers of the fit in ctx. If s.Done is not 0, it is the finished share of the fit.
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
// The argument fitted is a struct of exported fields that are numbers, strings, slices, maps, structs, or an
// encoding.BinaryMarshaler such as *mat.Dense. A kernel is stored as a kernels.Reference, and a part of a composite as a Part.
func MarshalModel(kind string, version int, fitted any) ([]byte, error) {
	return codec.Marshal(kind, version, fitted)
}

// UnmarshalModel decodes the output of MarshalModel into fitted, a pointer to a struct like the one that was encoded, and returns
// the version of the file. It returns ErrBadModel if the data is incomplete or was changed, if it has another kind or other fields,
// or if its version is later than the argument version. The caller must still check the values, because a valid checksum does not
// prove that Fit computed them.
func UnmarshalModel(data []byte, kind string, version int, fitted any) (int, error) {
	return codec.Unmarshal(data, kind, version, fitted)
}
