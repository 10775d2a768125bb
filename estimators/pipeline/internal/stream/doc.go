// Package stream transforms rows by the fitted steps of a pipeline, some thousand at a time.
//
// [Steps] are fitted, and a [Pass] is one reading of a stream through the first of them, in memory that is reused for each piece.
// While a later part is fitted, its statistics receive the rows of the first step. [Sent] are statistics that transform these rows
// by the steps before the part. A [Place] identifies the stage and the fit to which they belong, by a digest of the fitted steps
// before it.
package stream
