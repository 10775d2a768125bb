package conformal

import (
	"fmt"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
)

// Method says how an interval is made.
type Method int

// The methods. n is the number of rows whose scores count, α is 1 - level, and the guarantee is that of a new
// row exchangeable with them.
const (
	// Automatic is Full for an estimator with the capability estimators.Smoothing and more than 200 rows, and
	// [CrossValidation] otherwise; Split for other estimators of more than 2000 rows.
	Automatic Method = iota
	// Full conformal prediction with studentised residuals, in closed form: 1-α to 1-α+1/(n+1). It is at the
	// same time jackknife+ with studentised residuals. One fit on a part of the rows, which chooses
	// the settings, and one system of all of them.
	Full
	// JackknifePlus of Barber and others: 1-2α, about 1-α, with plain residuals. Cost as Full.
	JackknifePlus
	// JackknifeMinMax: 1-α, and the widest. Cost as Full.
	JackknifeMinMax
	// CrossValidation is CV+ of Barber and others: a fit without each of Folds parts, in which all is chosen
	// anew: 1-2α-√(2/n), about 1-α.
	CrossValidation
	// Split fits on a part of the rows and takes its scores on the others: 1-α to 1-α+1/(n+1).
	Split
)

// String returns the method's name.
func (m Method) String() string {
	return enum.Name("Method", int(m), "Automatic", "Full", "JackknifePlus", "JackknifeMinMax", "CrossValidation", "Split")
}

// smooths reports whether a method is of one system of all rows.
func (m Method) smooths() bool { return m == Full || m == JackknifePlus || m == JackknifeMinMax }

// holdsSystem asks an estimator that can tell whether its system of so many rows is too large, before the fit that chooses
// its settings.
func holdsSystem(typ string, estimator any, fitted, rows int) error {
	asked, ok := estimator.(interface{ CheckSmoother(fitted, rows int) error })
	if !ok || check.IsNil(estimator) {
		return nil
	}
	if err := asked.CheckSmoother(fitted, rows); err != nil {
		return fmt.Errorf("%s: %w", typ, err) // of which Estimator says whose limit it is
	}
	return nil
}
