package estimators

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// What an estimator or a transformer of one's own needs in order to keep the contract, beside
// the typed errors: checks of its input, and a model file that cannot be misread.

// CheckRows returns x as a dense matrix that is not to be written to and not to be kept: a
// *mat.Dense as it is, anything else copied. Width is the number of columns that Fit saw, 0 in
// Fit itself. Errors: ErrShape for a nil or empty x and for another width, ErrNotFinite.
func CheckRows(x mat.Matrix, width int) (*mat.Dense, error) {
	d, err := check.Dense("x", x)
	if err != nil || width == 0 {
		return d, err
	}
	return d, check.Columns("x", d, width)
}

// CheckTargets returns an error, ErrShape or ErrNotFinite, unless y has a finite entry for
// each row of x.
func CheckTargets(y []float64, rows int) error {
	if err := check.Rows("y", len(y), rows); err != nil {
		return err
	}
	return check.Vector("y", y)
}

// CheckWeights returns an error, ErrShape, ErrNotFinite or ErrParam, unless there is a weight,
// finite and above 0, for each row of x. The type stands in the error.
func CheckWeights(typ string, weights []float64, rows int) error {
	return check.Weights(typ, weights, rows)
}

// BeginFit begins a Fit of an estimator or a transformer of your own that reports its progress: to observe, which is a
// field of it or nil, to the observer of [Observed], and to the pipeline or the search that it is fitted in. Fits with the
// context that it returns, and the kernel matrices and factorisations of this module, are parts of it; each look at the
// context is a step on the way, unless [Tell] says more. The Fit defers what it returns:
//
//	func (m *Mean) Fit(ctx context.Context, x mat.Matrix, y []float64) (err error) {
//		defer estimators.BeginFit(&ctx, m.Observe)(&err)
//
// A Fit that returns without an error is done. A panic is an error, a [PanicError]. Where nobody listens all of it costs nothing.
func BeginFit(ctx *context.Context, observe func(Step)) (end func(err *error)) {
	return progress.BeginFit(ctx, passed(observe))
}

// Tell says to the observers of the fit that ctx is in that an iteration has ended, and which share of it is done, if Done is not 0.
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

// MarshalModel writes a model file: what was fitted, with its kind, such as
// "mypackage.Regressor", its version and a checksum. Fitted is a struct of exported fields, of
// numbers, strings, slices, maps, structs, and what is an encoding.BinaryMarshaler, as
// *mat.Dense is. A kernel is stored as a kernels.Reference, a part of a composite as a Part.
func MarshalModel(kind string, version int, fitted any) ([]byte, error) {
	return codec.Marshal(kind, version, fitted)
}

// UnmarshalModel reads what MarshalModel wrote into fitted, a pointer to such a struct, and
// returns its version, at most the one given. Every error is ErrBadModel: of data that is cut
// short, changed, of another kind, of a later version or of other fields. The caller still has to
// look at the values, since a checksum is no signature.
func UnmarshalModel(data []byte, kind string, version int, fitted any) (int, error) {
	return codec.Unmarshal(data, kind, version, fitted)
}
