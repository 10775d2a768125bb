package linalg

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/gonum/mat"
)

func TestTwo(t *testing.T) {
	defer func(v int) { leastStaged = v }(leastStaged)
	leastStaged = 0
	for _, n := range []int{3, 4, 5, 20, 47, 48, 49, 50, 51, 95, 96, 97, 98, 99, 144, 145, 146, 200, 257, 300, 470} {
		a := randomSPD(n, uint64(n))
		tri := Tridiagonalize(clone(a))
		b := randomDense(n, 2, 7)
		many := randomDense(n, 9, 7)
		r, m := mat.DenseCopyOf(b), mat.DenseCopyOf(many)
		tri.Rotate(r)
		tri.Rotate(m)
		q := tri.Q()
		var qq, back mat.Dense
		qq.Mul(q.T(), q)
		assert.True(t, mat.EqualApprox(&qq, identity(n), 1e-12), "orthogonal %d", n)
		full := mat.NewDense(n, n, nil)
		for i := range n {
			full.Set(i, i, tri.d[i])
			if i+1 < n {
				full.Set(i+1, i, tri.e[i])
				full.Set(i, i+1, tri.e[i])
			}
		}
		back.Product(q, full, q.T())
		assert.True(t, mat.EqualApprox(&back, a, 1e-12), "back %d", n)
		var want mat.Dense
		want.Mul(q.T(), b)
		assert.True(t, mat.EqualApprox(&want, r, 1e-12), "rotate %d", n)
		want.Reset()
		want.Mul(q.T(), many)
		assert.True(t, mat.EqualApprox(&want, m, 1e-12), "rotate many %d", n)
	}
}
