package loo

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

var ctx = context.Background()

func problem(n, k int, weighted bool) (gram *mat.SymDense, targets *mat.Dense, weights []float64) {
	rng := rand.New(rand.NewPCG(3, 4))
	x := mat.NewDense(n, 2, nil)
	x.Apply(func(int, int, float64) float64 { return rng.NormFloat64() }, x)
	gram, targets = mat.NewSymDense(n, nil), mat.NewDense(n, k, nil)
	for i := range n {
		for j := i; j < n; j++ {
			d := mat.Norm(vec(x, i, j), 2)
			gram.SetSym(i, j, 3*math.Exp(-d*d))
		}
		for j := range k {
			targets.Set(i, j, math.Sin(float64(j+1)*x.At(i, 0))+0.1*rng.NormFloat64())
		}
		if weighted {
			weights = append(weights, 0.5+rng.Float64())
		}
	}
	return gram, targets, weights
}

func vec(x *mat.Dense, i, j int) *mat.VecDense {
	var d mat.VecDense
	d.SubVec(x.RowView(i), x.RowView(j))
	return &d
}

// refit solves the bordered system without the row out and predicts that row.
func refit(gram *mat.SymDense, targets *mat.Dense, weights []float64, lambda float64, out int) []float64 {
	n, k := targets.Dims()
	a, b := mat.NewDense(n, n, nil), mat.NewDense(n, k, nil) // row and column 0 are the bias
	var keep []int
	for i := range n {
		if i != out {
			keep = append(keep, i)
		}
	}
	for r, i := range keep {
		a.Set(0, r+1, 1)
		a.Set(r+1, 0, 1)
		for c, j := range keep {
			a.Set(r+1, c+1, gram.At(i, j))
		}
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		a.Set(r+1, r+1, gram.At(i, i)+lambda/w)
		for j := range k {
			b.Set(r+1, j, targets.At(i, j))
		}
	}
	var s mat.Dense
	if err := s.Solve(a, b); err != nil {
		panic(err)
	}
	f := make([]float64, k)
	for j := range f {
		f[j] = s.At(0, j)
		for r, i := range keep {
			f[j] += s.At(r+1, j) * gram.At(i, out)
		}
	}
	return f
}

func TestAtIsRefitting(t *testing.T) {
	for _, k := range []int{1, 3} {
		for _, weighted := range []bool{false, true} {
			gram, targets, weights := problem(14, k, weighted)
			own := mat.NewSymDense(14, nil)
			own.CopySym(gram)
			p := must(New(ctx, own, targets, weights, 2))
			for _, lambda := range []float64{1e-3, 0.1, 5} {
				want, total := 0.0, 0.0
				for i := range 14 {
					w := 1.0
					if weighted {
						w = weights[i]
					}
					total += w
					for j, f := range refit(gram, targets, weights, lambda, i) {
						e := targets.At(i, j) - f
						want += w * e * e
					}
				}
				got, err := p.Error(ctx, lambda)
				require.NoError(t, err)
				assert.InEpsilon(t, want/total, got, 1e-8, "k=%d weighted=%v λ=%v", k, weighted, lambda)
			}
		}
	}
}

func TestSearch(t *testing.T) {
	gram, targets, _ := problem(40, 1, false)
	p := must(New(ctx, gram, targets, nil, 0))
	calls := 0
	m, err := p.Search(ctx, func(i int, _, _ float64) { calls++; assert.Equal(t, calls, i) })
	require.NoError(t, err)
	assert.Equal(t, calls, m.Evaluations)
	assert.LessOrEqual(t, m.Evaluations, MaxEvaluations)
	assert.Zero(t, m.Edge)
	at, err := p.Error(ctx, m.Ridge)
	require.NoError(t, err)
	assert.Equal(t, at, m.Error)
	for u := -10.0; u < 6; u += 0.02 {
		e, err := p.Error(ctx, math.Exp(u))
		require.NoError(t, err)
		assert.GreaterOrEqual(t, e, m.Error*(1-1e-4))
	}
}

// SearchFrom evaluates no ridge below its limit, and evaluates the limit itself.
func TestSearchFrom(t *testing.T) {
	gram, targets, _ := problem(40, 1, false)
	p := must(New(ctx, gram, targets, nil, 0))
	free, err := p.Search(ctx, nil)
	require.NoError(t, err)
	for _, factor := range []float64{1e-6, .9, 1, 3, 1e8} {
		m, err := p.SearchFrom(ctx, factor*free.Ridge)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, m.Ridge, factor*free.Ridge)
		at, err := p.Error(ctx, m.Ridge)
		require.NoError(t, err)
		assert.InEpsilon(t, at, m.Error, 1e-12) // ridges are exponentials of logs
		switch {
		case factor < 1:
			assert.InEpsilon(t, free.Error, m.Error, 1e-4)
		case factor > 1:
			assert.Equal(t, factor*free.Ridge, m.Ridge)
			assert.Equal(t, -1, m.Edge)
			assert.Greater(t, m.Error, free.Error)
		}
	}
}

func TestSearchEdges(t *testing.T) {
	n := 30
	line := func() *mat.SymDense {
		k := mat.NewSymDense(n, nil)
		for i := range n {
			for j := i; j < n; j++ {
				k.SetSym(i, j, float64(i)*float64(j)/100)
			}
		}
		return k
	}
	exact, noise := mat.NewDense(n, 1, nil), mat.NewDense(n, 1, nil)
	for i := range n {
		exact.Set(i, 0, 3*float64(i)+1)
		noise.Set(i, 0, math.Pow(-1, float64(i)))
	}
	m, err := must(New(ctx, line(), exact, nil, 0)).Search(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, -1, m.Edge, "a line without noise")
	m, err = must(New(ctx, line(), noise, nil, 0)).Search(ctx, nil)
	require.NoError(t, err)
	assert.Equal(t, 1, m.Edge, "a line through alternating values")

	done, cancel := context.WithCancel(ctx)
	cancel()
	_, err = must(New(ctx, line(), exact, nil, 0)).Search(done, nil)
	assert.ErrorIs(t, err, context.Canceled)
	// A zero matrix explains nothing: predictions are the means of the other rows.
	m, err = must(New(ctx, mat.NewSymDense(n, nil), exact, nil, 0)).Search(ctx, nil)
	require.NoError(t, err)
	want, mean := 0.0, mat.Sum(exact)/float64(n)
	for i := range n {
		e := (exact.At(i, 0) - mean) * float64(n) / float64(n-1)
		want += e * e / float64(n)
	}
	assert.InEpsilon(t, want, m.Error, 1e-9)
}

// must returns v. It panics on an error, which would be a mistake in the test.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
