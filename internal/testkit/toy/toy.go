// Package toy provides the smallest realistic estimators: a ridge regression with variances, and a nearest-centroid classifier with
// probabilities. They have every capability, so that code that wraps, searches or checks estimators can be tested without a real
// algorithm. It also generates small problems for tests.
package toy

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Sine returns n rows of d standard normal columns, and targets sin 2x₁ with normal noise.
func Sine(n, d int, noise float64, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	x, y := mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = math.Sin(2*x.At(i, 0)) + noise*rng.NormFloat64()
	}
	return x, y
}
