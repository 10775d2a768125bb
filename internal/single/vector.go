//go:build (amd64 || arm64) && !purego

package single

// expConstants holds the constants of the exponential in the order of their use.
var expConstants = [11]float32{lowest, highest, perStep, stepHigh, stepLow, c6, c5, c4, c3, 0.5, 1}

// vectorDistances computes the distances for the first rows and columns of a window. It returns how many rows and columns it has
// computed.
func (r *Rows) vectorDistances(dst []float32, of way, w Window, apart []float32) (rows, columns int) {
	groups := w.Columns / group()
	if !hasVectors || w.Rows < 4 || groups == 0 {
		return 0, 0
	}
	x, z := &r.values[w.Row], &r.values[w.Column]
	if of == distinct {
		distinctRows(w.Rows/4, groups, r.d, x, z, r.stride, &dst[0], w.Columns, &apart[0])
	} else {
		distanceRows(of, w.Rows/4, groups, r.d, x, z, r.stride, &dst[0], w.Columns)
	}
	return w.Rows / 4 * 4, groups * group()
}

// expVector computes Exp for the first elements, and returns their number.
func expVector(x []float32, a float32) int {
	n := len(x) / lanes()
	if !hasVectors || n == 0 {
		return 0
	}
	expLanes(n, a, &x[0])
	return n * lanes()
}

// maternVector computes Matern for the first elements, and returns their number.
func maternVector(x []float32, a, linear, quadratic float32) int {
	n := len(x) / lanes()
	if !hasVectors || n == 0 {
		return 0
	}
	maternLanes(n, a, linear, quadratic, &x[0])
	return n * lanes()
}

// finiteVector checks the first elements. It returns their number, and whether all are finite.
func finiteVector(x []float32) (done int, finite bool) {
	n := len(x) / 8
	if !hasVectors || n == 0 {
		return 0, true
	}
	var zeros [8]float32
	finiteEights(n, &x[0], &zeros)
	return n * 8, zeros == [8]float32{}
}

// scaleVector computes Scale for the first elements, and returns their number.
func scaleVector(x []float32, a float32) int {
	n := len(x) / 8
	if !hasVectors || n == 0 {
		return 0
	}
	scaleEights(n, a, &x[0])
	return n * 8
}

// finiteEights checks n groups of eight. It sets zeros to 0 if all are finite, and to NaN otherwise.
//
//go:noescape
func finiteEights(n int, x *float32, zeros *[8]float32)

// scaleEights multiplies n groups of eight.
//
//go:noescape
func scaleEights(n int, a float32, x *float32)
