// Package machine implements the fitted model of package falkon: a kernel with landmarks, the coefficients, and the terms of the
// variances.
//
// A [Basis] computes the features of rows,
//
//	z(x) = T⁻ᵀ k(C, x),   T'T = K_MM + jitter I
//
// where C are the M landmarks. The jitter is the smallest for which the factor T exists. A solver computes coefficients u of the
// features. The coefficients of the kernel are β = T⁻¹u.
//
// A [Machine] predicts f(x) = β'k(C, x) + b, for k outputs at once. It predicts blocks of rows on all workers, or one row at a time
// without allocating memory. Its [Spread] computes the variance of a new observation, and is stored as [StoredSpread]. In a model
// from a file, the basis is computed when a variance is first needed. Mean and variance are also available as a graph.
//
// # Cost
//
// A factor T costs O(M³), a mean O(M(d + k)), and a variance O(M²), whatever the number of outputs.
package machine
