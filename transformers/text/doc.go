// Package text makes sparse rows of documents.
//
//	TFIDF     learns a vocabulary, and weights each term of a document by its count and by the number of documents that have it
//	Hashing   learns nothing: the hash of a term is its column
//
// Both take a slice of documents and return a [sparse.Rows] with a row for each. Their formulas and defaults are those of
// TfidfVectorizer and HashingVectorizer of scikit-learn 1.6. The rows go to ridge, lssvm, falkon, to pipelines and to
// cross-validation without a dense copy; docs/guide/text.md is a program.
//
// # Terms
//
// [Terms] sets what a term is: words, sequences of words, or sequences of characters. Letters become lower case first, by the
// mapping of single runes of package unicode. Python maps two letters differently: the capital İ, and a capital Σ at the end of a
// word.
//
// # Hostile text
//
// Any string is a document. An empty document is an empty row. A byte that is not UTF-8 counts as U+FFFD, which is part of no word.
// The limit MaxBytes bounds the memory of vocabulary and rows, and is ErrTooLarge before that memory is allocated. A document that is
// read takes 16 bytes for each of its characters besides.
//
// # Files
//
// Both types are stored by package modelfile with their settings. MarshalBinary alone stores what Fit learned.
package text
