package rvm

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

var _ estimators.Expander = (*Regressor)(nil)

// Expansion returns the prediction as a sum over the relevance vectors, with a part for each kernel. It implements
// [estimators.Expander].
func (r *Regressor) Expansion() (out estimators.Expansion, err error) {
	support := r.m.fittedSupport()
	switch {
	case support == nil:
		return out, fault.NotFitted(regressorType)
	case support.Kernels == nil:
		return out, &fault.NotFittedError{Type: regressorType + ": fitted on a design matrix: there are no rows to expand in"}
	}
	out.Intercepts = []float64{r.Intercept()}
	values := r.Coefficients()
	err = support.EachKernel(func(k kernels.Kernel, first, last int) error {
		out.Parts = append(out.Parts, estimators.ExpansionPart{
			Kernel: k, Rows: support.Vectors.Slice(first, last, 0, support.RowWidth()).(*mat.Dense),
			Coefficients: mat.NewDense(last-first, 1, values[first:last]),
		})
		return nil
	})
	return out, err
}
