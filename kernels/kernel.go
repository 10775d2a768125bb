// Package kernels holds the kernels, the matrices they make of rows, and the
// one-parameter families that a search runs over.
//
// A kernel is a symmetric function of two rows. Those of this package are values
// (RBF{Gamma: 0.5}); any type with Eval and String is one:
//
//	type Kernel interface { Eval(x, z []float64) float64; String() string }
//
// Matrix and Cross evaluate a kernel on all pairs of rows. They work in blocks
// of a fixed size, so the result is the same on any number of workers: for the
// kernels of this package a block is one matrix product and one pass over its
// elements; for others it is one call of Block where the kernel has that
// capability, and a loop over Eval where not.
//
//	Linear, Polynomial                     of the inner product
//	RBF, Laplacian, Matern                 of a distance
//	ELM, Tanh                              of networks; Tanh is indefinite
//	Sum, Product, Scaled, Normalized       of other kernels
//	RBFFamily, LaplacianFamily, MaternFamily, PolynomialFamily, ELMFamily
//	                                       what package selection searches
//	ShiftedPolynomialFamily, SumFamily, ProductFamily, Fixed
//	                                       families of two parameters
//	MedianRBF                              the default where no kernel is given
//	Prepared                               Cross with the same rows many times
//	Shared, SharedCross                    many kernels on the same rows
//	Spectral                               frequencies of a stationary kernel
//
// Package kerneltest has the checks that a kernel of one's own should pass. Its Block, Diag
// and SpectralDensity are called in the place of Eval; those that it has only because it
// embeds another kernel are not, since its Eval may be another: for their speed hold that
// kernel in a named field.
//
// # Scales
//
// The RBF takes γ, not a length scale: k = exp(-γ|x-z|²), γ = 1/(2ℓ²). It
// expects features of comparable scale (transformers.StandardScaler).
package kernels

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/own"
)

// Kernel is a symmetric function of two rows. Implementations are safe for
// concurrent use and change neither argument.
type Kernel interface {
	// Eval returns k(x, z). It panics only if len(x) != len(z).
	Eval(x, z []float64) float64
	// String names the kernel with all its parameters, exactly: two kernels of
	// the same String are taken to be the same. Models store it.
	String() string
}

// Blocker is the capability to evaluate a block of pairs in one pass.
type Blocker interface {
	// Block sets dst[i,j] = k(x[i], z[j]). dst is r×c, x is r×d and z is c×d; they
	// do not overlap.
	Block(dst *mat.Dense, x, z *mat.Dense)
}

// Diagonal is the capability to give k(x, x) without going through all pairs.
type Diagonal interface {
	// Diag sets dst[i] = k(x[i], x[i]).
	Diag(dst []float64, x *mat.Dense)
}

// Validator is the capability to say what is wrong with a kernel's parameters.
// Matrix and Cross ask it before they compute.
type Validator interface{ Validate() error }

// The errors of this package; see package estimators for all of them.
var (
	ErrParam     = fault.ErrParam
	ErrShape     = fault.ErrShape
	ErrNotFinite = fault.ErrNotFinite
	ErrTooLarge  = fault.ErrTooLarge
	ErrBadModel  = fault.ErrBadModel
)

// Validate returns an error if k is nil or says that its parameters are out of
// range.
func Validate(k Kernel) error {
	if k == nil {
		return fault.Param("kernels", "Kernel", "nil", "a kernel")
	}
	if v, ok := k.(Validator); ok {
		return v.Validate()
	}
	return nil
}

// Diag sets dst[i] = k(x[i], x[i]) for the rows of x.
func Diag(dst []float64, k Kernel, x *mat.Dense) {
	if d, ok := own.As[Diagonal](k); ok {
		d.Diag(dst, x)
		return
	}
	for i := range dst {
		r := x.RawRowView(i)
		dst[i] = k.Eval(r, r)
	}
}

// blockKernel is what the kernels of this package implement: a block from
// operands that were prepared once for all the blocks they take part in.
type blockKernel interface {
	Kernel
	need() need
	block(dst *mat.Dense, x, z *operand)
}

// block evaluates any kernel on prepared operands.
func block(k Kernel, dst *mat.Dense, x, z *operand) {
	if b, ok := own.As[blockKernel](k); ok {
		b.block(dst, x, z)
		return
	}
	if b, ok := own.As[Blocker](k); ok {
		b.Block(dst, x.rows, z.rows)
		return
	}
	r, c := dst.Dims()
	for i := range r {
		xi, di := x.rows.RawRowView(i), dst.RawRowView(i)
		for j := range c {
			di[j] = k.Eval(xi, z.rows.RawRowView(j))
		}
	}
}

// blockOf is Block for a blockKernel: it prepares both sides for this block.
func blockOf(k blockKernel, dst, x, z *mat.Dense) {
	shift := meanRow(z)
	k.block(dst, newOperand(x, k.need(), shift), newOperand(z, k.need(), shift))
}

func checkLen(x, z []float64) {
	if len(x) != len(z) {
		panic(fmt.Sprintf("kernels: Eval of rows of %d and %d", len(x), len(z)))
	}
}
