// Package rowblocks reads rows from ranges of files, or from a PCollection, and passes them on in blocks.
//
//	Layout              the meaning of the columns of the files, and the format of the files
//	Shard, FileRange    a file, and the range of it that one goroutine reads; TrackedSpan is a range that an engine may shorten
//	Collector           reads ranges and elements, counts rows, leaves bad rows out
//	Block, Place        the rows, and the place of each in its file
//	Summary             sums over blocks, merged in any order
//	Census, Finding     the summary of the rows that were read, and an error of a row or file
//
// A CSV row belongs to the range in which it begins. The same holds for a Parquet row group. An error in the data becomes a Finding
// of the Census, and reaches the driver with the sums. Functions return only reading errors, after which an engine may try again.
package rowblocks
