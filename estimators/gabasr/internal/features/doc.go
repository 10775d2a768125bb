// Package features computes the features of random frequencies, and predicts with the draws of kept sweeps. The documentation of
// package gabasr explains the mathematics.
//
// # Rows
//
// A [Scaling] centres and scales the columns of rows, and leaves out constant columns. A [Trend] holds orthonormal polynomials of
// scaled columns. The features of a row are
//
//	φ(x) = (1, trend, cos<w,x>, sin<w,x>, ...)
//
// [Map] determines how the frequencies w, and for maps that are not stationary v, are combined to pairs. [MapRows] computes the
// features in blocks of rows on all workers.
//
// # Draws
//
// A [Draw] is the result of a kept sweep of a chain: the frequencies, their mixture as [Part] values, the coefficients, and for
// some sweeps the factor of their covariance. [Predict] returns the means of draws for scaled rows, and φ'A⁻¹φ if a draw has a
// factor. [Draw.Row] does the same for one row without allocating memory, and [Graphs] does it as a graph. Draws are stored
// unchanged in files. [Draw.Valid] checks decoded draws.
//
// # Cost
//
// With p features a mean costs O(p), φ'A⁻¹φ costs O(p²), and the features need the product of a row with each frequency.
package features
