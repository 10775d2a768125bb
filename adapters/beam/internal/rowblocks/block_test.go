package rowblocks

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

// A block returns its rows as a matrix, also with the targets, and parts of its rows.
func TestBlock(t *testing.T) {
	var b Block
	one := Block{Width: 2, X: []float64{1, 2}, Y: []float64{3}, Places: []Place{{}}, Hashes: []uint64{0}}
	for range 3 {
		b.Append(&one, 0)
	}
	assert.True(t, mat.Equal(mat.NewDense(3, 2, []float64{1, 2, 1, 2, 1, 2}), b.Dense()))
	assert.Equal(t, 2, b.Part(1, 3).Rows())
	assert.Equal(t, []float64{3, 3}, b.Part(1, 3).Y)
	b.Width = 1 << 30
	assert.Equal(t, 16, b.limit())
}
