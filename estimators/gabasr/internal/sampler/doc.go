// Package sampler samples the frequencies of random features from their posterior, by Markov chains. The documentation of package
// gabasr has the mathematics, and package features the features.
//
//	Φ  phi, n×p    A  the matrix that factored has a factor of    λ  ridge    ω  omega, of Pólya-Gamma variables and of frequencies
//
// # Chains
//
// [Settings.Run] learns one [Machine] for each [Task] from several chains, which run in parallel with numbers of their own. A chain begins
// with random frequencies whose scale and λ the evidence chose (start.go). A sweep draws the mixture of the frequencies (mixture.go),
// proposes each frequency anew by Metropolis' rule (chain.go), and draws λ and, for the logistic likelihood, the Pólya-Gamma
// variables (polyagamma.go). The kept sweeps leave draws.
//
// # Evidence
//
// A proposal changes two columns of Φ. Its evidence is that of a factor from which the two are taken out and to which the new ones are
// added, O(p²) (system.go), and never of a factor made anew. [Evidence] says what the frequencies are steered by: normal noise,
// integrated out; the logistic likelihood given its variables; or the surrogate of the paper (evidence.go).
//
// # Mixing
//
// Chains of default length are continued, twice as long each time, as long as the split R̂ of their predictions is not below
// [MixedBelow] (mixing.go). Between two stages a chain sleeps: it keeps nothing of the size of the features.
//
// # Cost
//
// A sweep costs O(np² + p³) for p columns of n rows, and O(Md³) for the mixture of M frequencies of d columns.
package sampler
