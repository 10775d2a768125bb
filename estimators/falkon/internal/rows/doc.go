// Package rows reads the rows of a fit in batches, from a matrix in memory or from a stream, in several passes.
//
// # Sources
//
// A [Source] provides the rows (n×d), their targets (n×k) and their weights. It also provides the moments that a fit needs before
// its first pass: the sum of the weights, the mean and variance of each target, the columns that vary, and a hash of all numbers.
// [DistinctRows] returns a source for a matrix. It merges equal rows, and places the rows of each group next to each other. A
// [Stream] returns a source for an iterator over blocks, which is run again for each pass. If the hash of a pass differs from that
// of the first, the error reports that rows have changed.
//
// # Passes
//
// [Source.Pass] reads a wave of rows at a time, distributes its batches to the workers, and adds their results in the order of the
// rows. The size of a batch depends neither on the number of workers nor on the kind of source. Sums are therefore bit-identical. A
// stream is read on a separate goroutine, one wave ahead of the workers.
//
// # Drawing
//
// [DrawnRows], [DrawnGroups] and [WeightedDraw] draw row numbers, and [Source.Gather] reads the rows with these numbers in one
// pass.
//
// # Memory
//
// A stream keeps two waves in memory, O(wave·(d + k)) numbers. A matrix needs no additional memory.
package rows
