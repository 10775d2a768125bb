package conformal

import (
	"fmt"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/enum"
)

// Method selects how an interval is computed.
type Method int

// These are the methods. In their descriptions n is the number of rows whose scores count, and α is 1 - level. The guarantee holds
// for a new row that is exchangeable with these rows.
const (
	// Automatic selects Full for an estimator with the capability estimators.Smoothing and more than 200 rows. It selects Split for
	// other estimators with more than 2000 rows, and otherwise [CrossValidation].
	Automatic Method = iota
	// Full is full conformal prediction with studentised residuals, in closed form. It guarantees a coverage between 1-α and
	// 1-α+1/(n+1). It equals jackknife+ with studentised residuals. It first fits Estimator to a part of the rows, which chooses
	// the settings, and then solves one linear system with all rows.
	Full
	// JackknifePlus is the method of Barber and others with plain residuals. It guarantees a coverage of 1-2α, and covers about 1-α
	// in practice. It costs the same as Full.
	JackknifePlus
	// JackknifeMinMax guarantees a coverage of 1-α and has the widest intervals. It costs the same as Full.
	JackknifeMinMax
	// CrossValidation is CV+ of Barber and others. It guarantees a coverage of 1-2α-√(2/n), and covers about 1-α in practice. For
	// each of Folds folds, it costs one fit to the other folds, with a separate choice of settings.
	CrossValidation
	// Split fits to a part of the rows and computes the scores on the other rows. It guarantees a coverage between 1-α and
	// 1-α+1/(n+1).
	Split
)

// String returns the method's name.
func (m Method) String() string {
	return enum.Name("Method", int(m), "Automatic", "Full", "JackknifePlus", "JackknifeMinMax", "CrossValidation", "Split")
}

// smooths reports whether the method uses one linear system with all rows.
func (m Method) smooths() bool { return m == Full || m == JackknifePlus || m == JackknifeMinMax }

// holdsSystem returns an error if the estimator's linear system for the given numbers of rows is too large. It can check this only
// if the estimator computes the size before the fit that chooses its settings.
func holdsSystem(typ string, estimator any, fitted, rows int) error {
	asked, ok := estimator.(interface{ CheckSmoother(fitted, rows int) error })
	if !ok || check.IsNil(estimator) {
		return nil
	}
	if err := asked.CheckSmoother(fitted, rows); err != nil {
		return fmt.Errorf("%s: %w", typ, err) // the error of Estimator names the limit
	}
	return nil
}
