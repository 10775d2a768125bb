// Package archive gets the bytes of a fitted classifier of golearn, which saves itself to a file only. [Save] returns the entries of
// that file, [Check] refuses those whose counts golearn would allocate by, and [Load] lets a classifier read them.
package archive
