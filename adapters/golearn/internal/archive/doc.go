// Package archive handles the bytes of a fitted classifier of golearn, which can only save itself to a file. [Save] returns the
// entries of that file, [Check] rejects entries with invalid counts, for which golearn would allocate memory, and [Load] decodes
// entries into a classifier.
package archive
