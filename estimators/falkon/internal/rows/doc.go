// Package rows gives the rows of a fit, of a matrix in memory or of a stream, in batches to passes over them.
//
// # Sources
//
// A [Source] is the rows with their targets and weights, n×d and n×k, and the moments that a fit needs before its first pass: the sum of
// the weights, mean and variance of each target, which columns vary, and a hash of everything. [DistinctRows] makes one of a matrix,
// with equal rows merged, and with the rows of each group next to each other. A [Stream] makes one of an iterator over blocks, which is
// run again for each pass. The hash of each pass must be that of the first, or the error says that rows changed.
//
// # Passes
//
// [Source.Pass] reads a wave of rows at a time, gives the batches of it to the workers, and adds up what they did in the order of
// the rows. The size of a batch does not depend on the number of workers, nor on whether rows are in memory, so a sum
// is the same to the bit. A stream is read on a goroutine of its own, one wave ahead of the workers.
//
// # Drawing
//
// [DrawnRows], [DrawnGroups] and [WeightedDraw] draw numbers of rows, and [Source.Gather] reads the rows of these numbers in one pass.
//
// # Memory
//
// A stream has two waves in memory, O(wave·(d + k)) numbers, a matrix only itself.
package rows
