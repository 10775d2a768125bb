package estimators

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// Expansion is a fitted function that is a sum of kernel values:
//
//	f[c](x) = Σ[p] Σ[i] Parts[p].Coefficients[i,c] Parts[p].Kernel(x, Parts[p].Rows[i]) + Intercepts[c]
//
// A regressor has one output c, the value of Predict. A classifier has an output for each of Classes, the values of Decision.
type Expansion struct {
	Parts      []ExpansionPart
	Intercepts []float64 // one for each output
}

// ExpansionPart holds the terms of an [Expansion] with one kernel.
type ExpansionPart struct {
	Kernel       kernels.Kernel
	Rows         *mat.Dense // n×d, as the estimator received them: training rows, landmarks, support vectors
	Coefficients *mat.Dense // n×K, a column for each output
}

// Expander is the capability of a fitted estimator to return its function as a sum of kernel values. Package selection/inspection
// uses it to explain single predictions exactly, and to list the rows that determine them. Third-party estimators may implement it.
// If the sum differs from the predictions, it is not used. The capability is [Expanding].
type Expander interface {
	// Expansion returns the sum. Its matrices may belong to the model, and the caller must not change them. Expansion returns
	// [ErrNotFitted] before Fit, and after a fit to a kernel matrix, which keeps no rows. If the settings make the model a function
	// of another form, the error wraps errors.ErrUnsupported.
	Expansion() (Expansion, error)
}
