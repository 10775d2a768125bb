//go:build (amd64 || arm64) && !purego

package vecmath

// The vector loops process four elements at a time, with the operations of the loops in Go and in their order, so that results are
// bit-identical. (Fused operations would save little, since the table dominates.) They stop before a group of four with an element
// outside the common range, and before the last three elements.
const four = 4

// A vector is a number repeated four times.
type vector [4]float64

func repeat(values ...float64) (vectors []vector) {
	for _, v := range values {
		vectors = append(vectors, vector{v, v, v, v})
	}
	return vectors
}

var (
	expConstants    = [9]vector(repeat(inverseStep, rounder, stepHigh, stepLow, 1.0/24, 1.0/6, 0.5, lowest, highest))
	sincosConstants = [12]vector(repeat(inverseAngle, rounder, angleHigh, angleMiddle, angleLow,
		1.0/120, 1.0/6, 1.0/720, 1.0/24, 0.5, -farthest, farthest))
)

// vectorLength is the number of elements that the loops in Go process before the vector loops try again.
const vectorLength = four

// expVector computes Exp for the first elements, and returns their number.
func expVector(dst []float64, a float64, x []float64) int {
	if !hasVectors || len(x) < four {
		return 0
	}
	return expFours(len(x)/four, a, &x[0], &dst[0], &exp2Bits, &expConstants)
}

// sincosVector computes Sincos for the first elements, and returns their number.
func sincosVector(sin, cos, x []float64) int {
	if !hasVectors || len(x) < four {
		return 0
	}
	return sincosFours(len(x)/four, &x[0], &sin[0], &cos[0], &circlePoints, &sincosConstants)
}

// expFours computes up to n groups of four, and returns the number of elements.
//
//go:noescape
func expFours(n int, a float64, x, dst *float64, table *[tableSize]uint64, constants *[9]vector) int

// sincosFours computes up to n groups of four, and returns the number of elements.
//
//go:noescape
func sincosFours(n int, x, sin, cos *float64, table *[circle]point, constants *[12]vector) int

// addNormsVector computes AddNorms for the first elements. It returns their number, and whether all of them exceed the share.
func addNormsVector(dst []float64, norm float64, norms []float64, share float64) (done int, above bool) {
	if !hasVectors || len(dst) < four {
		return 0, true
	}
	groups := len(dst) / four
	return groups * four, addNormsFours(groups, norm, share, &norms[0], &dst[0]) == 15
}

// finiteVector checks the first elements. It returns their number, and whether all are finite.
func finiteVector(x []float64) (done int, finite bool) {
	if !hasVectors || len(x) < four {
		return 0, true
	}
	groups := len(x) / four
	return groups * four, finiteFours(groups, &x[0]) == 15
}

// addNormsFours computes n groups of four. Bit i of the result is set if element i of every group exceeds the share.
//
//go:noescape
func addNormsFours(n int, norm, share float64, norms, dst *float64) int

// finiteFours checks n groups of four. Bit i of the result is set if element i of every group is finite.
//
//go:noescape
func finiteFours(n int, x *float64) int
