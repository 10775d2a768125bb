//go:build !cgo

package methods

// golearnCgoMethods lists the methods of golearn that need a C compiler.
var golearnCgoMethods []Method
