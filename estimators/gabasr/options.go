package gabasr

import (
	"fmt"
)

// Map says how frequencies make features.
type Map int

// The maps, of which Stationary is the default.
const (
	// Stationary has the features cos<w,x> and sin<w,x> for each frequency w.
	Stationary Map = iota
	// Paired multiplies the features of each w by cos(<v,x>/2), where v is a local frequency of its own.
	Paired
	// AllPairs has the features of Paired for each combination of ⌊√Pairs⌋ frequencies w with as many v.
	AllPairs
)

// String returns the map's name.
func (m Map) String() string {
	names := []string{"Stationary", "Paired", "AllPairs"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Map(%d)", int(m))
	}
	return names[m]
}

// Likelihood says how the labels of a [Classifier] determine the frequencies.
type Likelihood int

// The likelihoods, of which Normal is the default.
const (
	// Normal treats labels of ±1 as numbers with normal noise, whose evidence is exact, and fits a logistic link to
	// the leave-one-out scores.
	Normal Likelihood = iota
	// PolyaGamma is the exact logistic likelihood, by Pólya-Gamma variables.
	PolyaGamma
	// Surrogate is the likelihood of the paper: the sigmoid of least-squares coefficients on labels 0 and 1, which is
	// not a probability of the labels given the frequencies. It is here for comparison.
	Surrogate
)

// String returns the likelihood's name.
func (l Likelihood) String() string {
	names := []string{"Normal", "PolyaGamma", "Surrogate"}
	if l < 0 || int(l) >= len(names) {
		return fmt.Sprintf("Likelihood(%d)", int(l))
	}
	return names[l]
}

// The defaults of Regressor and Classifier.
const (
	// defaultPairs is the number M of pairs of features. 25 to 100 do for most data;
	// 2M+1 near the number of rows is best avoided where λ is fixed.
	defaultPairs  = 50
	defaultSweeps = 25
	// defaultDoublings is how often chains of default length become twice as long if they have not mixed: to 200 sweeps.
	defaultDoublings = 3
	defaultBurnIn    = 10 // or two fifths of the sweeps, where that is less
	defaultChains    = 4
	// defaultCovariances is the number of kept sweeps of a chain that keep the covariance of the coefficients. Of 15
	// kept sweeps of a chain, 2 leave 95 of 100 predicted standard deviations within 1% of those with all covariances
	// on most sets, within 4% with 77 rows, and within 6% ten years beyond the rows. Another seed changes them three
	// times as much and more (docs/measured/gabasr-sampling.md).
	defaultCovariances = 2
	// defaultInterceptPrecision is the prior precision of the intercept.
	defaultInterceptPrecision = 1e-4
	// defaultNoise is a0 and b0, shape and rate of the inverse gamma distribution of the
	// variance of the noise.
	defaultNoise = 1e-3
)
