// Package fullsystem solves kernel ridge regression with a bias on all rows by preconditioned conjugate gradients, without
// factoring the kernel matrix. Package lssvm documents the model.
//
//	n   rows                    K   kernel matrix            λ   ridge
//	w   weights of the rows     k   targets                  U   mean of the diagonal of K
//
// # System
//
// With S = √w K √w / U and Λ = λ/U, the coefficients α and the bias b solve
//
//	(S + ΛI) u = √w 1,   (S + ΛI) v = √w t,   η = √w u / U,   ν = √w v / U,   b = 1'ν / 1'η,   α = ν - bη
//
// The right-hand sides are the ones, the targets and the probes, each for several ridges. In an iteration they share one pass over
// K. Each right-hand side has its own steps, and leaves the iteration when it has converged, so none depends on the others.
//
// # Storage
//
// K is divided into tiles of tileRows rows and columns, and only tiles on and above the diagonal are used. A tile is used for its
// rows and, transposed, for its columns. Tiles are float32, and vectors and sums are float64. Therefore the matrix of the
// iterations is exactly symmetric, and the only error is the rounding of the entries, a perturbation of K. Entries are computed in
// float32 if the kernel supports it (kernels.Prepared.SingleTo). Otherwise they are computed in float64 and rounded once. Tiles
// that do not fit into memory are computed again in each pass. Their entries are the same, so the solution does not depend on the
// number of stored tiles.
//
// The perturbation is measured on a square of K. No correction is needed if the ridge is ten times its bound, or if its probable
// norm is less than a third of the tolerance relative to the ridge. With a smaller ridge, residuals are computed with tiles in
// float64 and correct the solution. If the ridge is small compared with the perturbation itself, entries are computed in float64
// and rounded once, or tiles are stored in float64. See [Storage].
//
// # Preconditioner
//
// P = F'F + ΛI with the partial Cholesky factor F (r×n) of S. The pivots are drawn in proportion to the diagonal of the remainder.
// The inverse uses the Cholesky factor of FF' + ΛI, so that one F can be used for all ridges. Because S - F'F is positive
// semi-definite, P⁻¹ is an upper bound of (S + ΛI)⁻¹. The rank minimises an estimate of the total time.
//
// # Stopping
//
// The leave-one-out residual of a row is u/d. Here d is the diagonal of the inverse, estimated by an approximation of the matrix
// (conditional.go). The iterations for a target stop when |u/d| is expected to change by at most Tolerance times its norm, if the
// changes continue to fall at their recent rate. The iterations for the ones stop when the same holds after multiplication by b.
// The residual r of the system only bounds the remaining change of predictions at the training rows, and with a small ridge other
// rows change many times as much. The energy norm of the error, √(e'(S + ΛI)e), is estimated from the gains of the last iterations
// (Z. Strakoš and P. Tichý, Electronic Transactions on Numerical Analysis 13, 2002). This estimate stops the iterations of ones and
// probes, and detects stagnation.
//
// # Leave-one-out
//
// The variance of a left-out row depends mainly on the rows near it. Rows are divided into leaves of neighbouring rows, and each
// leaf gets more rows around it as its context (leaves.go). A Cholesky factor of these few hundred rows gives nearly the whole
// variance, and random probes correct the mean (leave_out.go).
//
// All randomness comes from a seed. The order of summation depends on n alone, so the number of workers does not change results.
package fullsystem
