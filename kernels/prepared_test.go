package kernels

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// A Prepared returns the same bits as Cross, also if z changes afterwards.
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
		// The earlier contents of dst and the memory next to it do not matter.
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

// TestBlocksOfPreparedRows checks that blocks are parts of the matrix, and that other positions are errors.
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

// singleKernels returns kernels with values in float32.
func singleKernels() []Kernel {
	lengths := []float64{1, 2, 3, 0.5}
	return []Kernel{
		RBF{Gamma: 0.2}, RBFOfLength(3), Matern{Nu: 0.5}, Matern{Nu: 1.5, Length: 2}, Matern{Nu: 2.5, Length: 0.7}, Laplacian{Gamma: 0.3},
		ARD{Kernel: Laplacian{}, Lengths: lengths, Categories: []int{3}},
		ARD{Kernel: Matern{Nu: 2.5}, Lengths: lengths, Categories: []int{1, 3}},
		ARD{Kernel: RBF{}, Lengths: lengths}, Scaled{Kernel: Matern{}, Factor: 7}, Sum{RBF{}, Scaled{Kernel: Laplacian{}, Factor: 0.5}},
		Product{RBF{}, Columns{Kernel: Matern{Nu: 0.5}, Of: []int{0, 2}}},
	}
}

// TestSinglesOfPreparedRows checks that blocks in float32 agree with those in float64 within the documented error, for equal and
// close rows, and for columns far from 0.
func TestSinglesOfPreparedRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	const n = 2*BlockRows + 37
	z := mat.NewDense(n, 4, nil)
	for i := range n {
		z.SetRow(i, []float64{1e6 + rng.NormFloat64(), rng.NormFloat64(), 5 * rng.NormFloat64(), float64(rng.IntN(3)) + 0x1p30})
	}
	for i := range 40 {
		z.SetRow(i+BlockRows, z.RawRowView(i))
		z.Set(i+BlockRows, 1, z.At(i, 1)+1e-5*float64(i))
	}
	for _, k := range singleKernels() {
		p, err := Prepare(context.Background(), k, z, nil)
		require.NoError(t, err)
		for _, place := range [][4]int{{0, 0, BlockRows, BlockRows}, {0, BlockRows, 2 * BlockRows, BlockRows + 37},
			{2 * BlockRows, 0, 37, BlockRows}, {BlockRows, BlockRows, BlockRows + 37, BlockRows + 37}} {
			want, got := mat.NewDense(place[2], place[3], nil), make([]float32, place[2]*place[3])
			require.NoError(t, p.BlockTo(want, place[0], place[1]))
			ok, err := p.SingleTo(got, place[2], place[3], place[0], place[1])
			require.NoError(t, err)
			if has, err := p.HasSingle(); !has && err == nil {
				t.Skip("the processor has no vector instructions")
			}
			require.True(t, ok, "%v", k)
			most := 0.
			for at, v := range want.RawMatrix().Data {
				most = max(most, math.Abs(v-float64(got[at])))
				if i, j := place[0]+at/place[3], place[1]+at%place[3]; i == j {
					assert.Equal(t, float32(v), got[at])
				}
			}
			assert.LessOrEqual(t, most, 1e-6*max(1, k.Eval(z.RawRowView(0), z.RawRowView(0))), "%v", k)
		}
	}
}

// TestKernelsWithoutSingles checks that SingleTo returns false for all other kernels, parameters and rows, and for values that
// overflow.
func TestKernelsWithoutSingles(t *testing.T) {
	z := mat.NewDense(BlockRows, 2, nil)
	dst := make([]float32, BlockRows*BlockRows)
	for _, k := range []Kernel{Linear{}, RationalQuadratic{}, RBF{Gamma: 1e-40}, Matern{Length: 1e20}, Laplacian{Gamma: 1e35},
		Scaled{Kernel: RBF{}, Factor: 1e39}, Sum{RBF{}, Linear{}},
		Product{Scaled{Kernel: RBF{}, Factor: 1e25}, Scaled{Kernel: RBF{}, Factor: 1e25}}} {
		p, err := Prepare(context.Background(), k, z, nil)
		require.NoError(t, err)
		ok, err := p.SingleTo(dst, BlockRows, BlockRows, 0, 0)
		require.NoError(t, err)
		assert.False(t, ok, "%v", k)
	}
	z.Set(3, 1, 1e30)
	p, err := Prepare(context.Background(), RBF{}, z, nil)
	require.NoError(t, err)
	ok, err := p.SingleTo(dst, BlockRows, BlockRows, 0, 0)
	require.NoError(t, err)
	assert.False(t, ok)
	_, err = p.SingleTo(dst, BlockRows, 2*BlockRows, 0, 0)
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = p.SingleTo(dst[1:], BlockRows, BlockRows, 0, 0)
	require.ErrorIs(t, err, fault.ErrShape)
}

// BenchmarkSingles measures the time of an entry in a tile of 256 rows and columns, in float32 and in float64. "ratio" is the time
// in float64 divided by that in float32.
func BenchmarkSingles(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 1))
	z := mat.NewDense(2*BlockRows*2, 8, nil)
	z.Apply(func(_, _ int, _ float64) float64 { return rng.NormFloat64() }, z)
	const rows = 2 * BlockRows
	for _, k := range []Kernel{Matern{Nu: 2.5, Length: 3}, Laplacian{Gamma: 0.3}, RBF{Gamma: 0.1}} {
		b.Run(k.String(), func(b *testing.B) {
			p, err := Prepare(context.Background(), k, z, nil)
			require.NoError(b, err)
			in64, in32 := mat.NewDense(rows, rows, nil), make([]float32, rows*rows)
			var least [2]time.Duration
			for b.Loop() {
				for way, f := range []func(){
					func() { err = p.BlockTo(in64, 0, rows) },
					func() { _, err = p.SingleTo(in32, rows, rows, 0, rows) },
				} {
					start := time.Now()
					f()
					if d := time.Since(start); least[way] == 0 || d < least[way] {
						least[way] = d
					}
				}
			}
			require.NoError(b, err)
			b.ReportMetric(float64(least[0].Nanoseconds())/(rows*rows), "ns/float64")
			b.ReportMetric(float64(least[1].Nanoseconds())/(rows*rows), "ns/float32")
			b.ReportMetric(float64(least[0])/float64(least[1]), "ratio")
		})
	}
}
