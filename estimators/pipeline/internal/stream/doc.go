// Package stream sends rows through the fitted steps of a pipeline, some thousand at a time.
//
// [Steps] are fitted, and a [Way] is one reading of a stream through the first of them, in memory that is used again for each
// piece. While a later part learns, its statistics take rows as they come to the first step: [Rows] are those of a step, and
// [Blocks] those of a step or a final estimator that come with targets. A [Place] says which stage of which fit they belong to,
// by a digest of what the steps before it have learnt.
package stream
