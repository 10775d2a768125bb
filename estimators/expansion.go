package estimators

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// Expansion is a fitted function that is a sum of kernel values:
//
//	f[c](x) = Σ[p] Σ[i] Parts[p].Coefficients[i,c] Parts[p].Kernel(x, Parts[p].Rows[i]) + Intercepts[c]
//
// A regressor has one output c, which is what Predict returns. A classifier has one for each of Classes, which are those of
// Decision.
type Expansion struct {
	Parts      []ExpansionPart
	Intercepts []float64 // one for each output
}

// ExpansionPart is the part of an [Expansion] that belongs to one kernel.
type ExpansionPart struct {
	Kernel       kernels.Kernel
	Rows         *mat.Dense // n×d, as the estimator saw them: training rows, landmarks, support vectors
	Coefficients *mat.Dense // n×K, a column for each output
}

// Expander is the capability of a fitted estimator to write its function as a sum of kernel values. Package
// selection/inspection explains single predictions of these exactly, and lists the rows behind them. Estimators of other modules
// may implement it; where the sum differs from the predictions, it is not used. It is the capability [Expanding].
type Expander interface {
	// Expansion returns the sum. Its matrices may be those of the model and are not to be changed. Errors: [ErrNotFitted], also
	// after a fit to a kernel matrix, which keeps no rows; one that wraps errors.ErrUnsupported if these settings
	// predict something else.
	Expansion() (Expansion, error)
}
