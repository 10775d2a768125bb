package rvm

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/kernels"
)

// fitted is a *model or a *classification, nil before Fit.
type fitted interface {
	fittedSupport() *basis.Support
}

// supportMethods provides the methods of Regressor and Classifier that return their relevance vectors.
type supportMethods[M fitted] struct{ m M }

// RelevanceIndices returns the training rows that are in the model, or in at least one machine of a Classifier, in ascending order.
// With Landmarks or FitDesign they are landmarks or columns. It returns nil before Fit.
func (k *supportMethods[M]) RelevanceIndices() []int { return k.m.fittedSupport().Indices() }

// RelevanceVectors returns the relevance vectors as rows. It returns nil before Fit, after FitDesign, and for a
// model without relevance vectors.
func (k *supportMethods[M]) RelevanceVectors() *mat.Dense { return k.m.fittedSupport().CopiedVectors() }

// ChosenKernel returns the kernel that Fit used. For several kernels this is their [kernels.Sum]. It returns nil before Fit and
// after FitDesign.
func (k *supportMethods[M]) ChosenKernel() kernels.Kernel { return k.m.fittedSupport().ChosenKernel() }
