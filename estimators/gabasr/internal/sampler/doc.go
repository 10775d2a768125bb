// Package sampler samples the frequencies of random features from their posterior, by Markov chains. The documentation of package
// gabasr explains the mathematics. Package features computes the features.
//
//	Φ  phi, n×p    A  the matrix whose factor is a factored    λ  ridge    ω  omega, of Pólya-Gamma variables and of frequencies
//
// # Chains
//
// [Settings.Run] fits one [Machine] for each [Task] with several chains, which run in parallel with independent random numbers. A
// chain begins with random frequencies. The evidence chooses their scale and λ (start.go). A sweep draws the mixture of the
// frequencies (mixture.go), proposes a new value for each frequency by Metropolis' rule (chain.go), and draws λ and, for the
// logistic likelihood, the Pólya-Gamma variables (polyagamma.go). The kept sweeps become draws.
//
// # Evidence
//
// A proposal changes two columns of Φ. Its evidence is computed by removing the two columns from the factor and appending the new
// ones, O(p²) (system.go), and never by a new factorisation. [Evidence] selects the criterion for the frequencies: normal noise,
// integrated out; the logistic likelihood given its variables; or the surrogate of the paper (evidence.go).
//
// # Mixing
//
// Chains of default length are doubled as long as the split R̂ of their predictions is not below [MixedBelow] (mixing.go). Between
// two stages a chain sleeps: it keeps no data that are as large as the features.
//
// # Cost
//
// A sweep costs O(np² + p³) for p columns and n rows, and O(Md³) for the mixture of M frequencies with d columns.
package sampler
