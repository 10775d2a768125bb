package blocks

import (
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Categories compiles exp(-Σ rates[j] [x[j] ≠ z[j]]). Its parameters are one over the rates.
func (l *Layout) Categories(rates []float64) Part {
	l.need, l.dense = l.need|needLevels, true
	return categories{rates}
}

type categories struct{ rates []float64 }

func (k categories) diag(dst []float64, _ *operand) { setAll(dst, 1) }

func (k categories) block(dst *mat.Dense, x, z *operand) {
	for i := range x.len() {
		di := dst.RawRowView(i)
		clear(di)
		for c, v := range x.rows.RawRowView(i) {
			rate := k.rates[c]
			for j, u := range z.trans.RawRowView(c) {
				if u != v {
					di[j] += rate
				}
			}
		}
		vecmath.Exp(di, -1, di)
	}
}

func (k categories) params() int       { return len(k.rates) }
func (k categories) stretchable() bool { return true }

func (k categories) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	g := borrow(w)
	defer g.free()
	k.block(g.Dense, x, z)
	for i := range x.len() {
		gi := g.RawRowView(i)
		floats.Mul(gi, w.RawRowView(i))
		for c, v := range x.rows.RawRowView(i) {
			s := 0.0
			for j, u := range z.trans.RawRowView(c) {
				if u != v {
					s += gi[j]
				}
			}
			dst[c] += k.rates[c] * s
		}
	}
}

// stretch adds nothing: lengths of the columns leave equal what is equal.
func (k categories) stretch([]float64, *mat.Dense, *operand, *operand) {}
