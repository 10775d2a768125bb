package linalg

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func TestIndependent(t *testing.T) {
	for _, c := range []struct{ n, rank int }{{8, 8}, {12, 5}, {1, 1}, {90, 40}} {
		b := randomDense(c.n, c.rank, 5)
		if c.n > 6 {
			b.SetRow(3, b.RawRowView(1)) // equal to an earlier row
		}
		k := mat.NewSymDense(c.n, nil)
		k.SymOuterK(1, b)
		f, kept, err := Independent(background, k)
		require.NoError(t, err)
		_, r := f.Dims()
		assert.Len(t, kept, r)
		want := c.rank
		if c.n == 8 {
			want = 7
		}
		assert.Equal(t, want, r, c)
		assert.NotContains(t, kept, 3)
		var back mat.Dense
		back.Mul(f, f.T())
		assert.True(t, mat.EqualApprox(k, &back, 1e-8), c)
		for col, i := range kept {
			assert.Positive(t, f.At(i, col))
			for j := col + 1; j < r; j++ {
				assert.Zero(t, f.At(i, j))
			}
		}
		if c.n == 90 {
			first, some, err := Independent(background, k.SliceSym(0, 20).(*mat.SymDense))
			require.NoError(t, err)
			_, w := first.Dims()
			assert.Equal(t, kept[:w], some)
			assert.True(t, mat.EqualApprox(f.Slice(0, 20, 0, w), first, 1e-12), "nested")
		}
	}
	f, kept, err := Independent(background, mat.NewSymDense(3, nil))
	require.NoError(t, err)
	assert.Nil(t, f)
	assert.Nil(t, kept)
}
