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
// With a form other than [Bounded], the sum of |β| over each sign is also kept at, or below, a share of the bounds (see
// [Problem.SetShare]). Such a problem has no ε. The Solution then has the cost or the tube that corresponds to the share.
//
// # Kernel values
//
// A [Source] provides the diagonal of the kernel matrix K, and a [View] of its rows for the columns that are still active. The
// sources of [ShareMatrix] and [TakeMatrix] keep the matrix in memory. TakeMatrix fills both triangles, so that rows need no copy.
// The source of [EvaluateKernel] computes rows when they are requested, and the solver keeps as many of the most recently used rows
// as Control.CacheBytes allows.
//
// # State
//
// The solver holds h = t - Kβ for the active variables, and the rates at which the objective changes when each of them grows or
// shrinks. A step moves two variables, and updates h from their two rows of K. Shrinking sets variables aside, and restoring makes
// them active again and recomputes h (solver.go). shares.go contains the additional parts for problems with two signs.
package smo
