// Package rowblocks reads rows from ranges of files, or from a PCollection, and hands them on in blocks.
//
//	Layout              what the columns of the files mean, and how the files are written
//	Shard, FileRange    a file, and the range of it that one goroutine reads; TrackedSpan is one that an engine may shorten
//	Collector           reads ranges and elements, counts rows, leaves bad ones out
//	Block, Place        the rows, and where each comes from
//	Summary             what is summed up over blocks, and merged in any order
//	Census, Finding     the summary of what was read, and what is wrong with a row or file
//
// A row of CSV belongs to the range that it begins in, and so does a row group of Parquet. What is wrong with the data
// becomes a Finding of the Census, which travels with the sums. Errors are those of reading, which an engine may try again.
package rowblocks
