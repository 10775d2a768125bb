package elm_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/elm"
)

// With Groups the ridge is chosen for new groups. The rows of a group, which are nearly equal and of one class, cannot predict each
// other's class.
func TestGroups(t *testing.T) {
	const n = 240
	wrong := [2]int{}
	larger := 0
	for seed := range uint64(10) {
		draw := func(stream uint64) (x *mat.Dense, y, groups []int) {
			rng := rand.New(rand.NewPCG(seed, stream))
			x, y, groups = mat.NewDense(n, 4, nil), make([]int, n), make([]int, n)
			var own [4]float64
			class := 0
			for i := range n {
				if i%6 == 0 {
					for j := range own {
						own[j] = rng.NormFloat64()
					}
					class = 0
					if own[0]+.8*rng.NormFloat64() > 0 {
						class = 1
					}
				}
				for j, v := range own {
					x.Set(i, j, v+.03*rng.NormFloat64())
				}
				y[i], groups[i] = class, i/6
			}
			return x, y, groups
		}
		x, y, groups := draw(1)
		other, truth, _ := draw(2)
		var ridges [2]float64
		for k, g := range [][]int{nil, groups} {
			c := &elm.Classifier{Groups: g, Seed: seed}
			require.NoError(t, c.Fit(t.Context(), x, y))
			ridges[k] = c.ChosenRidge()
			got, err := c.Predict(other)
			require.NoError(t, err)
			for i, l := range got {
				if l != truth[i] {
					wrong[k]++
				}
			}
		}
		if ridges[1] > ridges[0] {
			larger++
		}
	}
	t.Logf("wrong of %d: %d by rows, %d by groups", 10*n, wrong[0], wrong[1])
	assert.Less(t, wrong[1], wrong[0])
	assert.GreaterOrEqual(t, larger, 9)

	x, y := mat.NewDense(4, 1, []float64{1, 2, 3, 4}), []int{0, 1, 0, 1}
	assert.ErrorIs(t, (&elm.Classifier{Groups: []int{1, 2}}).Fit(t.Context(), x, y), estimators.ErrShape)
}
