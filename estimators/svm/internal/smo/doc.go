// Package smo solves the dual problems of support vector machines by sequential minimal optimisation. The documentation of package
// svm derives the problems and the steps, with the formulas and the papers.
//
// # Problems
//
// A [Problem] consists of targets t, bounds Lo ≤ β ≤ Hi and a tube ε for some rows of a [Source]. [Solve] returns the β that
// minimise
//
//	½ β'Kβ - t'β + ε Σ|β[i]|    so that  Σ β[i] = 0,  Lo[i] ≤ β[i] ≤ Hi[i]
//
// After [Problem.SetShare], with a form other than [Bounded], the sums of |β| of each sign are also kept at, or below, a share of
// the bounds. Such a problem has no ε. The Solution then has the cost or the tube that corresponds to the share.
//
// # Kernel values
//
// A [Source] provides the diagonal of the kernel matrix K, and a [View] of its rows for the columns that are still active.
// [ShareMatrix] and [TakeMatrix] keep the matrix in memory. TakeMatrix fills both triangles, so that rows need no copy.
// [EvaluateKernel] computes rows when they are requested. The solver then keeps the most recently used rows, as many as
// Control.CacheBytes allows.
//
// # State
//
// The solver holds h = t - Kβ for the active variables, and the rates at which the objective changes when each of them grows or
// shrinks. A step moves two variables, and updates h from their two rows of K. Shrinking sets variables aside, and restoring brings
// them back and recomputes h (solver.go). shares.go contains the additional parts for problems with two signs.
package smo
