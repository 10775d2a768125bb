//go:build (amd64 || arm64) && !purego

package vecmath

// The vector loops do four elements at a time, by the operations of the loops in Go and in
// their order, so that results agree to the bit. (Fused operations would save little: the
// table is what costs.) They stop before four of which one is not in the common range, and
// before the last three.
const four = 4

// A vector is one number four times over.
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

// vectorLength is how many elements the loops in Go take before the vector loops try again.
const vectorLength = four

// expVector computes the first elements of what Exp does, and returns how many.
func expVector(dst []float64, a float64, x []float64) int {
	if !hasVectors || len(x) < four {
		return 0
	}
	return expFours(len(x)/four, a, &x[0], &dst[0], &exp2Bits, &expConstants)
}

// sincosVector computes the first elements of what Sincos does, and returns how many.
func sincosVector(sin, cos, x []float64) int {
	if !hasVectors || len(x) < four {
		return 0
	}
	return sincosFours(len(x)/four, &x[0], &sin[0], &cos[0], &circlePoints, &sincosConstants)
}

// expFours computes up to n groups of four, and returns how many elements that were.
//
//go:noescape
func expFours(n int, a float64, x, dst *float64, table *[tableSize]uint64, constants *[9]vector) int

// sincosFours computes up to n groups of four, and returns how many elements that were.
//
//go:noescape
func sincosFours(n int, x, sin, cos *float64, table *[circle]point, constants *[12]vector) int

// addNormsVector computes the first elements of what AddNorms does, and returns how many, and
// whether all of them are above the share.
func addNormsVector(dst []float64, norm float64, norms []float64, share float64) (done int, above bool) {
	if !hasVectors || len(dst) < four {
		return 0, true
	}
	groups := len(dst) / four
	return groups * four, addNormsFours(groups, norm, share, &norms[0], &dst[0]) == 15
}

// finiteVector looks at the first elements, and returns at how many, and whether all are finite.
func finiteVector(x []float64) (done int, finite bool) {
	if !hasVectors || len(x) < four {
		return 0, true
	}
	groups := len(x) / four
	return groups * four, finiteFours(groups, &x[0]) == 15
}

// addNormsFours computes n groups of four; of the four bits that it returns the one of a place is
// set if all elements of that place are above the share.
//
//go:noescape
func addNormsFours(n int, norm, share float64, norms, dst *float64) int

// finiteFours looks at n groups of four; of the four bits that it returns the one of a place is
// set if all elements of that place are finite.
//
//go:noescape
func finiteFours(n int, x *float64) int
