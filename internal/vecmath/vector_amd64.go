//go:build !purego

package vecmath

import "golang.org/x/sys/cpu"

// hasVectors reports whether the processor has AVX2. Tests turn it off.
var hasVectors = cpu.X86.HasAVX2

// rootsVector computes Roots for the first elements, and returns their number.
func rootsVector(dst []float64, a, limit float64, x []float64) int {
	if !hasVectors || len(x) < four {
		return 0
	}
	groups := len(x) / four
	rootsFours(groups, a, limit, &x[0], &dst[0])
	return groups * four
}

// quadraticsVector computes Quadratics for the first elements, and returns their number.
func quadraticsVector(s []float64, c float64, e []float64) int {
	if !hasVectors || len(s) < four {
		return 0
	}
	groups := len(s) / four
	quadraticsFours(groups, 1, c, &s[0], &e[0])
	return groups * four
}

// rootsFours computes n groups of four.
//
//go:noescape
func rootsFours(n int, a, limit float64, x, dst *float64)

// quadraticsFours computes n groups of four.
//
//go:noescape
func quadraticsFours(n int, one, c float64, s, e *float64)

// addManhattanVector computes AddManhattan for the first elements, and returns their number.
func addManhattanVector(dst []float64, v float64, z []float64) int {
	if !hasVectors || len(dst) < four {
		return 0
	}
	groups := len(dst) / four
	addManhattanFours(groups, v, &z[0], &dst[0])
	return groups * four
}

// weighManhattanVector adds the terms of WeighManhattan for the first elements to sums, and returns their number.
func weighManhattanVector(sums *[4]float64, w []float64, v float64, z []float64) int {
	if !hasVectors || len(w) < four {
		return 0
	}
	groups := len(w) / four
	weighManhattanFours(groups, v, &z[0], &w[0], sums)
	return groups * four
}

// addManhattanFours computes n groups of four.
//
//go:noescape
func addManhattanFours(n int, v float64, z, dst *float64)

// weighManhattanFours adds the terms w[j]·|v - z[j]| of n groups of four numbers to the four sums.
//
//go:noescape
func weighManhattanFours(n int, v float64, z, w *float64, sums *[4]float64)
