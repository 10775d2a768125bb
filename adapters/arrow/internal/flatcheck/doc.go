// Package flatcheck looks for damage in Arrow's metadata before package arrow-go reads it. Arrow-go believes the lengths of the
// vectors there and makes memory for them, which for a damaged file may be more than the machine has. [CheckFile] and [CheckStream]
// look at Arrow files and streams, [CheckStored] at the schema in a Parquet file.
package flatcheck
