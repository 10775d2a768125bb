// Package flatcheck checks Arrow's metadata for damage before package arrow-go reads it. Arrow-go trusts the lengths of vectors and
// allocates memory for them. In a damaged file these lengths may exceed the memory of the machine. [CheckFile] and [CheckStream]
// check Arrow files and streams, and [CheckStored] checks the schema in a Parquet file.
package flatcheck
