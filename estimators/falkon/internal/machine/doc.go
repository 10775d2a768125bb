// Package machine has the fitted model of package falkon: a kernel on landmarks, coefficients, and what its variances are made of.
//
// A [Basis] is the features of rows,
//
//	z(x) = T⁻ᵀ k(C, x),   T'T = K_MM + jitter I
//
// with C the M landmarks. The jitter is the least with which the factor T exists. A solver works with coefficients u of the features;
// those of the kernel are β = T⁻¹u.
//
// A [Machine] predicts f(x) = β'k(C, x) + b, for k outputs at once, in blocks of rows on all workers, or one row at a time without
// allocating memory. Its [Spread] gives the variance of a new observation, and is stored as [StoredSpread]. The basis is made
// again at the first variance after a file was read. Both are also written as a graph.
//
// # Cost
//
// A factor T takes O(M³), a mean O(M(d + k)), a variance O(M²), whatever the number of outputs.
package machine
