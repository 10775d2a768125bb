package kernels_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// embedding is a third-party kernel that embeds RBF. The methods that it redefines must be used.
type embedding struct{ kernels.RBF }

func (embedding) Eval(x, z []float64) float64 { return 2 * kernels.RBF{}.Eval(x, z) }
func (embedding) Block(dst, x, z *mat.Dense) {
	kernels.Block(dst, kernels.RBF{}, x, z)
	dst.Scale(2, dst)
}

func (embedding) Diag(dst []float64, _ *mat.Dense) {
	for i := range dst {
		dst[i] = 2
	}
}

// renewed redefines only Eval.
type renewed struct{ kernels.RBF }

func (renewed) Eval(x, z []float64) float64 { return 3 * kernels.RBF{}.Eval(x, z) }

func TestEmbeddedKernel(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 0, 1, -1, 0.5})
	z := mat.NewDense(2, 2, []float64{0.5, 0.5, 1, 0})
	for _, k := range []kernels.Kernel{
		embedding{}, kernels.Normalized{Kernel: embedding{}}, kernels.Sum{embedding{}}, kernels.Scaled{Kernel: &embedding{}},
		renewed{}, &renewed{}, kernels.Normalized{Kernel: renewed{}}, kernels.Product{renewed{}, kernels.Matern{}},
	} {
		c, err := kernels.Cross(context.Background(), k, x, z, nil)
		require.NoError(t, err)
		assert.InDelta(t, k.Eval(x.RawRowView(2), z.RawRowView(1)), c.At(2, 1), 1e-14, "%v", k)
		m, err := kernels.Matrix(context.Background(), k, x, nil)
		require.NoError(t, err)
		assert.InDelta(t, k.Eval(x.RawRowView(1), x.RawRowView(1)), m.At(1, 1), 1e-14, "%v", k)
	}
	_, err := kernels.SpectralDensityOf(renewed{})
	assert.ErrorIs(t, err, estimators.ErrParam, "that of the RBF is not the kernel's")
}
