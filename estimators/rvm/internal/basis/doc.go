// Package basis computes the columns of kernels from which a relevance vector machine chooses, and the few that it keeps.
//
// # Before a fit
//
// A [Design] defines the columns. They are those of a [Dictionary] of one or several kernels with centres, which are training rows
// or landmarks, or those of the caller's matrix. A Design does not hold evaluated columns. A subset of its rows is again a Design,
// which the refits of a calibration use.
//
// # During a fit
//
// A [Basis] is the design matrix Φ (n×M) in the coordinates of the fit. Rows are multiplied by the roots of their weights. Columns
// are centred if the intercept has a flat prior, and scaled to unit norm. Columns that fit into a budget of memory are kept, in
// blocks. Other columns are evaluated each time they are needed. If the budget allows it, Φ'Φ is computed at once.
//
// # After a fit
//
// A [Support] is the part of a Design that a fit has kept: the relevance vectors and their kernels. At new rows, it evaluates the
// kept columns and the part of the kernel that the vectors do not explain,
//
//	r(x) = k(x,x) - k_A(x)'K_AA⁻¹k_A(x),
//
// as numbers or as a graph. [Stored] is its form in a file.
//
// # Cost
//
// A column costs O(n) evaluations of its kernel, Φ'Φ costs nM² multiplications in matrix products, and r(x) costs one factorisation
// of the kernel matrix of the vectors, computed at the first prediction that needs it.
package basis
