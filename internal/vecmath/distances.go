package vecmath

// AddNorms adds norm + norms[j] to dst[j], which is -2<x, z> for squared norms of x and z, and
// reports whether all the distances that come of it are above a share of the sum of their norms:
// whether none has lost more digits than that. A NaN is not above. The results are the same on
// every processor.
func AddNorms(dst []float64, norm float64, norms []float64, share float64) bool {
	norms = norms[:len(dst)]
	done, above := addNormsVector(dst, norm, norms, share)
	for j, z := range norms[done:] {
		s := norm + z
		d := s + dst[done+j]
		dst[done+j] = d
		above = above && d > share*s
	}
	return above
}

// Finite reports whether x has neither a NaN nor an infinity.
func Finite(x []float64) bool {
	done, finite := finiteVector(x)
	for _, v := range x[done:] {
		finite = finite && v-v == 0
	}
	return finite
}
