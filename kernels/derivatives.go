package kernels

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

// Derivatives computes matrices of [Differentiable] kernels on the same rows x, and derivatives of functions of these
// matrices. An optimiser of the kernel's parameters needs both again and again. For an objective F of the kernel
// matrix K, with W[i,j] = ∂F/∂K[i,j],
//
//	∂F/∂ ln θ[p] = Σ_ij W[i,j] ∂K[i,j]/∂ ln θ[p]
//
// (C. E. Rasmussen and C. K. I. Williams, Gaussian Processes for Machine Learning, 2006, section 5.4.1). The
// distances that MatrixTo computes are kept for Gradient, and the memory is kept from call to call. It is n²/2
// numbers each for the inner products, the squared distances and the Manhattan distances of the rows, as far as the
// kernel needs them. Each [ARD], [Columns] and [Periodic] in the kernel has its own. Goroutines that compute at the
// same time need a Derivatives each.
//
// See also [Differentiable], [AsDifferentiable].
type Derivatives struct {
	x       *mat.Dense
	shift   []float64
	options Options

	// The rows as they are, whose distances hold for all kernels, and what they have.
	rows []*operand
	have need
	kept *pairs

	// Of the last kernel.
	kernel   Differentiable
	compiled *compiled
	sides    []*operand

	// The memory of its views' distances.
	memory []*pairs
}

// NewDerivatives prepares the rows of x (n×d), which it copies. Nil opt means the defaults;
// MaxBytes limits a matrix together with the distances that are kept. Errors: those of Matrix.
func NewDerivatives(x mat.Matrix, opt *Options) (*Derivatives, error) {
	o, xd, err := prepareOne(x, opt)
	if err != nil {
		return nil, err
	}
	blocks := (xd.RawMatrix().Rows + stripe - 1) / stripe
	return &Derivatives{x: mat.DenseCopyOf(xd), shift: exactMean(xd), options: o, kept: newPairs(blocks, blocks)}, nil
}

// exactMean is meanRow, but of a column of equal values that value: less the mean such a column
// is exactly 0, and so are its derivatives.
func exactMean(x *mat.Dense) []float64 {
	differences := mat.DenseCopyOf(x)
	n, _ := x.Dims()
	first := x.RawRowView(0)
	for i := range n {
		for j, v := range first {
			differences.RawRowView(i)[j] -= v
		}
	}
	mean := meanRow(differences)
	for j, v := range first {
		mean[j] += v
	}
	return mean
}

// MatrixTo sets dst, which is n×n or empty, to the matrix of k, which agrees with Matrix's to rounding. After an
// error dst holds nothing of use, and Gradient has no kernel. Cost and errors are those of Matrix and of
// [AsDifferentiable]; for k of distances that were computed before, as an isotropic kernel's are, O(n²).
func (d *Derivatives) MatrixTo(ctx context.Context, dst *mat.SymDense, k Kernel) (err error) {
	defer check.Begin(&ctx)(&err)
	d.kernel, d.sides = nil, nil
	of, err := AsDifferentiable(k)
	if err != nil {
		return err
	}
	n, columns := d.x.Dims()
	if err := ValidateColumns(k, columns); err != nil {
		return err
	}
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want %d", n)
	}
	p := compileDerivatives(k)
	if err := checkDerivatives(n, p.layout.keeps(), d.options.MaxBytes); err != nil {
		return err
	}
	if dst.IsEmpty() {
		dst.ReuseAsSym(n)
	}
	if got := dst.SymmetricDim(); got != n {
		return fault.Shape("dst has", got, "rows", "want %d", n)
	}
	sides, err := d.prepare(ctx, &p.layout)
	if err != nil {
		return err
	}
	if err := matrixTo(ctx, dst, k, p, d.x, sides, d.options); err != nil {
		return err
	}
	d.kernel, d.compiled, d.sides = of, p, sides
	return nil
}

// prepare returns the operands of a kernel's layout.
func (d *Derivatives) prepare(ctx context.Context, l *layout) ([]*operand, error) {
	if d.rows == nil || l.need&^d.have != 0 {
		have := l.need | d.have
		rows, err := operands(ctx, &layout{need: have}, d.x, d.shift, d.options.Workers)
		if err != nil {
			return nil, err
		}
		enter(rows, d.kept)
		d.rows, d.have = rows, have
	}
	if len(l.views) == 0 {
		return d.rows, nil
	}
	sides, err := withViews(ctx, d.rows, l, d.options.Workers)
	if err != nil {
		return nil, err
	}
	for len(d.memory) < l.viewCount() {
		d.memory = append(d.memory, newPairs(len(sides), len(sides)))
	}
	enterViews(sides, d.memory)
	return sides, nil
}

// enterViews tells the views of a side where their pairs are kept, in memory that was in use
// for those of others. It returns the memory that is left.
func enterViews(side []*operand, memory []*pairs) []*pairs {
	for v := range side[0].views {
		views := make([]*operand, len(side))
		for i, o := range side {
			views[i] = o.views[v]
		}
		memory[0].forget()
		enter(views, memory[0])
		memory = enterViews(views, memory[1:])
	}
	return memory
}

func checkDerivatives(n, keeps int, limit int64) error {
	if err := checkBytes(n, n, limit); err != nil {
		return err
	}
	if need := 8 * float64(n) * float64(n) * (1 + float64(keeps)/2); need > float64(limit) {
		return &fault.TooLargeError{
			What: "a kernel matrix and the distances that its derivatives are made of", Bytes: int64(min(need, 1<<62)), Limit: limit,
			Hint: "learn on fewer rows, or raise the limit",
		}
	}
	return nil
}

// Gradient sets dst[p] = Σ_ij w[i,j] ∂K[i,j]/∂ ln θ[p] of the last kernel of MatrixTo, whose p-th parameter is
// θ[p], for a symmetric w (n×n); dst has an entry for each parameter. The derivative in the length of a column of
// equal values is exactly 0 in a stationary kernel. The result is the same on any number of workers. The cost is
// O(n²d) in matrix products for an ARD of kernels of the distance or the inner product, where d passes over n²
// elements are what Laplacian and Additive take. Errors: ErrShape for w, ErrParam for a dst of other length and
// before MatrixTo, ErrNotFinite for w and for a derivative that overflows, and ctx's.
func (d *Derivatives) Gradient(ctx context.Context, dst []float64, w *mat.SymDense) (err error) {
	defer check.Begin(&ctx)(&err)
	if err := d.checkGradient(dst, w); err != nil {
		return err
	}
	raw := w.RawSymmetric()
	whole := blas64.General{Rows: raw.N, Cols: raw.N, Stride: raw.Stride, Data: raw.Data}
	// A sum for each pair of blocks, added in their order.
	sums := mat.NewDense(len(d.sides)*(len(d.sides)+1)/2, max(len(dst), 1), nil)
	n, _ := sums.Dims()
	err = parallel.ForEach(ctx, d.options.Workers, n, func(t int) error {
		i, j := triangle(t)
		x, z := d.sides[i], d.sides[j]
		block := borrow(window(whole, i*stripe, j*stripe, x.len(), z.len()))
		defer block.free()
		for r := range x.len() {
			row := block.RawRowView(r)
			for c, v := range raw.Data[(i*stripe+r)*raw.Stride+j*stripe:][:len(row)] {
				row[c] = 2 * v // for the pair and its mirror image
			}
			if i == j {
				clear(row[:r])
				row[r] /= 2
			}
		}
		addGradient(d.compiled.blockKernel, sums.RawRowView(t)[:len(dst)], block.Dense, x, z)
		return nil
	})
	if err != nil {
		return err
	}
	clear(dst)
	for t := range n {
		for p := range dst {
			dst[p] += sums.At(t, p)
		}
	}
	return d.checkFinite(dst, w)
}

func (d *Derivatives) checkGradient(dst []float64, w *mat.SymDense) error {
	if d.kernel == nil {
		return fault.Param("kernels: Derivatives", "kernel", "none", "one of MatrixTo, before Gradient")
	}
	if want := paramCount(d.compiled.blockKernel); len(dst) != want {
		return fault.Param("kernels: Derivatives", "len(dst)", len(dst), "one for each parameter of the kernel")
	}
	n, _ := d.x.Dims()
	if w == nil || w.IsEmpty() {
		return fault.Shape("w has", 0, "rows", "want %d", n)
	}
	if got := w.SymmetricDim(); got != n {
		return fault.Shape("w has", got, "rows", "want %d", n)
	}
	return nil
}

// checkFinite says whether it is w or the kernel that made a derivative not finite.
func (d *Derivatives) checkFinite(dst []float64, w *mat.SymDense) error {
	p := firstNotFinite(dst)
	if p < 0 {
		return nil
	}
	if _, err := check.Dense("w", w); err != nil {
		return err
	}
	return &fault.NotFiniteError{Name: "the derivatives of " + d.kernel.String(), Row: p, Col: -1, Value: dst[p]}
}
