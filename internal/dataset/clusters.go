package dataset

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Clusters draws n rows of d columns. Each class consists of several Gaussian clusters of unit variance, all with the same
// probability. The centres are normal with standard deviation spread. With a smaller spread, the classes overlap more. Calls with
// the same seed return the same centres and rows. With a smaller n, only the first of these rows are returned.
func Clusters(n, d, classes, each int, spread float64, seed uint64) (x *mat.Dense, labels []int) {
	centres := Normal(classes*each, d, seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	x, labels = mat.NewDense(n, d, nil), make([]int, n)
	for i := range labels {
		c := rng.IntN(classes * each)
		labels[i] = c % classes
		for j, v := range centres.RawRowView(c) {
			x.Set(i, j, spread*v+rng.NormFloat64())
		}
	}
	return x, labels
}
