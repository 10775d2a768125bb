package kernels

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Laplacian is the exponential kernel of the Manhattan distance
//
//	k(x, z) = exp(-γ Σ |x[j]-z[j]|)
//
// It is positive definite for γ > 0. It is the product of exponential kernels of the columns, rougher than the [RBF],
// and outliers in single columns change it less. γ is in units of one over the features, so scale the features first.
//
// See also [Matern], [RBF].
type Laplacian struct {
	// Gamma is > 0. If it is 0, it is 1.
	Gamma float64
}

var _ interface {
	Differentiable
	compiler
	learner
	stretcher
	Validator
} = Laplacian{}

func (k Laplacian) gamma() float64 { return cmp.Or(k.Gamma, defaultGamma) }

// Eval returns exp(-γ|x-z|₁). The cost is O(d).
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

// Params returns γ.
func (k Laplacian) Params() []Param {
	return []Param{{Name: "gamma", Kind: KindRate, Value: k.gamma()}}
}

// WithParams returns the Laplacian of another γ.
func (k Laplacian) WithParams(values []float64) Kernel {
	checkParams(k, len(values), 1)
	return Laplacian{Gamma: param(values[0])}
}

// EvalGradient implements Differentiable: ∂k/∂ ln γ = -γ|x-z|₁ k.
func (k Laplacian) EvalGradient(dst, x, z []float64) { evalGradient(k, dst, x, z) }

func (k Laplacian) compile(l *layout) blockKernel {
	l.need |= needManhattan
	return k
}

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

func (k Laplacian) params() int       { return 1 }
func (k Laplacian) stretchable() bool { return true }

func (k Laplacian) gradient(dst []float64, w *mat.Dense, x, z *operand) {
	memory, values := borrow(w), borrow(w)
	defer memory.free()
	defer values.free()
	distances := keep(pairManhattan, memory.Dense, x, z, func(dst *mat.Dense) { manhattans(dst, x, z) })
	k.block(values.Dense, x, z)
	for i := range x.len() {
		wi, vi := w.RawRowView(i), values.RawRowView(i)
		for j, m := range distances.RawRowView(i) {
			dst[0] -= k.gamma() * m * wi[j] * vi[j]
		}
	}
}

// stretch is a pass over the pairs for each column: their distances in it are no product.
func (k Laplacian) stretch(dst []float64, w *mat.Dense, x, z *operand) {
	g := borrow(w)
	defer g.free()
	k.block(g.Dense, x, z)
	for i := range x.len() {
		gi := g.RawRowView(i)
		floats.Mul(gi, w.RawRowView(i))
		for c, v := range x.moved.RawRowView(i) {
			s := 0.0
			for j, u := range z.movedTrans.RawRowView(c) {
				s += gi[j] * math.Abs(v-u)
			}
			dst[c] += k.gamma() * s
		}
	}
}

// manhattans sets dst[i,j] = |x[i]-z[j]|₁, column by column along rows of dst: the
// Manhattan distance is no matrix product.
func manhattans(dst *mat.Dense, x, z *operand) {
	r, _ := dst.Dims()
	for i := range r {
		di := dst.RawRowView(i)
		clear(di)
		for c, v := range x.moved.RawRowView(i) {
			for j, w := range z.movedTrans.RawRowView(c) {
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
