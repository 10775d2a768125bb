package kernels

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
)

// Derivatives repeatedly computes matrices of [Differentiable] kernels for the same rows x, and derivatives of functions of these
// matrices. A search over the kernel's parameters needs both. For an objective F of the kernel matrix K, with W[i,j] =
// ∂F/∂K[i,j],
//
//	∂F/∂ ln θ[p] = Σ_ij W[i,j] ∂K[i,j]/∂ ln θ[p]
//
// (C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, section 5.4.1). The distances that
// MatrixTo computes are kept for Gradient, and the memory is reused. The inner products, the squared distances and the Manhattan
// distances of the rows take n²/2 numbers each, if the kernel needs them. Each [ARD], [Columns] and [Periodic] in the kernel needs
// additional memory. Concurrent goroutines must use separate Derivatives.
//
// See also [Differentiable], [AsDifferentiable].
type Derivatives struct {
	rows, columns int
	of            *blocks.Derivatives
	options       Options

	// The following fields belong to the kernel of the last call of MatrixTo.
	kernel Differentiable
	params int
}

// NewDerivatives copies and prepares the rows of x (n×d). If opt is nil, the defaults are used. MaxBytes limits a matrix together
// with the stored distances. It returns the errors of Matrix.
func NewDerivatives(x mat.Matrix, opt *Options) (*Derivatives, error) {
	o, xd, err := prepareOne(x, opt)
	if err != nil {
		return nil, err
	}
	n, columns := xd.Dims()
	return &Derivatives{rows: n, columns: columns, of: blocks.NewDerivatives(mat.DenseCopyOf(xd), o.Workers), options: o}, nil
}

// MatrixTo sets dst, which is n×n or empty, to the matrix of k, which agrees with Matrix up to rounding. After an error the
// contents of dst are undefined, and Gradient returns an error until MatrixTo has succeeded again. Cost and errors are those of
// Matrix and of [AsDifferentiable]. If the distances are already stored, as for isotropic kernels, it costs O(n²).
func (d *Derivatives) MatrixTo(ctx context.Context, dst *mat.SymDense, k Kernel) (err error) {
	defer check.Begin(&ctx)(&err)
	d.kernel = nil
	of, err := AsDifferentiable(k)
	if err != nil {
		return err
	}
	n := d.rows
	if err := ValidateColumns(k, d.columns); err != nil {
		return err
	}
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want %d", n)
	}
	c := compileDerivatives(k)
	if err := checkDerivatives(n, c.Keeps(), d.options.MaxBytes); err != nil {
		return err
	}
	if dst.IsEmpty() {
		dst.ReuseAsSym(n)
	}
	if got := dst.SymmetricDim(); got != n {
		return fault.Shape("dst has", got, "rows", "want %d", n)
	}
	if err := d.of.MatrixTo(ctx, dst, c); err != nil {
		return err
	}
	d.kernel, d.params = of, c.Params()
	return nil
}

func checkDerivatives(n, keeps int, limit int64) error {
	if err := checkBytes(n, n, limit); err != nil {
		return err
	}
	if need := 8 * float64(n) * float64(n) * (1 + float64(keeps)/2); need > float64(limit) {
		return &fault.TooLargeError{
			What: "a kernel matrix and the distances for its derivatives", Bytes: int64(min(need, 1<<62)), Limit: limit,
			Hint: "fit to fewer rows, or raise the limit",
		}
	}
	return nil
}

// Gradient sets dst[p] = Σ_ij w[i,j] ∂K[i,j]/∂ ln θ[p] for the kernel of the last call of MatrixTo, whose p-th parameter is θ[p],
// and for a symmetric w (n×n). dst has an entry for each parameter. For a stationary kernel, the derivative with respect to the
// length of a constant column is exactly 0. The result is the same for any number of workers. It costs O(n²d) in matrix products
// for an ARD of kernels of the distance or the inner product, and d passes over n² elements for Laplacian and Additive.
//
// It returns ErrShape if w has the wrong size, and ErrParam if dst has the wrong length or if MatrixTo was not called before. It
// returns ErrNotFinite for w and for a derivative that overflows, or the error of ctx.
func (d *Derivatives) Gradient(ctx context.Context, dst []float64, w *mat.SymDense) (err error) {
	defer check.Begin(&ctx)(&err)
	if err := d.checkGradient(dst, w); err != nil {
		return err
	}
	if err := d.of.Gradient(ctx, dst, w); err != nil {
		return err
	}
	return d.checkFinite(dst, w)
}

func (d *Derivatives) checkGradient(dst []float64, w *mat.SymDense) error {
	if d.kernel == nil {
		return fault.Param("kernels: Derivatives", "kernel", "none", "a call of MatrixTo before Gradient")
	}
	if len(dst) != d.params {
		return fault.Param("kernels: Derivatives", "len(dst)", len(dst), "one for each parameter of the kernel")
	}
	if w == nil || w.IsEmpty() {
		return fault.Shape("w has", 0, "rows", "want %d", d.rows)
	}
	if got := w.SymmetricDim(); got != d.rows {
		return fault.Shape("w has", got, "rows", "want %d", d.rows)
	}
	return nil
}

// checkFinite returns an error if a derivative is not finite. The error names w or the kernel as the cause.
func (d *Derivatives) checkFinite(dst []float64, w *mat.SymDense) error {
	p := slices.IndexFunc(dst, func(v float64) bool { return v-v != 0 })
	if p < 0 {
		return nil
	}
	if _, err := check.Dense("w", w); err != nil {
		return err
	}
	return &fault.NotFiniteError{Name: "the derivatives of " + d.kernel.String(), Row: p, Col: -1, Value: dst[p]}
}
