//go:build !cgo

package main

// cgoMethods are those of golearn that need a C compiler.
var cgoMethods []method
