package linalg

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/testkit/guarded"
)

// The vector loops of reductions and quadratic forms neither read nor write outside their matrices.
func TestNothingBeside(t *testing.T) {
	for _, side := range guarded.Sides {
		for _, n := range []int{1, 2, bandWidth - 1, bandWidth, 2*bandWidth + 1, 5*bandWidth + 3} {
			b := mat.NewDense(n, quadStrip+3, guarded.Copy(t, side, randomDense(n, quadStrip+3, 2).RawMatrix().Data))
			out := guarded.Copy(t, side, make([]float64, quadStrip+3))
			for name, reduce := range reductions {
				a := mat.NewSymDense(n, guarded.Copy(t, side, randomSPD(n, 1).RawSymmetric().Data))
				guarded.Run(t, name+", unreadable "+side, func() {
					reduced := reduce(a)
					require.NoError(t, reduced.Rotate(background, b))
					s, ok := reduced.Shift(.1)
					require.True(t, ok)
					require.NoError(t, s.QuadColumns(context.Background(), 1, out, b))
				})
			}
		}
		for _, n := range []int{1, 30, 400} {
			a := mat.NewSymDense(n, guarded.Copy(t, side, randomSPD(n, 1).RawSymmetric().Data))
			guarded.Run(t, "unreadable "+side, func() {
				c, ok, err := TryCholesky(background, a)
				require.NoError(t, err)
				require.True(t, ok)
				must(c.DiagInverse(background))
			})
		}
	}
}
