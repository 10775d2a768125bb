package falkon

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

// The preconditioner has four rows a landmark, and two or 4000 of others are outside where so many are
// drawn; fewer are shared out alike, and each row is in one of both.
func TestHalves(t *testing.T) {
	for _, c := range []struct{ m, drawn, sample, outside int }{
		{100, 1000, 400, 600}, {1000, 8000, 4000, 4000}, {2000, 12000, 8000, 4000}, {3000, 18000, 12000, 6000},
		{3000, 9000, 6000, 3000}, {1000, 3000, 1500, 1500}, {500, 5, 3, 2}, {500, 2, 1, 1},
	} {
		d := &drawn{batch: batch{x: mat.NewDense(c.drawn, 1, nil), y: mat.NewDense(c.drawn, 1, nil)}}
		for i := range c.drawn {
			d.x.Set(i, 0, float64(i))
		}
		sample, outside := d.halves(c.m)
		assert.Equal(t, []int{c.sample, c.outside}, []int{sample.n, outside.n}, "%d landmarks, %d rows", c.m, c.drawn)
		assert.Equal(t, 0., sample.whole.x.At(0, 0))
		assert.Equal(t, float64(c.sample), outside.whole.x.At(0, 0))
	}
}
