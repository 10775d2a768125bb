package dataset

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Normal returns n rows of d standard normal columns. Calls with the same seed return the same rows. With a smaller n, only the
// first of these rows are returned.
func Normal(n, d int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 0))
	x := mat.NewDense(n, d, nil)
	raw := x.RawMatrix().Data
	for i := range raw {
		raw[i] = rng.NormFloat64()
	}
	return x
}

// Sine returns n rows of Normal with d ≥ 4 columns, and the targets
//
//	y = sin 2x₁ + x₂x₃ + x₄/2 + noise
//
// with noise of standard deviation 0.3. More rows reveal finer detail of the sine.
func Sine(n, d int, seed uint64) (x *mat.Dense, y []float64) {
	x, y = Normal(n, d, seed), make([]float64, n)
	rng := rand.New(rand.NewPCG(seed, 1))
	for i := range y {
		r := x.RawRowView(i)
		y[i] = math.Sin(2*r[0]) + r[1]*r[2] + 0.5*r[3] + 0.3*rng.NormFloat64()
	}
	return x, y
}
