package kernels_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// embedding is a kernel of a third party that takes all it does not define from
// the RBF: what it does define counts.
type embedding struct{ kernels.RBF }

func (embedding) Eval(x, z []float64) float64 { return 2 * kernels.RBF{}.Eval(x, z) }
func (embedding) Block(dst, x, z *mat.Dense) {
	kernels.RBF{}.Block(dst, x, z)
	dst.Scale(2, dst)
}

func (embedding) Diag(dst []float64, _ *mat.Dense) {
	for i := range dst {
		dst[i] = 2
	}
}

func TestEmbeddedKernel(t *testing.T) {
	x := mat.NewDense(3, 2, []float64{1, 2, 0, 1, -1, 0.5})
	z := mat.NewDense(2, 2, []float64{0.5, 0.5, 1, 0})
	for _, k := range []kernels.Kernel{
		embedding{}, kernels.Normalized{Kernel: embedding{}}, kernels.Sum{embedding{}}, kernels.Scaled{Kernel: &embedding{}},
	} {
		c, err := kernels.Cross(context.Background(), k, x, z, nil)
		require.NoError(t, err)
		assert.InDelta(t, k.Eval(x.RawRowView(2), z.RawRowView(1)), c.At(2, 1), 1e-14, "%v", k)
	}
}
