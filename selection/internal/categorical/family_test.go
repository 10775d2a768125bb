package categorical

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

func TestFamily(t *testing.T) {
	x := mat.NewDense(4, 3, []float64{
		-1, 700, 8,
		1, 700, 8,
		-1, 3, 8,
		1, 3, 8,
	})
	f := New(families.Matern{Nu: 2.5}, x, []int{1, 2})
	assert.Equal(t, families.Matern{Nu: 2.5}.String(), f.String())
	length := math.Sqrt(2. / 3 / 2) // four of six pairs differ
	assert.InDeltaSlice(t, []float64{1, length, 1}, f.Values(.5), 1e-15)
	k := f.Kernel(.5)
	want := families.Matern{Nu: 2.5}.Kernel(.5).Eval([]float64{0, 0}, []float64{2, 1 / length})
	assert.InDelta(t, want, k.Eval([]float64{-1, 700, 8}, []float64{1, 3, 8}), 1e-15)
	assert.Equal(t, k.Eval([]float64{0, 5, 8}, []float64{0, 9, 8}), k.Eval([]float64{0, -1, 8}, []float64{0, 1e9, 8}), "all differ equally")
	assert.NoError(t, kernels.Validate(k))

	start, err := f.Start(t.Context(), x)
	require.NoError(t, err)
	far := mat.DenseCopyOf(x)
	far.Set(0, 1, 1e9)
	far.Set(1, 1, 1e9)
	same, err := f.Start(t.Context(), far)
	require.NoError(t, err)
	assert.Equal(t, start, same, "whatever the codes are")
}
