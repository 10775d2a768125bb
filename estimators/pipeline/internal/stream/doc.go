// Package stream transforms rows with the fitted steps of a pipeline, a few thousand at a time.
//
// [Steps] holds fitted steps. A [Pass] reads a stream once through the first of them, in memory that is reused for each piece.
// While a later part is fitted, its statistics receive the rows of the first step. [Sent] statistics transform these rows with the
// steps before the part. A [Place] identifies the stage and the fit to which the statistics belong, by a digest of the fitted
// steps.
package stream
