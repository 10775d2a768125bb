// Package archive reads and writes the bytes of a fitted golearn classifier, which can only save itself to a file. [Save] returns
// the entries of that file. [Check] rejects entries with invalid counts, for which golearn would allocate memory. [Load] decodes
// entries into a classifier.
package archive
