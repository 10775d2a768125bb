package blocks

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Exponential compiles exp(-γ |x-z|₁) with the Manhattan distance. Its parameter is γ.
func (l *Layout) Exponential(gamma float64) Part {
	l.need, l.dense = l.need|needManhattan, true
	return exponential{gamma}
}

type exponential struct{ gamma float64 }

func (k exponential) diag(dst []float64, _ *operand) { setAll(dst, 1) }

func (k exponential) block(dst *mat.Dense, x, z *operand) {
	distances := manhattan(dst, x, z)
	g := -k.gamma
	r, _ := dst.Dims()
	for i := range r {
		vecmath.Exp(dst.RawRowView(i), g, distances.RawRowView(i))
	}
}

func (k exponential) params() int       { return 1 }
func (k exponential) stretchable() bool { return true }

func (k exponential) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	memory, values := borrow(w), borrow(w)
	defer memory.free()
	defer values.free()
	distances := manhattan(memory.Dense, x, z)
	k.block(values.Dense, x, z)
	for i := range x.len() {
		wi, vi := w.RawRowView(i), values.RawRowView(i)
		for j, m := range distances.RawRowView(i) {
			dst[0] -= k.gamma * m * wi[j] * vi[j]
		}
	}
}

// stretch makes a pass over the pairs for each column, because Manhattan distances are not a matrix product.
func (k exponential) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	g := borrow(w)
	defer g.free()
	k.block(g.Dense, x, z)
	sums := make([]float64, len(dst))
	for i := range x.len() {
		gi := g.RawRowView(i)
		floats.Mul(gi, w.RawRowView(i))
		for c, v := range x.moved.RawRowView(i) {
			sums[c] += vecmath.WeighManhattan(gi, v, z.movedTrans.RawRowView(c))
		}
		if x.levels != nil {
			x.levels.weigh(sums, gi, i, z.levels, 1)
		}
	}
	floats.AddScaled(dst, k.gamma, sums)
}
