package varying_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/internal/varying"
	"github.com/kernelearn/kernelearn/kernels"
)

func TestKernel(t *testing.T) {
	k := kernels.RBF{Gamma: 2}
	for _, c := range []struct {
		rows []float64
		want kernels.Kernel
	}{
		{[]float64{1, 5, 2, 1, 5, 3, 1, 5, 2}, kernels.Columns{Of: []int{2}, Kernel: k}},
		{[]float64{1, 5, 2, 1, 5, 2, 0, 5, 3}, kernels.Columns{Of: []int{0, 2}, Kernel: k}},
		{[]float64{1, 5, 2, 2, 6, 3, 1, 5, 2}, k},
		{[]float64{1, 5, 2, 1, 5, 2, 1, 5, 2}, k},
	} {
		x := mat.NewDense(3, 3, c.rows)
		assert.Equal(t, c.want, varying.Find(x).Kernel(k))
		rows := varying.Find(x).Rows(x)
		if some, ok := c.want.(kernels.Columns); ok {
			_, d := rows.Dims()
			require.Equal(t, len(some.Of), d)
			assert.Equal(t, x.At(2, some.Of[0]), rows.At(2, 0))
		} else {
			assert.Same(t, x, rows)
		}
		var parts varying.Columns
		for i := range 3 {
			parts.Add(x.Slice(i, i+1, 0, 3).(*mat.Dense))
		}
		assert.Equal(t, c.want, parts.Kernel(k), "rows one by one")
	}
}
