package landmarks

import (
	"testing"

	"github.com/stretchr/testify/require"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas"
	"github.com/kernelearn/kernelearn/kernels"
)

func BenchmarkAt(b *testing.B) {
	p := drawn(6000, 8, 600)
	k := kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{1, 2, 3, 4, 5, 6, 7, 8}}
	gradient := make([]float64, 9)
	for b.Loop() {
		_, err := p.Value(ctx, k, 1, gradient)
		require.NoError(b, err)
	}
}
