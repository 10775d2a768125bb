package blocks

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// Arcsine is the kernel
//
//	k(x, z) = (2/π) asin( (1 + <x,z>) / √((Offset + <x,x>)(Offset + <z,z>)) )
type Arcsine struct{ Offset float64 }

// Arcsine compiles the kernel.
func (l *Layout) Arcsine(k Arcsine) Part {
	l.need |= needDots
	return arcsine{Arcsine: k}
}

// Value returns the kernel value from an inner product and the roots for both rows.
func (Arcsine) Value(dot, rx, rz float64) float64 {
	return 2 / math.Pi * math.Asin(min(max((1+dot)*rx*rz, -1), 1))
}

// Root returns 1/√(Offset + |x|²).
func (k Arcsine) Root(squared float64) float64 { return 1 / math.Sqrt(k.Offset+squared) }

// arcsine is the kernel's part. It has no parameters to learn.
type arcsine struct {
	Arcsine
	Pairwise
}

func (k arcsine) diag(dst []float64, x *operand) {
	for i, s := range x.sq {
		r := k.Root(s)
		dst[i] = k.Value(s, r, r)
	}
}

func (k arcsine) block(dst *mat.Dense, x, z *operand) {
	products := dots(dst, x, z)
	rz := make([]float64, len(z.sq))
	for j, s := range z.sq {
		rz[j] = k.Root(s)
	}
	for i, s := range x.sq {
		rx, di := k.Root(s), dst.RawRowView(i)
		for j, v := range products.RawRowView(i) {
			di[j] = k.Value(v, rx, rz[j])
		}
	}
}
