// Package fullsystem solves kernel ridge regression with a bias on all rows by preconditioned conjugate gradients, without a
// factorisation of the kernel matrix. The documentation of package lssvm has the model.
//
//	n   rows                    K   kernel matrix            λ   ridge
//	w   weights of the rows     k   targets                  U   mean of the diagonal of K
//
// # System
//
// With S = √w K √w / U and Λ = λ/U the machine is that of
//
//	(S + ΛI) u = √w 1,   (S + ΛI) v = √w t,   η = √w u / U,   ν = √w v / U,   b = 1'ν / 1'η,   α = ν - bη
//
// All right-hand sides share one pass over K in each iteration: ones, the targets, the probes, each for several ridges. Each
// has steps of its own, and leaves when it has converged, so that none depends on the others.
//
// # Storage
//
// K is cut into tiles of tileRows rows and columns, of which those on and above the diagonal count. A tile serves its rows and,
// transposed, its columns. Tiles are float32; vectors and sums are float64. So the matrix of the iterations is exactly symmetric, and
// the only error is that of the entries, a perturbation of K. Where the kernel has them, the values are computed in float32 too
// (kernels.Prepared.SingleTo); otherwise they are computed in float64 and rounded once.
//
// Where memory does not hold all tiles, those that it does not hold are computed again in each pass. K is the same to the bit, so the
// solution does not depend on how many are kept.
//
// The perturbation is measured on a square of K. A ridge of ten times its bound needs nothing else, nor one beside which the norm that it
// is likely to have is less than a third of the tolerance. With a smaller ridge the residual is computed with tiles in float64, and the
// solution corrected; with one that is small beside the perturbation itself values are computed in float64 and
// rounded once, or the tiles are float64. See [Storage].
//
// # Preconditioner
//
// P = F'F + ΛI with the partial Cholesky factor F (r×n) of S on pivots drawn in proportion to the diagonal of what is left. The
// inverse takes the Cholesky factor of FF' + ΛI, so one F serves all ridges. As S - F'F is positive semi-definite, P⁻¹ is an
// upper bound of (S + ΛI)⁻¹. The rank is where the estimate of the whole time has its minimum.
//
// # End
//
// A row that is left out has the residual u/d, where d is the diagonal of the inverse, which the model of the variance estimates
// (conditional.go). The iterations of a target end where |u/d| is expected to change by at most Tolerance of itself, if the changes go
// on falling as they did over the last iterations. Those of the ones end where the same holds times b. The residual r of the
// system bounds what predictions of the training rows still change, but with a small ridge other rows change many times as much. The
// energy norm of the error, √(e'(S + ΛI)e), is estimated from the gains of the
// last iterations (Z. Strakoš and P. Tichý, Electronic Transactions on Numerical Analysis 13, 2002): it ends the iterations of ones
// and of probes, and says where nothing moves any more.
//
// # Leaving rows out
//
// What is left out is predicted with the variance that the rows near it leave: rows are parted into leaves of rows near each other,
// each with more rows around it (leaves.go). A factor of these few hundred says nearly all, and random vectors correct the mean
// (leave_out.go).
//
// Everything random comes from a seed. Sums are made in an order that depends on n alone, so the number of workers does not change
// a result.
package fullsystem
