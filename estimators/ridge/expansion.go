package ridge

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

var _ estimators.Expander = (*Regressor)(nil)

// Expansion returns the prediction as an expansion in a linear kernel, whose single row is β. It implements [estimators.Expander].
func (r *Regressor) Expansion() (estimators.Expansion, error) {
	beta := r.Coefficients()
	if beta == nil {
		return estimators.Expansion{}, fault.NotFitted(regressorType)
	}
	part := estimators.ExpansionPart{
		Kernel: kernels.Linear{}, Rows: mat.NewDense(1, len(beta), beta), Coefficients: mat.NewDense(1, 1, []float64{1}),
	}
	return estimators.Expansion{Parts: []estimators.ExpansionPart{part}, Intercepts: []float64{r.Intercept()}}, nil
}
