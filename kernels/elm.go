package kernels

import (
	"cmp"
	"fmt"

	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// defaultSigma is the s of an ELM whose Sigma is 0.
const defaultSigma = 1.0

// ELM is the asymptotic kernel of an extreme learning machine. It is the limit for a hidden layer with infinitely many units. Their
// weights are normal with standard deviation s, and their activation is the error function:
//
//	k(x, z) = (2/π) asin( (1 + <x,z>) / √((1/(2s²) + 1 + <x,x>)(1/(2s²) + 1 + <z,z>)) )
//
// It is positive semi-definite (Frénay and Verleysen, Neurocomputing 74, 2011). Its diagonal is below 1, and its entropy is low for
// any s.
//
// See also [Tanh], [RBF].
type ELM struct {
	// Sigma is s > 0. If it is 0, 1 is used.
	Sigma float64
}

var _ interface {
	Kernel
	compiler
	Validator
} = ELM{}

func (k ELM) sigma() float64 { return cmp.Or(k.Sigma, defaultSigma) }

func (k ELM) arcsine() blocks.Arcsine {
	s := k.sigma()
	return blocks.Arcsine{Offset: 0.5/s/s + 1}
}

// Eval returns k(x, z). The cost is O(d).
func (k ELM) Eval(x, z []float64) float64 {
	checkLen(x, z)
	a := k.arcsine()
	return a.Value(vecmath.Dot(x, z), a.Root(vecmath.Dot(x, x)), a.Root(vecmath.Dot(z, z)))
}

// String returns, for example, "ELM(sigma=1)".
func (k ELM) String() string { return fmt.Sprintf("ELM(sigma=%v)", k.sigma()) }

// Validate returns an ErrParam error unless Sigma is finite and at least 0.
func (k ELM) Validate() error {
	return positive("ELM", "Sigma", k.Sigma)
}

func (k ELM) compile(l *blocks.Layout) blocks.Part { return l.Arcsine(k.arcsine()) }
