//go:build !unix

package main

import "math"

// processorSeconds is NaN: there is no portable way to ask.
func processorSeconds() float64 { return math.NaN() }
