package falkon

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/machine"
	"github.com/kernelearn/kernelearn/estimators/falkon/internal/solver"
	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/kernels"
)

// fittedMachine holds the result of Fit. It is embedded in the types of this package, which inherit its methods.
type fittedMachine struct {
	m       *machine.Machine
	report  estimators.Report
	details Details
	left    *solver.LeftOut // set only in a Classifier, until the link is fitted
}

// Details describes the last Fit in more detail than a Report.
type Details struct {
	// Rows is n, the number of distinct training rows. After FitBlocks it is the number of all rows.
	Rows int

	// Landmarks is M, the number of landmarks.
	Landmarks int

	// Solver is the solver that was used, [Direct] or [ConjugateGradients].
	Solver Solver

	// Passes is the number of passes over the rows in which the kernel was computed.
	Passes int
	Ridge  float64

	// EffectiveDimension is the trace of the hat matrix, without the intercept. If it is close to Landmarks, more landmarks would
	// lower the error. With [ConjugateGradients] it is estimated from the sample. With [LogisticLoss] it is not computed and is 0.
	EffectiveDimension float64

	// LeaveOneOut is the weighted mean squared leave-one-out residual, summed over the targets. With [Direct] it is
	// exact. With [ConjugateGradients] it is computed on rows outside the preconditioner's sample. With [LogisticLoss] and [Direct] it
	// is the approximate mean logistic loss of the distinct rows, summed over the machines, and with ConjugateGradients 0.
	LeaveOneOut float64

	// GCV is the generalised cross-validation error, n·RSS/(n - trace)². It is only for comparison, since it is wrong for rows with
	// large leverage. With [ConjugateGradients] it is not computed and is 0.
	GCV float64

	// Energy is the estimated relative error at the end of the conjugate gradients. It is 0 with [Direct].
	Energy float64

	// Seconds is the duration of Fit in seconds. It is 0 in a model from a file.
	Seconds float64
}

// ChosenKernel returns the kernel of the last Fit, or nil before Fit.
func (f *fittedMachine) ChosenKernel() kernels.Kernel {
	if f.m == nil {
		return nil
	}
	return f.m.Kernel
}

// ChosenRidge returns the ridge Λ that Fit used, for all targets or classes. It returns 0 before Fit.
func (f *fittedMachine) ChosenRidge() float64 {
	if f.m == nil {
		return 0
	}
	return f.m.Ridge
}

// LandmarkRows returns the landmarks, M×d. It returns nil before Fit, and for sparse landmarks whose dense copy exceeds 8 GiB.
func (f *fittedMachine) LandmarkRows() *mat.Dense {
	if f.m == nil {
		return nil
	}
	rows, err := check.Dense("the landmarks", f.m.Landmarks)
	if err != nil {
		return nil
	}
	return mat.DenseCopyOf(rows)
}

// Report describes the last Fit. Iterations is the number of iterations of [ConjugateGradients], the number of ridges that [Direct]
// evaluated, or the number of Newton steps with [LogisticLoss]. Objective is the LeaveOneOut of [Details]. With [LogisticLoss]
// Objective is the penalised loss, summed over the rows and machines.
func (f *fittedMachine) Report() estimators.Report { return f.report.Clone() }

// Details describes the last Fit in more detail than Report. It returns the zero value before Fit.
func (f *fittedMachine) Details() Details { return f.details }

// coefficients returns β, with a row for each landmark and a column for each output.
func (f *fittedMachine) coefficients() *mat.Dense {
	if f.m == nil {
		return nil
	}
	return mat.DenseCopyOf(f.m.Beta.T())
}

// intercepts returns b for each output.
func (f *fittedMachine) intercepts() []float64 {
	if f.m == nil {
		return nil
	}
	return slices.Clone(f.m.Bias)
}
