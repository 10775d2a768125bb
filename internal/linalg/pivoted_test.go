package linalg

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

// given is a matrix in memory.
type given struct {
	mat.Symmetric
	fail error
}

func (g given) Square(dst *mat.Dense, rows []int) error {
	dst.Apply(func(i, j int, _ float64) float64 { return g.At(rows[i], rows[j]) }, dst)
	return g.fail
}

func (g given) Tile(dst *mat.Dense, rows []int, first int) error {
	dst.Apply(func(i, j int, _ float64) float64 { return g.At(rows[i], first+j) }, dst)
	return nil
}

func (g given) diagonal() []float64 {
	out := make([]float64, g.SymmetricDim())
	for i := range out {
		out[i] = g.At(i, i)
	}
	return out
}

func outer(n, rank int, seed uint64) *mat.SymDense {
	k := mat.NewSymDense(n, nil)
	k.SymOuterK(1, randomDense(n, rank, seed))
	return k
}

func pivoted(t *testing.T, k mat.Symmetric, rank int, tolerance float64, seed uint64, workers int) *Pivoted {
	p, err := RandomlyPivoted(context.Background(), given{k, nil}.diagonal(), given{k, nil},
		Pivots{Rank: rank, Tolerance: tolerance, Random: rand.New(rand.NewPCG(seed, 0)), Workers: workers})
	require.NoError(t, err)
	return p
}

func residual(k mat.Symmetric, f *mat.Dense) *mat.Dense {
	out := mat.DenseCopyOf(k)
	if f != nil {
		var product mat.Dense
		product.Mul(f.T(), f)
		out.Sub(out, &product)
	}
	return out
}

// The factor reproduces the rows of the pivots exactly. Residual is the trace of A - F'F, and a matrix of lower rank has a factor
// of lower rank.
func TestRandomlyPivoted(t *testing.T) {
	for _, c := range []struct{ n, rank, asked, want int }{{30, 30, 12, 12}, {200, 7, 50, 7}, {200, 200, 150, 150}, {2000, 100, 90, 90}, {5, 5, 9, 5}, {1, 1, 1, 1}} {
		k := outer(c.n, c.rank, 3)
		p := pivoted(t, k, c.asked, 0, 1, 0)
		require.Len(t, p.Pivots, c.want, "%v", c)
		left := residual(k, p.Factor)
		assert.InDelta(t, mat.Trace(k), p.Trace, 1e-9*p.Trace)
		assert.InDelta(t, mat.Trace(left), p.Residual, 1e-10*p.Trace, "%v", c)
		for _, i := range p.Pivots {
			assert.Less(t, mat.Norm(left.RowView(i), math.Inf(1)), 1e-9*k.At(i, i), "%v", c)
		}
		seen := map[int]bool{}
		for _, i := range p.Pivots {
			assert.False(t, seen[i], "a row twice")
			seen[i] = true
		}
	}
	p := pivoted(t, mat.NewSymDense(4, nil), 3, 0, 1, 0)
	assert.Nil(t, p.Factor)
	assert.Empty(t, p.Pivots)
}

func TestRandomlyPivotedToATolerance(t *testing.T) {
	k := outer(300, 300, 5)
	p := pivoted(t, k, 300, 0.5, 1, 0)
	assert.Less(t, len(p.Pivots), 250)
	assert.LessOrEqual(t, p.Residual, 0.5*p.Trace)
	assert.InDelta(t, mat.Trace(residual(k, p.Factor)), p.Residual, 1e-9*p.Trace)
}

func TestRandomlyPivotedDoesNotDependOnWorkers(t *testing.T) {
	k := outer(2500, 130, 8)
	one := pivoted(t, k, 120, 0, 4, 1)
	for _, w := range []int{2, 5} {
		other := pivoted(t, k, 120, 0, 4, w)
		assert.Equal(t, one.Pivots, other.Pivots)
		assert.True(t, mat.Equal(one.Factor, other.Factor))
	}
	assert.NotEqual(t, one.Pivots, pivoted(t, k, 120, 0, 5, 1).Pivots, "another seed")
}

// The first pivot is drawn in proportion to the diagonal, and the second in proportion to the remainder: observed frequencies agree
// with the probabilities.
func TestRandomlyPivotedDistribution(t *testing.T) {
	const draws = 20000
	k := mat.NewSymDense(4, []float64{4, 2, 0, 0, 2, 2, 0.5, 0, 0, 0.5, 1, 0, 0, 0, 0, 3})
	counts := map[[2]int]float64{}
	for seed := range uint64(draws) {
		p := pivoted(t, k, 2, 0, seed, 1)
		counts[[2]int{p.Pivots[0], p.Pivots[1]}]++
	}
	for i := range 4 {
		for j := range 4 {
			left := func(a int) float64 { return k.At(a, a) - k.At(a, i)*k.At(a, i)/k.At(i, i) }
			sum := left(0) + left(1) + left(2) + left(3)
			want := k.At(i, i) / mat.Trace(k) * left(j) / sum
			// Within five standard deviations.
			assert.InDelta(t, want, counts[[2]int{i, j}]/draws, 5*math.Sqrt(want/draws)+1e-9, "%d, %d", i, j)
		}
	}
}

func TestRandomlyPivotedErrors(t *testing.T) {
	k := given{outer(20, 20, 1), errors.New("no")}
	options := Pivots{Rank: 3, Random: rand.New(rand.NewPCG(1, 1))}
	_, err := RandomlyPivoted(context.Background(), k.diagonal(), k, options)
	require.ErrorIs(t, err, k.fail)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = RandomlyPivoted(ctx, k.diagonal(), given{k.Symmetric, nil}, options)
	require.ErrorIs(t, err, context.Canceled)
}
