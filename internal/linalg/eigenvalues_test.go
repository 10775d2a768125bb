package linalg

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	lapack "gonum.org/v1/gonum/lapack/gonum"
)

// Eigenvalues are bit-identical to those of gonum's Dsterf, unless the processor fuses multiplications and additions.
func TestTridiagonalValues(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	for trial := range 400 {
		n := 1 + rng.IntN(60)
		d, e := make([]float64, n), make([]float64, n-1)
		for i := range d {
			d[i] = rng.NormFloat64() * math.Exp(float64(trial%7)*rng.NormFloat64())
		}
		for i := range e {
			e[i] = rng.NormFloat64()
			switch rng.IntN(6) {
			case 0:
				e[i] = 0
			case 1:
				e[i] *= 1e-12
			}
		}
		want := slices.Clone(d)
		require.True(t, lapack.Implementation{}.Dsterf(n, want, slices.Clone(e)))
		got := slices.Clone(d)
		ok, err := tridiagonalValues(context.Background(), got, slices.Clone(e))
		require.NoError(t, err)
		require.True(t, ok)
		largest := max(math.Abs(want[0]), math.Abs(want[n-1]))
		assert.InDeltaSlice(t, want, got, 1e-13*max(largest, 1))
	}
	ok, err := tridiagonalValues(context.Background(), []float64{1, math.NaN(), 2}, []float64{1, 1})
	assert.NoError(t, err)
	assert.False(t, ok)
}

// Long sweeps observe their context.
func TestTridiagonalValuesHear(t *testing.T) {
	const n = 4000
	d, e := make([]float64, n), make([]float64, n-1)
	for i := range e {
		d[i], e[i] = float64(i%17), 1
	}
	looked := 0
	ctx := &checksAfter{Context: context.Background(), looked: &looked}
	_, err := tridiagonalValues(ctx, slices.Clone(d), slices.Clone(e))
	require.NoError(t, err)
	all := looked
	assert.Greater(t, all, 3)
	looked, ctx.end = 0, all/2
	_, err = tridiagonalValues(ctx, d, e)
	assert.ErrorIs(t, err, context.Canceled)
	assert.Equal(t, all/2, looked)
}

// checksAfter is a context that is cancelled at check number end, or never if end is 0. It counts the checks in looked.
type checksAfter struct {
	context.Context
	looked *int
	end    int
}

func (l *checksAfter) Err() error {
	if *l.looked++; *l.looked == l.end {
		return context.Canceled
	}
	return nil
}
