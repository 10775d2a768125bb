package kernels

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

var manyKernels = []Kernel{
	RBF{Gamma: .3}, RBF{Gamma: 2}, Matern{Nu: 2.5}, Laplacian{Gamma: .4}, Linear{}, Polynomial{Degree: 3, Coef0: 1}, ELM{}, Tanh{},
	Normalized{Kernel: Polynomial{Coef0: 1}}, Sum{RBF{}, Scaled{Kernel: Linear{}, Factor: .1}}, Product{RBF{}, Laplacian{}}, ownEval{},
}

// ownEval is a third-party kernel.
type ownEval struct{}

func (ownEval) Eval(x, z []float64) float64 { return 1 / (1 + vecmath.SquaredDistance(x, z)) }
func (ownEval) String() string              { return "ownEval" }

// Shared returns the same bits as Matrix and Cross for every kernel in any order, for concurrent callers, and also if the rows
// change afterwards.
func TestSharedIsMatrix(t *testing.T) {
	x, z := random(2*blocks.Stripe+5, 4, 1), random(blocks.Stripe+3, 4, 2)
	own, ownZ := mat.DenseCopyOf(x), mat.DenseCopyOf(z)
	s, err := Share(ctx, own, &Options{Workers: 2})
	require.NoError(t, err)
	c, err := ShareCross(ctx, ownZ, own, nil)
	require.NoError(t, err)
	own.Zero()
	ownZ.Zero()
	for range 2 {
		var wg sync.WaitGroup
		for _, k := range manyKernels {
			wg.Go(func() {
				want, err := Matrix(ctx, k, x, nil)
				assert.NoError(t, err)
				got, err := s.Matrix(ctx, k)
				assert.NoError(t, err)
				assert.True(t, mat.Equal(want, got), k.String())
				wantCross, err := Cross(ctx, k, z, x, nil)
				assert.NoError(t, err)
				gotCross, err := c.Cross(ctx, k)
				assert.NoError(t, err)
				assert.True(t, mat.Equal(wantCross, gotCross), k.String())
			})
		}
		wg.Wait()
	}
}

func TestSharedErrors(t *testing.T) {
	x := mat.NewDense(3, 2, nil)
	_, err := Share(ctx, mat.NewDense(1, 1, []float64{math.NaN()}), nil)
	require.ErrorIs(t, err, fault.ErrNotFinite)
	_, err = Share(ctx, x, &Options{MaxBytes: 71})
	require.ErrorIs(t, err, fault.ErrTooLarge)
	_, err = Share(ctx, x, &Options{MaxBytes: -1})
	require.ErrorIs(t, err, fault.ErrParam)
	_, err = ShareCross(ctx, x, mat.NewDense(3, 3, nil), nil)
	require.ErrorIs(t, err, fault.ErrShape)
	_, err = ShareCross(ctx, x, x, &Options{MaxBytes: 71})
	require.ErrorIs(t, err, fault.ErrTooLarge)
	s, err := Share(ctx, x, nil)
	require.NoError(t, err)
	_, err = s.Matrix(ctx, RBF{Gamma: -1})
	require.ErrorIs(t, err, fault.ErrParam)
	c, err := ShareCross(ctx, x, x, nil)
	require.NoError(t, err)
	_, err = c.Cross(ctx, nil)
	require.ErrorIs(t, err, fault.ErrParam)
}

// BenchmarkShared measures ten kernels in a search on 2000 rows, as a share of the time of ten calls of Matrix in the same run.
func BenchmarkShared(b *testing.B) {
	for _, d := range []int{10, 100} {
		for _, of := range []func(g float64) Kernel{
			func(g float64) Kernel { return RBF{Gamma: g} },
			func(g float64) Kernel { return Laplacian{Gamma: g} },
		} {
			b.Run(fmt.Sprintf("%T/%d", of(1), d), func(b *testing.B) {
				x := random(2000, d, 1)
				var shared, plain time.Duration
				b.ReportAllocs()
				for b.Loop() {
					begun := time.Now()
					s, err := Share(ctx, x, nil)
					require.NoError(b, err)
					for i := range 10 {
						_, err := s.Matrix(ctx, of(float64(i+1)/100))
						require.NoError(b, err)
					}
					shared += time.Since(begun)
					begun = time.Now()
					for i := range 10 {
						_, err := Matrix(ctx, of(float64(i+1)/100), x, nil)
						require.NoError(b, err)
					}
					plain += time.Since(begun)
				}
				b.ReportMetric(shared.Seconds()/plain.Seconds(), "ratio")
			})
		}
	}
}
