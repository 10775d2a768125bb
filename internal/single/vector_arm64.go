//go:build !purego

package single

// hasVectors is a variable for the tests: every arm64 processor has NEON.
var hasVectors = true

// lanes is how many numbers a vector has.
func lanes() int { return 4 }

// group is how many columns are computed together.
func group() int { return 8 }

func distanceRows(of way, fours, groups, d int, x, z *float32, stride int, dst *float32, columns int) {
	if of == squares {
		squares8(fours, groups, d, x, z, stride, dst, columns)
		return
	}
	absolutes8(fours, groups, d, x, z, stride, dst, columns)
}

func distinctRows(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int, apart *float32) {
	distinct8(fours, groups, d, x, z, stride, dst, columns, apart)
}

func expLanes(n int, a float32, x *float32) { expFours(n, a, x, &expConstants) }

func maternLanes(n int, a, linear, quadratic float32, x *float32) {
	maternFours(n, a, farthest, linear, quadratic, x, &expConstants)
}

// squares8 sets, for four rows of x at a time and eight rows of z at a time, dst to their squared distances. The rows of dst are columns
// apart, the columns of x and z stride numbers.
//
//go:noescape
func squares8(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)

// absolutes8 is squares8 for the Manhattan distance.
//
//go:noescape
func absolutes8(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)

// distinct8 adds to dst, in the places of squares8, apart of the columns that differ.
//
//go:noescape
func distinct8(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int, apart *float32)

// expFours computes n groups of four.
//
//go:noescape
func expFours(n int, a float32, x *float32, constants *[11]float32)

// maternFours computes n groups of four.
//
//go:noescape
func maternFours(n int, a, farthest, linear, quadratic float32, x *float32, constants *[11]float32)
