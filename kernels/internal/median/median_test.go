package median

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPartition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for n := 1; n < 60; n++ {
		for _, values := range []int{2, 5, math.MaxInt32} { // few different values, and therefore ties
			v := make([]float64, n)
			for i := range v {
				v[i] = float64(rng.IntN(values))
			}
			want := slices.Clone(v)
			slices.Sort(want)
			for k := range n {
				got := slices.Clone(v)
				require.Equal(t, want[k], partition(got, k))
				for i, x := range got {
					require.True(t, i < k && x <= want[k] || i == k || i > k && x >= want[k])
				}
				slices.Sort(got)
				require.Equal(t, want, got, "the values are the same")
			}
		}
	}
	require.Equal(t, math.Inf(1), partition([]float64{math.Inf(1), 1, math.Inf(1)}, 1))
}
