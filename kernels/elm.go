package kernels

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// defaultSigma is the s of an ELM whose Sigma is 0.
const defaultSigma = 1.0

// ELM is the asymptotic kernel of an extreme learning machine, the limit of a hidden layer of infinitely many units
// of random normal weights (standard deviation s) with the error function for activation:
//
//	k(x, z) = (2/π) asin( (1 + <x,z>) / √((1/(2s²) + 1 + <x,x>)(1/(2s²) + 1 + <z,z>)) )
//
// It is positive semi-definite (Frénay and Verleysen, Neurocomputing 74, 2011). Its diagonal lies below 1, and its
// entropy is low whatever s is.
//
// See also [Tanh], [RBF].
type ELM struct {
	// Sigma is s > 0. If it is 0, it is 1.
	Sigma float64
}

var _ interface {
	Kernel
	compiler
	Validator
} = ELM{}

func (k ELM) sigma() float64 { return cmp.Or(k.Sigma, defaultSigma) }

// value returns the kernel of an inner product, given 1/√(1/(2s²) + 1 + |x|²) of
// both rows.
func (k ELM) value(dot, rx, rz float64) float64 {
	return 2 / math.Pi * math.Asin(min(max((1+dot)*rx*rz, -1), 1))
}

func (k ELM) root(squared float64) float64 {
	s := k.sigma()
	return 1 / math.Sqrt(0.5/s/s+1+squared)
}

// Eval returns k(x, z). The cost is O(d).
func (k ELM) Eval(x, z []float64) float64 {
	checkLen(x, z)
	return k.value(vecmath.Dot(x, z), k.root(vecmath.Dot(x, x)), k.root(vecmath.Dot(z, z)))
}

// String returns, for example, "ELM(sigma=1)".
func (k ELM) String() string { return fmt.Sprintf("ELM(sigma=%v)", k.sigma()) }

// Validate returns an ErrParam error unless Sigma is finite and at least 0.
func (k ELM) Validate() error {
	return positive("ELM", "Sigma", k.Sigma)
}

func (k ELM) diag(dst []float64, x *mat.Dense) {
	for i, s := range squaredNorms(x) {
		r := k.root(s)
		dst[i] = k.value(s, r, r)
	}
}

func (k ELM) compile(l *layout) blockKernel {
	l.need |= needDots
	return k
}

func (k ELM) block(dst *mat.Dense, x, z *operand) {
	products := dots(dst, x, z)
	rz := make([]float64, len(z.sq))
	for j, s := range z.sq {
		rz[j] = k.root(s)
	}
	for i, s := range x.sq {
		rx, di := k.root(s), dst.RawRowView(i)
		for j, v := range products.RawRowView(i) {
			di[j] = k.value(v, rx, rz[j])
		}
	}
}
