//go:build !cgo

package methods

// golearnCgoMethods are those of golearn that need a C compiler.
var golearnCgoMethods []Method
