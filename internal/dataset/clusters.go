package dataset

import (
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Clusters draws n rows of d columns in classes that each are some Gaussian clusters of unit
// variance, all of the same probability. The centres are normal of standard deviation spread:
// the less, the more the classes overlap. The same seed gives the same centres and rows, and
// of fewer rows the first.
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
