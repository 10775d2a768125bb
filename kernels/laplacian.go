package kernels

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Laplacian is the exponential kernel of the Manhattan distance
//
//	k(x, z) = exp(-γ Σ |x[j]-z[j]|)
//
// positive definite for γ > 0, the product of exponential kernels of the columns:
// rougher than the RBF, and less moved by single columns that lie far out. γ is in
// one over feature units: scale the features first.
type Laplacian struct {
	Gamma float64 // > 0; 0 means 1
}

var _ interface {
	Kernel
	compiler
	Validator
} = Laplacian{}

func (k Laplacian) gamma() float64 { return cmp.Or(k.Gamma, defaultGamma) }

// Eval returns exp(-γ|x-z|₁). Cost O(d).
func (k Laplacian) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return math.Exp(-k.gamma() * manhattan(x, z))
}

// String returns, for example, "Laplacian(gamma=0.5)".
func (k Laplacian) String() string { return fmt.Sprintf("Laplacian(gamma=%v)", k.gamma()) }

// Validate returns an ErrParam error unless Gamma is finite and at least 0.
func (k Laplacian) Validate() error {
	return positive("Laplacian", "Gamma", k.Gamma)
}

func (k Laplacian) compile(*layout) part { return k }

func (k Laplacian) diag(dst []float64, _ *mat.Dense) {
	for i := range dst {
		dst[i] = 1
	}
}

func (k Laplacian) block(dst *mat.Dense, x, z *operand) {
	distances := keep(pairManhattan, dst, x, z, func(dst *mat.Dense) { manhattans(dst, x, z) })
	g := -k.gamma()
	r, _ := dst.Dims()
	for i := range r {
		vecmath.Exp(dst.RawRowView(i), g, distances.RawRowView(i))
	}
}

// manhattans sets dst[i,j] = |x[i]-z[j]|₁, column by column along rows of dst: the
// Manhattan distance is no matrix product.
func manhattans(dst *mat.Dense, x, z *operand) {
	zt := transpose(z.rows)
	r, _ := dst.Dims()
	for i := range r {
		di := dst.RawRowView(i)
		clear(di)
		for c, v := range x.rows.RawRowView(i) {
			for j, w := range zt.RawRowView(c) {
				di[j] += math.Abs(v - w)
			}
		}
	}
}

func manhattan(x, z []float64) float64 {
	s := 0.0
	for i, v := range x {
		s += math.Abs(v - z[i])
	}
	return s
}
