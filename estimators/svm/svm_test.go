package svm

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

// blobs are k Gaussian classes on a circle, the labels 10, 20, ...
func blobs(n, k int, spread float64, seed uint64) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, 2, nil), make([]int, n)
	for i := range n {
		c := i % k
		a := 2 * math.Pi * float64(c) / float64(k)
		x.SetRow(i, []float64{math.Cos(a) + spread*rng.NormFloat64(), math.Sin(a) + spread*rng.NormFloat64()})
		y[i] = 10 * (c + 1)
	}
	return x, y
}

func sinc(n int, noise float64, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		v := 20*rng.Float64() - 10
		x.Set(i, 0, v)
		y[i] = math.Sin(v)/v + noise*rng.NormFloat64()
	}
	return x, y
}
