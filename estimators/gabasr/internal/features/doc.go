// Package features has the features of random frequencies, and what a sweep keeps of them and predicts with. The documentation of
// package gabasr has the mathematics.
//
// # Rows
//
// A [Scaling] centres and scales the columns of rows, and leaves out those that were constant. A [Trend] has orthonormal polynomials
// of scaled columns. The features of a row are
//
//	φ(x) = (1, trend, cos<w,x>, sin<w,x>, ...)
//
// where [Map] says how the frequencies w, and v of maps that are not stationary, make pairs. [MapRows] computes them in blocks of rows on
// all workers.
//
// # Draws
//
// A [Draw] is what a kept sweep of a chain leaves: the frequencies, the mixture that they were drawn from as [Part] values, the
// coefficients, and for some sweeps the factor of their covariance. [Predict] gives the means of draws at scaled rows, and φ'A⁻¹φ
// where a draw has a factor. [Draw.Row] does the same for one row without allocating memory, and [Graphs] as a graph. A file holds draws
// as they are. [Draw.Valid] checks those that were read.
//
// # Cost
//
// With p features a mean costs O(p) and the features O(M) products of a row with a frequency; φ'A⁻¹φ costs O(p²).
package features
