//go:build !purego

package simd

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/internal/testkit/guarded"
)

// Products with factors read in place are bit-identical to packed ones, for each width of a strip, each number of remaining rows,
// and each transposition. They access nothing outside the factors and the result.
func TestInPlaceIsPacked(t *testing.T) {
	replaced(t, func(t *testing.T) {
		s := source{rand.New(rand.NewPCG(5, 5))}
		for n := 1; n <= 50; n++ {
			for _, m := range []int{1, 2, 3, 4, 5, 7, 8, 9, 14, 15, 16, 131} {
				k := 1 + s.IntN(40)
				aTrans, bTrans := s.IntN(2) == 0, s.IntN(2) == 0
				ra, ca := m, k
				if aTrans {
					ra, ca = k, m
				}
				rb, cb := k, n
				if bTrans {
					rb, cb = n, k
				}
				a, lda := s.matrix(ra, ca)
				b, ldb := s.matrix(rb, cb)
				c, ldc := s.matrix(m, n)
				packed := product{
					m: m, n: n, k: k, alpha: s.coefficient(), beta: pick(s, 0, math.Copysign(0, -1), 1, .5),
					a: operand{view: stored(a, lda, aTrans)}, b: operand{view: stored(b, ldb, !bTrans)},
					c: slices.Clone(c), ldc: ldc,
				}
				packed.run()
				t.Run("", func(t *testing.T) { // the end of the subtest frees the memory
					for _, side := range guarded.Sides {
						own := packed
						exact := func(x []float64, rows, columns, stride int) []float64 {
							return guarded.Copy(t, side, x[:(rows-1)*stride+columns])
						}
						own.a.data, own.b.data, own.c = exact(a, ra, ca, lda), exact(b, rb, cb, ldb), exact(c, m, n, ldc)
						what := fmt.Sprintf("%d×%d×%d %v %v, unreadable %s", m, n, k, aTrans, bTrans, side)
						guarded.Run(t, what, own.runInPlace)
						require.True(t, slices.Equal(bits(packed.c[:len(own.c)]), bits(own.c)), what)
					}
				})
			}
		}
	})
}
