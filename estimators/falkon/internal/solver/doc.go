// Package solver computes the coefficients of a machine with landmarks in passes over the rows, and its leave-one-out residuals.
// The documentation of package falkon explains the mathematics.
//
//	Z   features of the rows   u   coefficients, k×M   Λ   Settings.Ridge   λ = Λ/n   W   weights of the rows
//
// # A pass
//
// A [Problem] holds a basis and the rows. A pass computes the kernel values between a block of rows and the landmarks, uses them
// and discards them, so no pass holds more than a few blocks for each worker (problem.go, kernel_pass.go). Sums are computed in the
// order of the blocks, so results do not depend on the number of workers.
//
// # Solvers
//
// [Problem.Solve] uses one of these methods, and chooses the ridge by leave-one-out if it is not set.
//
//   - The normal equations Z~'WZ~ + ΛI are solved in one pass (direct.go).
//   - Conjugate gradients solve for several ridges at once, preconditioned by a sample of the rows (conjugate.go, gradients.go). A
//     [State] holds their progress after an iteration, from which a later fit continues.
//   - Newton's method minimises the logistic loss, with steps computed by one of the other two methods (newton.go, newton_gradients.go).
//
// # Leaving rows out
//
// Rows are left out exactly, one by one or in groups, without fitting again (leave_out.go, leave_groups.go). The errors of all
// ridges are computed in one pass, in coordinates in which Z~'WZ~ is tridiagonal. With more than 2000 landmarks the normal
// equations do this for the first 2000. [LeftOut] holds the residuals that are kept. Three results are computed from it: the
// variance of the noise, the variance of the part that the features do not explain (variance.go), and the probabilities of a
// classifier.
//
// # Cost
//
// With n rows and M landmarks the normal equations cost O(nM²), an iteration of conjugate gradients O(nM), its preconditioner
// O(M³), and leave-one-out O(nM²) for the n rows that are left out. [Settings.Bytes] returns the memory.
package solver
