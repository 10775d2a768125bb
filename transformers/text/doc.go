// Package text converts documents to sparse rows.
//
//	TFIDF     fits a vocabulary, and weights each term of a document according to its count and the number of documents with it
//	Hashing   needs no fit: the hash of a term is its column
//
// Both types receive a slice of documents and return a [sparse.Rows] with a row for each document. Their formulas and defaults are
// those of TfidfVectorizer and HashingVectorizer of scikit-learn 1.6. Packages ridge, lssvm and falkon, pipelines and
// cross-validation use these rows without a dense copy. docs/guide/text.md contains a program.
//
// # Terms
//
// [Terms] selects the terms: words, sequences of words, or sequences of characters. Letters are first converted to lower case, one
// rune at a time as in package unicode. Python maps two letters differently: the capital İ, and a capital Σ at the end of a word.
//
// # Hostile text
//
// Any string is a document. An empty document is an empty row. A byte that is not UTF-8 counts as U+FFFD, which belongs to no word.
// MaxBytes bounds the memory of the vocabulary and the rows. If it does not suffice, ErrTooLarge is returned before that memory is
// allocated. Reading a document takes an additional 16 bytes for each of its characters.
//
// # Files
//
// Package modelfile stores both types with their settings. MarshalBinary alone stores only the fitted values.
package text
