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

// TestBlocksOfPreparedRows holds that blocks are parts of the matrix, and that other places are errors.
func TestBlocksOfPreparedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 1))
	z := mat.NewDense(2*BlockRows+5, 3, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	for _, k := range []Kernel{RBF{}, Laplacian{}, Normalized{Kernel: Polynomial{Coef0: 1}}} {
		want, err := Matrix(context.Background(), k, z, nil)
		require.NoError(t, err)
		p, err := Prepare(context.Background(), k, z, nil)
		require.NoError(t, err)
		for _, place := range [][4]int{{0, 0, BlockRows, BlockRows}, {0, BlockRows, 2 * BlockRows, BlockRows + 5}, {2 * BlockRows, 0, 5, BlockRows}} {
			block := mat.NewDense(place[2], place[3], nil)
			require.NoError(t, p.BlockTo(block, place[0], place[1]))
			part := want.SliceSym(0, 2*BlockRows+5)
			for i := range place[2] {
				for j := range place[3] {
					assert.InDelta(t, part.At(place[0]+i, place[1]+j), block.At(i, j), 1e-14)
				}
			}
		}
		assert.ErrorIs(t, p.BlockTo(mat.NewDense(5, 5, nil), 0, 0), fault.ErrShape)
		assert.ErrorIs(t, p.BlockTo(mat.NewDense(BlockRows, BlockRows, nil), 1, 0), fault.ErrShape)
		assert.ErrorIs(t, p.BlockTo(mat.NewDense(BlockRows, BlockRows, nil), 3*BlockRows, 0), fault.ErrShape)
		assert.ErrorIs(t, p.BlockTo(nil, 0, 0), fault.ErrShape)
	}
}
