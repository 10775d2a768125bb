// Package kernels contains kernels, and computes their matrices for rows. The families of kernels that a search covers are in
// package families.
//
// A kernel is a symmetric function of two rows. The kernels of this package are values such as RBF{Gamma: 0.5}; any type with Eval
// and String is a kernel:
//
//	type Kernel interface { Eval(x, z []float64) float64; String() string }
//
// [Matrix] and [Cross] evaluate a kernel for all pairs of rows. They work in blocks of a fixed size, so the result is the same for
// any number of workers. If the kernel is a function of the distance ([Radial]) or of the inner product ([DotProduct]), a block
// takes one matrix product and one pass over its elements. For other kernels it takes one call of Block, if the kernel is a
// [Blocker], and otherwise a loop over Eval.
//
//	Linear, Polynomial                     of the inner product
//	RBF, Laplacian, Matern, RationalQuadratic
//	                                       of a distance
//	Periodic, Additive                     of the columns one by one
//	ELM, Tanh                              of networks; Tanh is indefinite
//	Sum, Product, Scaled, Normalized       of other kernels
//	ARD, Columns                           of other kernels, with a length for each
//	                                       column, or of some columns
//	MedianRBF                              the default if no kernel is set
//	Prepared                               Cross with the same rows many times
//	Shared, SharedCross                    many kernels on the same rows
//	Row, Block, Diag                       parts of a matrix
//	Spectral                               frequencies of a stationary kernel
//	Differentiable, Derivatives            parameters to be learnt, and the derivatives
//	                                       of a matrix with respect to them
//
// Package kerneltest contains the checks that a new kernel should pass. If a kernel has one of the methods OfSquaredDistances,
// OfDotProducts, Block, Diag, SpectralDensity and Params, it is called instead of Eval. Methods that a kernel has only because it
// embeds another kernel are not called, because its Eval may differ from that of the embedded kernel. To use them, store the other
// kernel in a named field, and define these methods.
//
// Errors are those of package estimators.
//
// # Sparse rows
//
// Sparse rows may be passed as a mat.RowNonZeroDoer, such as a sparse.Rows of this module. [Matrix], [Cross], [Prepare],
// [Prepared.CrossTo] and [MedianSquaredDistance] read only their nonzero entries. They make no dense copy for kernels that are
// [Radial] or [DotProduct], for [ELM], and for [Sum], [Product], [Scaled] and [Normalized] of such kernels ([TakesSparseRows]). The
// cost of a pair of rows is proportional to the number of their common columns. Results agree with those of dense rows up to
// rounding. Other kernels receive a dense copy. If it would exceed 8 GiB, the error is ErrTooLarge. docs/sparse.md contains
// measurements, and lists the estimators that accept sparse rows.
//
// # Scales
//
// The RBF has the parameter γ instead of a length scale: k = exp(-γ|x-z|²), γ = 1/(2ℓ²). It expects features of comparable scale
// (scalers.StandardScaler). [ARD] has a length for each column instead. With RBFOfLength(1), its lengths agree with those in
// textbooks.
package kernels

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Kernel is a symmetric function of two rows. Implementations must be safe for concurrent use and must not change their arguments.
type Kernel interface {
	// Eval returns k(x, z). It must panic if len(x) != len(z), and must not panic otherwise.
	Eval(x, z []float64) float64
	// String returns the name of the kernel with the exact values of all its parameters: two kernels with the same String are
	// considered equal. Model files contain it.
	String() string
}

// Radial is the capability of a kernel that is a function of the distance between two rows, such as [RBF]. Its matrices need only a
// matrix product and a pass over the distances, which a [Shared] keeps.
type Radial interface {
	// OfSquaredDistances sets dst[i] to the value for two rows with the squared Euclidean distance squared[i]. The slices have the
	// same length and may be the same.
	OfSquaredDistances(dst, squared []float64)
}

// DotProduct is the capability of a kernel that is a function of the inner product of two rows, such as [Polynomial]. It
// corresponds to [Radial], which is for distances.
type DotProduct interface {
	// OfDotProducts sets dst[i] to the value for two rows with the inner product products[i]. The slices have the same length and
	// may be the same.
	OfDotProducts(dst, products []float64)
}

// Blocker is the capability of a kernel that is neither [Radial] nor [DotProduct] to evaluate many pairs faster than one by one.
type Blocker interface {
	// Block sets dst[i,j] = k(x[i], z[j]). The matrices are dst (r×c), x (r×d) and z (c×d), and they do not overlap.
	Block(dst, x, z *mat.Dense)
	// Diag sets dst[i] = k(x[i], x[i]).
	Diag(dst []float64, x *mat.Dense)
}

// Validator is the capability to check a kernel's parameters. Matrix and Cross call it before they compute.
type Validator interface{ Validate() error }

// Validate returns an error if k is nil or a nil pointer. Otherwise it returns the error of k's Validate method, if k has one.
func Validate(k Kernel) error {
	if check.IsNil(k) {
		return fault.Param("kernels", "Kernel", "nil", "a kernel")
	}
	if v, ok := k.(Validator); ok {
		return v.Validate()
	}
	return nil
}

// ColumnValidator is the capability to check the number of columns of the rows. Matrix and Cross call it before they compute.
type ColumnValidator interface {
	// ValidateColumns returns ErrShape unless the kernel accepts rows of d columns.
	ValidateColumns(d int) error
}

// ValidateColumns returns an error if k does not accept rows of d columns.
func ValidateColumns(k Kernel, d int) error {
	if v, ok := k.(ColumnValidator); ok {
		return v.ValidateColumns(d)
	}
	return nil
}

// validate returns the first error of Validate and of ValidateColumns.
func validate(k Kernel, d int) error {
	if err := Validate(k); err != nil {
		return err
	}
	return ValidateColumns(k, d)
}

// positive returns an ErrParam error unless v, a field whose zero selects the default, is finite and at least 0.
func positive(typ, field string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 1) {
		return fault.Param("kernels: "+typ, field, v, "a finite value > 0, or 0 for the default")
	}
	return nil
}

func checkLen(x, z []float64) {
	if len(x) != len(z) {
		panic(fmt.Sprintf("kernels: Eval of rows of %d and %d", len(x), len(z)))
	}
}
