//go:build !cgo

package main

// golearnCgoMethods are those of golearn that need a C compiler.
var golearnCgoMethods []method
