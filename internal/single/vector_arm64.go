//go:build !purego

package single

// hasVectors is true, since every arm64 processor has NEON. Tests turn it off.
var hasVectors = true

// lanes returns the number of float32 numbers in a vector register.
func lanes() int { return 4 }

// group returns the number of columns that are computed together.
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

// squares8 sets dst to squared distances, for four rows of x and eight rows of z at a time. Rows of dst are columns numbers apart,
// and columns of x and z are stride numbers apart.
//
//go:noescape
func squares8(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)

// absolutes8 is squares8 for the Manhattan distance.
//
//go:noescape
func absolutes8(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)

// distinct8 adds apart[j] to the elements of dst, in the layout of squares8, for each column j that differs.
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
