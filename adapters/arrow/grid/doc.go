// Package grid writes golearn grids to Parquet files, and converts them to record batches.
//
// [Batch] and [Write] create a batch or a file from a grid. To read a Parquet or Arrow file into a grid, pass the table of
// arrow.Source to grids.FromTable, of this module's adapters/golearn.
//
// It is a separate package, so that a program that reads files without using golearn does not link golearn.
package grid
