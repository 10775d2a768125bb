// Package smo solves the dual problems of support vector machines by sequential minimal optimisation. Package svm derives the
// problems and the steps. Its documentation has the formulas and the papers.
//
// # Problems
//
// A [Problem] has targets t, bounds Lo ≤ β ≤ Hi and a tube ε on some rows of a [Source]. [Solve] returns the β that minimise
//
//	½ β'Kβ - t'β + ε Σ|β[i]|    so that  Σ β[i] = 0,  Lo[i] ≤ β[i] ≤ Hi[i]
//
// After [Problem.SetShare], with a form other than [Bounded], the sums of |β| of each sign are also kept at, or below, a share of
// the bounds. Such a problem has no ε. The Solution then has the cost or the tube that corresponds to the share.
//
// # Kernel values
//
// A [Source] gives the diagonal of the kernel matrix K, and a [View] of its rows for the columns that are still active.
// [ShareMatrix] and [TakeMatrix] have the matrix in memory, the second with both triangles, whose rows need no copy.
// [EvaluateKernel] computes rows when they are requested. The solver then keeps as many of them as Control.CacheBytes allows, the
// most recently used ones.
//
// # State
//
// The solver holds h = t - Kβ of the active variables, and the rates at which the objective changes when each of them grows or
// shrinks. A step moves two variables, and updates h from their two rows of K. Shrinking sets variables aside, and restoring brings
// them back and recomputes h (solver.go). shares.go has the additional parts of problems with two signs.
package smo
