// Package sparse holds matrices whose entries are mostly 0 by their nonzero entries, row by row. Documents over a vocabulary and
// hashed categories are such rows.
//
// [Rows] is a [mat.Matrix] with DoRowNonZero. Every function of this library that takes sparse rows takes any such matrix, and reads
// it by [From]. docs/sparse.md lists these functions, and package text of the transformers makes Rows of documents.
package sparse
