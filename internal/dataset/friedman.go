package dataset

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Friedman draws rows of Friedman's first function (Annals of Statistics 19, 1991, 1)
//
//	y = 10 sin(π x₁ x₂) + 20 (x₃ - ½)² + 10 x₄ + 5 x₅ + noise
//
// on d ≥ 5 columns uniform in [0, 1]. Only the first five matter. The noise has variance 1.
type Friedman struct{ rng *rand.Rand }

// NewFriedman returns a new sequence of rows. Sequences with the same seed and width have the same rows.
func NewFriedman(seed uint64) *Friedman { return &Friedman{rand.New(rand.NewPCG(seed, 1))} }

// Next sets row to the next row, and returns its target with and without noise.
func (f *Friedman) Next(row []float64) (y, clean float64) {
	for j := range row {
		row[j] = f.rng.Float64()
	}
	clean = 10*math.Sin(math.Pi*row[0]*row[1]) + 20*math.Pow(row[2]-0.5, 2) + 10*row[3] + 5*row[4]
	return clean + f.rng.NormFloat64(), clean
}

// Friedman1 returns n rows of d columns from Friedman, and their targets.
func Friedman1(n, d int, seed uint64) (x *mat.Dense, y []float64) {
	f := NewFriedman(seed)
	x, y = mat.NewDense(n, d, nil), make([]float64, n)
	for i := range n {
		y[i], _ = f.Next(x.RawRowView(i))
	}
	return x, y
}
