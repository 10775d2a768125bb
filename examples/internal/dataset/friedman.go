package dataset

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Friedman1 draws n rows of Friedman's first function (Annals of Statistics 19, 1991, 1)
//
//	y = 10 sin(π x₁ x₂) + 20 (x₃ - ½)² + 10 x₄ + 5 x₅ + noise
//
// on d ≥ 5 columns uniform in [0, 1], of which five count, with noise of variance 1. The
// same seed gives the same rows.
func Friedman1(n, d int, seed uint64) (x *mat.Dense, y []float64) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, y = mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.Float64()
		}
		y[i] = 10*math.Sin(math.Pi*row[0]*row[1]) + 20*math.Pow(row[2]-0.5, 2) + 10*row[3] + 5*row[4] + rng.NormFloat64()
	}
	return x, y
}
