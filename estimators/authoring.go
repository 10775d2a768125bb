package estimators

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/codec"
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
