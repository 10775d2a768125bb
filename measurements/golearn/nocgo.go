//go:build !cgo

package main

var theirCgoClassifiers, theirCgoRegressors []line
