package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

func BenchmarkZ(b *testing.B) {
	for _, n := range []int{64, 100, 200, 333, 500, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			a := mat.NewSymDense(n, nil)
			for i := range n {
				for j := i; j < n; j++ {
					a.SetSym(i, j, rng.NormFloat64())
				}
			}
			w := mat.NewSymDense(n, nil)
			for b.Loop() {
				w.CopySym(a)
				_, t := inOneStage(w.RawSymmetric())
				t.form()
			}
		})
	}
}
func BenchmarkZr(b *testing.B) {
	n := 300
	rng := rand.New(rand.NewPCG(1, 2))
	a := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			a.SetSym(i, j, rng.NormFloat64())
		}
	}
	w := mat.NewSymDense(n, nil)
	for b.Loop() {
		w.CopySym(a)
		inOneStage(w.RawSymmetric())
	}
}
