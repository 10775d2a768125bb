package vecmath

import "math"

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

// AddManhattan adds |v - z[j]| to dst[j]. The results are the same on every processor.
func AddManhattan(dst []float64, v float64, z []float64) {
	z = z[:len(dst)]
	done := addManhattanVector(dst, v, z)
	for j, u := range z[done:] {
		dst[done+j] += math.Abs(v - u)
	}
}

// WeighManhattan returns Σ w[j] |v - z[j]|, summed in four parts of every fourth element. The results are the same on every
// processor.
func WeighManhattan(w []float64, v float64, z []float64) float64 {
	z = z[:len(w)]
	var sums [4]float64
	done := weighManhattanVector(&sums, w, v, z)
	for j, u := range z[done:] {
		sums[j%4] += w[done+j] * math.Abs(v-u)
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}
