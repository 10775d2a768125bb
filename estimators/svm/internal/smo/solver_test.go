package smo

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

var ctx = context.Background()

// toSolve returns a problem of two classes that overlap, and its kernel matrix.
func toSolve(t testing.TB, n int) (Source, Problem, *mat.SymDense) {
	rng := rand.New(rand.NewPCG(1, 0))
	x := mat.NewDense(n, 2, nil)
	p := NewProblem(make([]float64, n))
	for i := range n {
		p.Target[i], p.Hi[i] = 1, 2
		if i%2 == 0 {
			p.Target[i], p.Hi[i], p.Lo[i] = -1, 0, -2
		}
		x.SetRow(i, []float64{-p.Target[i] + 0.8*rng.NormFloat64(), 0.8 * rng.NormFloat64()})
	}
	k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: 0.5}, x, nil)
	require.NoError(t, err)
	return ShareMatrix(k), p, k
}

func TestShrinkingSetsAsideAndRestores(t *testing.T) {
	const n = 300
	src, p, k := toSolve(t, n)
	c := Control{Tolerance: 1e-3, MaxIterations: 1e6, CacheBytes: 1 << 20}
	s := &solver{Problem: p, Control: c, src: src, unit: 1, tau: tau, beta: make([]float64, n)}
	s.h = slices.Clone(p.Target)
	require.NoError(t, s.activate(ctx, CountTo(n)))
	gap, err := s.run(ctx) // without shrinking
	require.NoError(t, err)
	require.LessOrEqual(t, gap, 1e-3)
	require.Len(t, s.active, n)

	require.NoError(t, s.shrink(ctx))
	require.Less(t, len(s.active), n*2/3, "rows far from the margin are set aside")
	for k, v := range s.active {
		assert.False(t, math.IsInf(s.up[k], 0) && math.IsInf(s.low[k], 0), "variable %d", v)
	}
	clear(s.h)
	require.NoError(t, s.restore(ctx))
	require.Len(t, s.active, n)
	for i := range n {
		want := p.Target[i]
		for j := range n {
			want -= s.beta[j] * k.At(i, j)
		}
		assert.InDelta(t, want, s.h[i], 1e-10)
	}
}
