// Package sparse stores matrices with few nonzero entries, row by row. Examples are documents over a vocabulary and hashed
// categories.
//
// [Rows] is a [mat.Matrix] with DoRowNonZero. Every function of this module that accepts sparse rows accepts any such matrix, and
// reads it with [From]. docs/sparse.md lists these functions, and package transformers/text creates Rows from documents.
package sparse
