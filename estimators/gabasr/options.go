package gabasr

import "github.com/kernelearn/kernelearn/internal/enum"

// Map selects the features that are computed from the frequencies.
type Map int

// The maps. The default is Stationary.
const (
	// Stationary has the features cos<w,x> and sin<w,x> for each frequency w.
	Stationary Map = iota
	// Paired multiplies the features of each w by cos(<v,x>/2), where each w has its own local frequency v.
	Paired
	// AllPairs has the features of Paired for each combination of ⌊√Pairs⌋ frequencies w and as many local frequencies v.
	AllPairs
)

// String returns the name of the map.
func (m Map) String() string {
	return enum.Name("Map", int(m), "Stationary", "Paired", "AllPairs")
}

// Likelihood selects the likelihood of the labels of a [Classifier], which determines the posterior of the frequencies.
type Likelihood int

// The likelihoods. The default is Normal.
const (
	// Normal treats labels of ±1 as numbers with normal noise, for which the evidence is exact. It fits a logistic link to the
	// leave-one-out scores.
	Normal Likelihood = iota
	// PolyaGamma is the exact logistic likelihood, with Pólya-Gamma variables.
	PolyaGamma
	// Surrogate is the likelihood of the paper: the sigmoid of least-squares coefficients on labels 0 and 1, which is not a
	// probability of the labels given the frequencies. It exists for comparison.
	Surrogate
)

// String returns the name of the likelihood.
func (l Likelihood) String() string {
	return enum.Name("Likelihood", int(l), "Normal", "PolyaGamma", "Surrogate")
}

// Sweep describes the state of a chain at the end of a sweep.
type Sweep struct {
	// Machine is 0 for a regressor and for two classes. Otherwise it is the position of the class in Classes.
	Machine int

	// Chain is the number of the chain, counted from 0.
	Chain int

	// Number is the number of the sweep, counted from 1. Number 0 is the initial model, which the evidence chose among random
	// frequencies.
	Number int

	// LogEvidence is the log evidence of the targets in their own units. For [PolyaGamma] it is the log likelihood of the drawn
	// coefficients, and for [Surrogate] that of the least-squares coefficients.
	LogEvidence float64
	Ridge       float64

	// Alpha is the concentration of the Dirichlet process.
	Alpha float64

	// Components is the number of components of the mixture of frequencies.
	Components int

	// Accepted is the share of the proposals that were accepted. It is high for frequencies that do not matter, so it is not a
	// diagnostic.
	Accepted float64

	// Kept reports whether predictions are averaged over this sweep. The burn-in is not kept, and in long default chains only every
	// second, fourth or eighth sweep is kept.
	Kept bool
}
