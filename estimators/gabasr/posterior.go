package gabasr

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
)

// model is a *regression or a *classification, nil before Fit.
type model interface {
	// learnedModel returns the common part of regression and classification, or nil before Fit.
	learnedModel() *learned
	// typ returns the name of the model's estimator, for errors.
	typ() string
}

// posterior provides the methods of Regressor and Classifier for the posterior of the frequencies.
type posterior[M model] struct{ m M }

// Frequencies returns the frequencies of the kept sweep with the highest log evidence, one in each row, in radians per unit of x.
// They are 0 for constant columns. In a Classifier, the frequencies of its machines follow one another. It returns nil before Fit.
func (f *posterior[M]) Frequencies() *mat.Dense { return f.m.learnedModel().frequencies(false) }

// LocalFrequencies returns the local frequencies v of the same sweeps as Frequencies. It returns nil for a stationary map.
func (f *posterior[M]) LocalFrequencies() *mat.Dense { return f.m.learnedModel().frequencies(true) }

// Component is a normal distribution in a mixture of frequencies, in radians per unit of x. For columns that were constant in the
// training rows, Mean and Covariance are 0.
type Component struct {
	// Weight is the component's share of the frequencies over all kept sweeps. The weights sum to 1.
	Weight     float64
	Mean       []float64
	Covariance *mat.SymDense
}

// Mixture returns the components of all kept sweeps of all machines, where each sweep has the same weight. It returns nil before
// Fit. The cost is O(d³) for each component, for d columns.
func (f *posterior[M]) Mixture() []Component { return f.m.learnedModel().mixture(false) }

// LocalMixture is like Mixture, for the local frequencies. It returns nil for a stationary map.
func (f *posterior[M]) LocalMixture() []Component { return f.m.learnedModel().mixture(true) }

// SpectralDensity returns the density of the mixture for each row of at (k×d), which holds frequencies in radians per unit of x.
// The result is symmetric: ½[p(ω) + p(-ω)]. Columns that were constant in the training rows have no effect. The cost is O(kd²) for
// each component.
func (f *posterior[M]) SpectralDensity(at mat.Matrix) (_ []float64, err error) {
	defer fault.RecoverAs(f.m.typ(), &err)
	return f.m.learnedModel().density(f.m.typ(), at)
}

// LearnedKernel returns the fitted kernel for use in any other estimator. It is the mean of φ(x)'φ(z) over the kept sweeps of all
// machines, without the intercept and the trend, and it scales rows as Fit did. It has a spectral density if it is stationary. Its
// String contains a hash of the frequencies. If the width of a row differs from that in Fit, its values are NaN. LearnedKernel
// returns nil before Fit.
func (f *posterior[M]) LearnedKernel() kernels.Kernel { return f.m.learnedModel().kernel() }

// Map returns a map to the features with Frequencies, as a fitted featuremap.RandomFourier or LocallyStationaryFourier. It returns
// nil before Fit.
func (f *posterior[M]) Map() transformers.Transformer { return f.m.learnedModel().fourierMap() }

// Trace returns all sweeps of all chains of all machines, including the burn-in. It returns nil before Fit.
func (f *posterior[M]) Trace() []Sweep { return f.m.learnedModel().trace() }

// LogEvidence returns the mean log evidence of the kept sweeps, and that of the initial model: random features with the scale and λ
// that maximise the evidence. Both are summed over the machines. If kept is not larger than baseline, sampling did not help, and
// Report contains a warning. A Trend has a flat prior, so with a Trend the values are log densities of the targets after the trend
// is projected out. They can therefore not be used to choose Trend. Both values are 0 before Fit.
func (f *posterior[M]) LogEvidence() (kept, baseline float64) { return f.m.learnedModel().evidences() }

// RHat returns the largest split R̂ of all machines, computed from predictions over the halves of the chains (see Mixing). It is
// NaN with fewer than four kept sweeps, and 0 before Fit. The R̂ of the log evidence can be computed from Trace.
func (f *posterior[M]) RHat() float64 { return f.m.learnedModel().rHat() }

// Report describes the last Fit. Converged means that RHat is below 1.01; otherwise a warning suggests settings. Objective is the
// negative mean log evidence of the kept sweeps, summed over the machines, and Iterations is the number of sweeps of all chains.
func (f *posterior[M]) Report() estimators.Report {
	l := f.m.learnedModel()
	if l == nil {
		return estimators.Report{}
	}
	return l.report.Clone()
}
