// Package flatcheck checks Arrow's metadata for damage before package arrow-go reads it. Arrow-go trusts the lengths of vectors and
// allocates memory for them, which may exceed that of the machine for a damaged file. [CheckFile] and [CheckStream] check Arrow
// files and streams, and [CheckStored] checks the schema in a Parquet file.
package flatcheck
