// Package solver finds the coefficients of a machine on landmarks in passes over the rows, and what leaving rows out says of them. The
// documentation of package falkon has the mathematics.
//
//	Z   features of the rows   u   coefficients, k×M   Λ   Settings.Ridge   λ = Λ/n   W   weights of the rows
//
// # A pass
//
// A [Problem] is a basis and the rows. A pass computes the kernel of a block of rows with the landmarks, uses it and throws it
// away, so no pass holds more than a few blocks for each worker (problem.go, kernel_pass.go). Sums are added up in the order of the
// blocks, so the number of workers does not change a result.
//
// # Solvers
//
// [Problem.Solve] takes one of these, and chooses the ridge by leave-one-out if it is not set.
//
//   - The normal equations Z~'WZ~ + ΛI in one pass (direct.go).
//   - Conjugate gradients on several ridges at once, preconditioned by a sample of the rows (conjugate.go, gradients.go). Where
//     they stand after an iteration is a [State], from which a later fit goes on.
//   - Newton's method for the logistic loss, each step of it by one of the two (newton.go, newton_gradients.go).
//
// # Leaving rows out
//
// Rows are left out exactly, one by one or in groups, without fitting again (leave_out.go, leave_groups.go). The errors of all
// ridges are computed in one pass, in coordinates in which Z~'WZ~ is tridiagonal. With more than 2000
// landmarks the normal equations do this on the first 2000. [LeftOut] is what is kept of the residuals: the variances of the noise and of
// what the features do not see come of it (variance.go), and the probabilities of a classifier.
//
// # Cost
//
// With n rows and M landmarks the normal equations take O(nM²), an iteration of conjugate gradients O(nM), its preconditioner
// O(M³), and leaving out O(nM²) for the rows that are left out. [Settings.Bytes] is the memory.
package solver
