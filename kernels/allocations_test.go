//go:build !race

package kernels

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The race detector drops some of the contents of a sync.Pool, so this test does not run with it.

// Row allocates no memory for an ARD, whatever its inner kernel.
func TestRowOverLengthsAllocatesNothing(t *testing.T) {
	x, z := random(1, 3, 1), random(50, 3, 2)
	dst := make([]float64, 50)
	for _, inner := range []Kernel{Matern{Nu: 2.5}, RationalQuadratic{}, Linear{}, Laplacian{}, Periodic{}} {
		var k Kernel = ARD{Kernel: inner, Lengths: []float64{1, 2, 3}}
		assert.LessOrEqual(t, testing.AllocsPerRun(100, func() { Row(dst, k, x.RawRowView(0), z) }), 0.5, k.String())
	}
}
