//go:build !unix

package main

import "math"

// processorSeconds returns NaN, as there is no portable function for it.
func processorSeconds() float64 { return math.NaN() }
