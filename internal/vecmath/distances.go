package vecmath

import "math"

// AddNorms turns dst[j] = -2<x, z> into squared distances by adding norm + norms[j]. It reports whether each distance exceeds the
// fraction share of the sum of its norms, which limits the digits lost by cancellation. It returns false if there is a NaN. The
// results are bit-identical on all processors.
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

// AddManhattan adds |v - z[j]| to dst[j]. The results are bit-identical on all processors.
func AddManhattan(dst []float64, v float64, z []float64) {
	z = z[:len(dst)]
	done := addManhattanVector(dst, v, z)
	for j, u := range z[done:] {
		dst[done+j] += math.Abs(v - u)
	}
}

// WeighManhattan returns Σ w[j] |v - z[j]|, as four partial sums over every fourth element. The result is bit-identical on all
// processors.
func WeighManhattan(w []float64, v float64, z []float64) float64 {
	z = z[:len(w)]
	var sums [4]float64
	done := weighManhattanVector(&sums, w, v, z)
	for j, u := range z[done:] {
		sums[j%4] += w[done+j] * math.Abs(v-u)
	}
	return (sums[0] + sums[1]) + (sums[2] + sums[3])
}
