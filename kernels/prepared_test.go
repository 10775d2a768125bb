package kernels

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// A Prepared gives the bits of Cross, whatever comes of z afterwards.
func TestPreparedIsCross(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(4, 0))
	x, z := mat.NewDense(blocks.Stripe+3, 4, nil), mat.NewDense(2*blocks.Stripe+5, 4, nil)
	for _, m := range []*mat.Dense{x, z} {
		m.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, m)
	}
	for _, k := range []Kernel{RBF{}, Linear{}, Laplacian{}, Polynomial{}, Normalized{Kernel: Polynomial{Coef0: 1}}} {
		want, err := Cross(ctx, k, x, z, nil)
		require.NoError(t, err)
		own := mat.DenseCopyOf(z)
		p, err := Prepare(ctx, k, own, &Options{Workers: 2})
		require.NoError(t, err)
		own.Zero()
		got, err := p.Cross(ctx, x)
		require.NoError(t, err)
		assert.True(t, mat.Equal(want, got), k.String())
		// Whatever is in dst before, and beside it.
		n, m := want.Dims()
		wide := mat.NewDense(n, m+2, nil)
		wide.Apply(func(int, int, float64) float64 { return math.NaN() }, wide)
		dst := wide.Slice(0, n, 1, m+1).(*mat.Dense)
		require.NoError(t, p.CrossTo(ctx, dst, x))
		assert.True(t, mat.Equal(want, dst), k.String())
		assert.True(t, math.IsNaN(wide.At(n-1, 0)) && math.IsNaN(wide.At(0, m+1)), k.String())
		got.Reset()
		require.NoError(t, p.CrossTo(ctx, got, x.Slice(0, 5, 0, 4)))
		assert.True(t, mat.EqualApprox(want.Slice(0, 5, 0, m), got, 1e-14), k.String())
	}
}

func TestPreparedErrors(t *testing.T) {
	ctx := context.Background()
	z := mat.NewDense(3, 2, nil)
	_, err := Prepare(ctx, RBF{Gamma: -1}, z, nil)
	require.ErrorIs(t, err, fault.ErrParam)
	_, err = Prepare(ctx, nil, z, nil)
	require.ErrorIs(t, err, fault.ErrParam)
	_, err = Prepare(ctx, RBF{}, z, &Options{MaxBytes: -1})
	require.ErrorIs(t, err, fault.ErrParam)
	_, err = Prepare(ctx, RBF{}, nil, nil)
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = Prepare(ctx, RBF{}, mat.NewDense(1, 1, []float64{math.NaN()}), nil)
	require.ErrorIs(t, err, fault.ErrNotFinite)
	p, err := Prepare(ctx, RBF{}, z, &Options{MaxBytes: 3 * 8})
	require.NoError(t, err)
	_, err = p.Cross(ctx, mat.NewDense(1, 3, nil))
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = p.Cross(ctx, mat.NewDense(2, 2, nil))
	require.ErrorIs(t, err, fault.ErrTooLarge)
	_, err = p.Cross(ctx, mat.NewDense(1, 2, nil))
	require.NoError(t, err)
	assert.EqualError(t, p.CrossTo(ctx, mat.NewDense(1, 2, nil), mat.NewDense(1, 2, nil)), "kernels: Prepared: dst has 1 rows, want 1 of 3 columns, dst has 2 columns")
	assert.ErrorIs(t, p.CrossTo(ctx, nil, mat.NewDense(1, 2, nil)), fault.ErrShape)
}
