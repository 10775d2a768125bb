// Package momentstest provides functions for tests of moments and of packages that use them.
package momentstest

import (
	"math"
	"math/rand/v2"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
)

// Random returns n rows of h columns with different means and spreads.
func Random(n, h int, seed uint64) *mat.Dense {
	rng := rand.New(rand.NewPCG(seed, 5))
	x := mat.NewDense(n, h, nil)
	x.Apply(func(_, j int, _ float64) float64 { return float64(1+j)*rng.NormFloat64() + float64(j) }, x)
	return x
}

// Sum returns the moments of the rows of all blocks.
func Sum(t require.TestingT, blocks ...mat.Matrix) *moments.Moments {
	s := &moments.Moments{}
	for _, b := range blocks {
		require.NoError(t, s.Add(b))
	}
	return s
}

// Flat returns the numbers of m, row by row.
func Flat(m mat.Matrix) []float64 { return mat.DenseCopyOf(m).RawMatrix().Data }

// Near fails the test unless the moments agree. The tolerance for each moment is relative to its own magnitude.
func Near(t require.TestingT, want, got *moments.Moments, tolerance float64) {
	require.Equal(t, want.Weight, got.Weight)
	for _, pair := range [][2][]float64{{want.Means, got.Means}, {Flat(want.C2), Flat(got.C2)}, {want.C3, got.C3}, {{want.C4}, {got.C4}}} {
		size, worst := 1e-300, 0.0
		for i, w := range pair[0] {
			size, worst = max(size, math.Abs(w)), max(worst, math.Abs(w-pair[1][i]))
		}
		require.LessOrEqual(t, worst, tolerance*size, "moments differ")
	}
}
