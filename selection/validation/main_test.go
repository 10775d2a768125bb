package validation

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"go.uber.org/goleak"
	"gonum.org/v1/gonum/mat"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var ctx = context.Background()

// problemOf returns n rows of d columns, and targets that are a sine of the first column with noise.
func problemOf(n, d int, noise float64, seed uint64) (*mat.Dense, []float64) {
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

func classesOf(n int, seed uint64) (*mat.Dense, []int) {
	x, y := problemOf(n, 3, 0.3, seed)
	labels := make([]int, n)
	for i, v := range y {
		labels[i] = 7
		if v > 0 {
			labels[i] = -2
		}
	}
	return x, labels
}
