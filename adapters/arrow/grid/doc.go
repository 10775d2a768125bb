// Package grid writes golearn grids to Parquet files, and makes record batches of them.
//
// [Batch] and [Write] make a batch or a file of a grid. A grid of a Parquet or Arrow file is grids.FromTable, of this module's
// adapters/golearn, of the table that arrow.Source gives.
//
// It is a package of its own, so that a program that reads files without golearn does not link it.
package grid
