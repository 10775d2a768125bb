package kernels

import (
	"context"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/sparse"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// sparsely is a part that may take no more of rows than their inner products, squared distances and squared norms.
type sparsely interface {
	blockKernel
	// sparse reports whether it does, and what is within it.
	sparse() bool
	// diagOf sets dst to the kernel of rows with themselves, of these squared norms.
	diagOf(dst, squared []float64)
}

func (radial) sparse() bool       { return true }
func (dotProduct) sparse() bool   { return true }
func (ELM) sparse() bool          { return true }
func (s scaled) sparse() bool     { return isSparse(s.inner) }
func (k normalized) sparse() bool { return isSparse(k.inner) }

func (f fold) sparse() bool {
	for _, p := range f.inner {
		if !isSparse(p) {
			return false
		}
	}
	return true
}

func isSparse(p blockKernel) bool {
	s, ok := p.(sparsely)
	return ok && s.sparse()
}

func (k radial) diagOf(dst, _ []float64)           { k.diag(dst, nil) }
func (k dotProduct) diagOf(dst, squared []float64) { k.OfDotProducts(dst, squared) }

func (k ELM) diagOf(dst, squared []float64) {
	for i, s := range squared {
		r := k.root(s)
		dst[i] = k.value(s, r, r)
	}
}

func (s scaled) diagOf(dst, squared []float64) {
	s.inner.(sparsely).diagOf(dst, squared)
	floats.Scale(s.factor, dst)
}

func (k normalized) diagOf(dst, squared []float64) {
	k.inner.(sparsely).diagOf(dst, squared)
	unit(dst)
}

func (f fold) diagOf(dst, squared []float64) {
	f.fold(dst, func(p blockKernel, next []float64) { p.(sparsely).diagOf(next, squared) })
}

// diagOf is the diagonal of a part on the rows of an operand.
func diagOf(p blockKernel, dst []float64, o *operand) {
	if o.sparse != nil {
		p.(sparsely).diagOf(dst, o.sq)
		return
	}
	p.diag(dst, o.rows)
}

// compileSparse compiles a kernel that takes sparse rows; ok is false for others.
func compileSparse(k Kernel) (*compiled, bool) {
	p := compile(k)
	return p, isSparse(p.blockKernel)
}

// sparseSide is an operand of rows that are mostly 0.
type sparseSide struct {
	rows    *sparse.Rows
	columns *sparse.Columns // of the second operand
}

// sparseStripe rows are taken at a time against all others.
const sparseStripe = 32

// sparseOperand is rows from one to before another.
func sparseOperand(rows *sparse.Rows, squared []float64, from, to int, columns *sparse.Columns) *operand {
	o := &operand{sparse: &sparseSide{rows: rows.Slice(from, to)}, sq: squared[from:to]}
	if columns != nil {
		o.sparse.columns = columns.Tail(from)
	}
	return o
}

// sparseProducts sets dst[i,j] = <x[i], z[j]>: the products of the entries of one column, by ascending columns, so that
// they are the same in either order and whatever the other rows are.
func sparseProducts(dst *mat.Dense, x, z *operand) {
	for i := range x.len() {
		columns, values := x.sparse.rows.Row(i)
		z.sparse.columns.Products(dst.RawRowView(i), columns, values)
	}
}

// sparseSquaredDistances sets dst[i,j] = |x[i]-z[j]|², as computeSquaredDistances. Nothing is moved, since less a
// mean rows are sparse no more: where norms exceed a distance, it is taken from the differences.
func sparseSquaredDistances(dst *mat.Dense, x, z *operand) {
	sparseProducts(dst, x, z)
	for i, sx := range x.sq {
		di := dst.RawRowView(i)
		floats.Scale(-2, di)
		if vecmath.AddNorms(di, sx, z.sq, cancellation) {
			continue
		}
		for j, sz := range z.sq {
			if !(di[j] > cancellation*(sx+sz)) {
				di[j] = x.sparse.rows.SquaredDistance(i, z.sparse.rows, j)
			}
		}
	}
}

// sparseMatrix is Matrix of sparse rows.
func sparseMatrix(ctx context.Context, k Kernel, p *compiled, x mat.Matrix, opt *Options) (*mat.SymDense, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	if err := checkBytes(n, n, o.MaxBytes); err != nil {
		return nil, err
	}
	rows, err := sparse.NewRows("x", x)
	if err != nil {
		return nil, err
	}
	if err := ValidateColumns(k, rows.D); err != nil {
		return nil, err
	}
	squared, columns := rows.SquaredNorms(), rows.ByColumns()
	out, diag := mat.NewSymDense(n, nil), make([]float64, n)
	p.blockKernel.(sparsely).diagOf(diag, squared)
	raw := out.RawSymmetric()
	general := blas64.General{Rows: n, Cols: n, Stride: raw.Stride, Data: raw.Data}
	err = parallel.ForEach(ctx, o.Workers, (n+sparseStripe-1)/sparseStripe, func(s int) error {
		first := s * sparseStripe
		r := min(sparseStripe, n-first)
		dst := window(general, first, first, r, n-first)
		p.block(dst, sparseOperand(rows, squared, first, first+r, nil), sparseOperand(rows, squared, first, n, columns))
		for i := range r {
			dst.Set(i, i, diag[first+i])
		}
		return finite(k, dst, first, first)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// prepareSparse is Prepare of sparse rows.
func prepareSparse(k Kernel, part *compiled, z mat.Matrix, o Options) (*Prepared, error) {
	rows, err := sparse.NewRows("z", z)
	if err != nil {
		return nil, err
	}
	if err := ValidateColumns(k, rows.D); err != nil {
		return nil, err
	}
	return &Prepared{
		kernel: k, part: part, rows: rows.N, d: rows.D, options: o,
		sparse: sparseOperand(rows, rows.SquaredNorms(), 0, rows.N, rows.ByColumns()),
	}, nil
}

// sparseCross is Cross where one side or both are sparse.
func sparseCross(ctx context.Context, k Kernel, x, z mat.Matrix, opt *Options) (*mat.Dense, error) {
	p, err := Prepare(ctx, k, z, opt)
	if err != nil {
		return nil, err
	}
	return p.Cross(ctx, x)
}

// sparseTo is CrossTo where one side or both are sparse.
func (p *Prepared) sparseTo(ctx context.Context, dst *mat.Dense, x mat.Matrix) error {
	rows, err := sparse.NewRows("x", x)
	if err != nil {
		return err
	}
	if err := p.shape(dst, rows.N, rows.D); err != nil {
		return err
	}
	if p.sparse == nil { // a stripe at a time as dense rows
		return cross(ctx, p.kernel, p.part, dst, func(i int) *operand {
			return newOperand(rows.Slice(i*stripe, min((i+1)*stripe, rows.N)).Dense(), &p.part.layout, p.shift)
		}, p.z, p.options)
	}
	squared := rows.SquaredNorms()
	return parallel.ForEach(ctx, p.options.Workers, (rows.N+sparseStripe-1)/sparseStripe, func(s int) error {
		first := s * sparseStripe
		r := min(sparseStripe, rows.N-first)
		part := window(dst.RawMatrix(), first, 0, r, p.rows)
		p.part.block(part, sparseOperand(rows, squared, first, first+r, nil), p.sparse)
		return finite(p.kernel, part, first, 0)
	})
}
