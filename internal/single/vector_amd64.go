//go:build !purego

package single

import "golang.org/x/sys/cpu"

// Capabilities of the processor. Tests turn them off to reach the other paths.
var (
	hasVectors = cpu.X86.HasAVX2 && cpu.X86.HasFMA
	hasAVX512  = hasVectors && cpu.X86.HasAVX512F
)

// lanes returns the number of float32 numbers in a vector register.
func lanes() int {
	if hasAVX512 {
		return 16
	}
	return 8
}

// group returns the number of columns that are computed together.
func group() int { return 2 * lanes() }

func distanceRows(of way, fours, groups, d int, x, z *float32, stride int, dst *float32, columns int) {
	switch {
	case hasAVX512 && of == squares:
		squares32(fours, groups, d, x, z, stride, dst, columns)
	case hasAVX512:
		absolutes32(fours, groups, d, x, z, stride, dst, columns)
	case of == squares:
		squares16(fours, groups, d, x, z, stride, dst, columns)
	default:
		absolutes16(fours, groups, d, x, z, stride, dst, columns)
	}
}

func distinctRows(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int, apart *float32) {
	if hasAVX512 {
		distinct32(fours, groups, d, x, z, stride, dst, columns, apart)
		return
	}
	distinct16(fours, groups, d, x, z, stride, dst, columns, apart)
}

func expLanes(n int, a float32, x *float32) {
	if hasAVX512 {
		expSixteens(n, a, x, &expConstants)
		return
	}
	expEights(n, a, x, &expConstants)
}

func maternLanes(n int, a, linear, quadratic float32, x *float32) {
	if hasAVX512 {
		maternSixteens(n, a, farthest, linear, quadratic, x, &expConstants)
		return
	}
	maternEights(n, a, farthest, linear, quadratic, x, &expConstants)
}

// squares32 sets dst to squared distances, for four rows of x and 32 rows of z at a time. Rows of dst are columns numbers apart,
// and columns of x and z are stride numbers apart.
//
//go:noescape
func squares32(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)

// absolutes32 is squares32 for the Manhattan distance.
//
//go:noescape
func absolutes32(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)

// distinct32 adds apart[j] to the elements of dst, in the layout of squares32, for each column j that differs.
//
//go:noescape
func distinct32(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int, apart *float32)

// squares16 is squares32 for 16 rows of z at a time, with AVX2.
//
//go:noescape
func squares16(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)

// absolutes16 is squares16 for the Manhattan distance.
//
//go:noescape
func absolutes16(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int)

// distinct16 is distinct32 in the layout of squares16.
//
//go:noescape
func distinct16(fours, groups, d int, x, z *float32, stride int, dst *float32, columns int, apart *float32)

// expSixteens computes n groups of sixteen.
//
//go:noescape
func expSixteens(n int, a float32, x *float32, constants *[11]float32)

// maternSixteens computes n groups of sixteen.
//
//go:noescape
func maternSixteens(n int, a, farthest, linear, quadratic float32, x *float32, constants *[11]float32)

// expEights computes n groups of eight, with AVX2.
//
//go:noescape
func expEights(n int, a float32, x *float32, constants *[11]float32)

// maternEights computes n groups of eight, with AVX2.
//
//go:noescape
func maternEights(n int, a, farthest, linear, quadratic float32, x *float32, constants *[11]float32)
