package kernels

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
	"github.com/kernelearn/kernelearn/sparse"
)

// MaxKernelBytes is the default limit on the size of a kernel matrix. It is 8 GiB, a square matrix of 32768 rows.
const MaxKernelBytes = check.MaxBytes

// Options holds the settings of Matrix and Cross. Nil means the zero value.
type Options struct {
	// Workers is the number of goroutines. If it is 0, GOMAXPROCS is used.
	Workers int

	// MaxBytes is the limit on the size of the result. If it is 0, [MaxKernelBytes] is used.
	MaxBytes int64
}

func (o *Options) withDefaults() (Options, error) {
	var out Options
	if o != nil {
		out = *o
	}
	if out.MaxBytes < 0 {
		return out, fault.Param("kernels: Options", "MaxBytes", out.MaxBytes, ">= 0")
	}
	if out.MaxBytes == 0 {
		out.MaxBytes = MaxKernelBytes
	}
	return out, nil
}

// Matrix returns the n×n kernel matrix of the rows of x (n×d).
//
// It is exactly symmetric, and its diagonal is that of the kernel (exactly 1 for RBF and Normalized). It costs O(n²d/2)
// multiplications in matrix products and n²/2 evaluations of the kernel's element function. The result takes n² float64, and all
// other memory is of lower order. Sparse rows cost less: see the section Sparse rows of the package documentation.
//
// It returns ErrShape or ErrNotFinite for x, ErrNotFinite if a kernel value overflows, ErrParam for the kernel's parameters,
// ErrTooLarge above opt.MaxBytes, or the error of ctx.
func Matrix(ctx context.Context, k Kernel, x mat.Matrix, opt *Options) (_ *mat.SymDense, err error) {
	defer check.Begin(&ctx)(&err)
	if err := Validate(k); err != nil {
		return nil, err
	}
	c := compile(k)
	if c.IsSparse() && sparse.Is(x) {
		return sparseMatrix(ctx, k, c, x, opt)
	}
	o, xd, err := prepareOne(x, opt)
	if err != nil {
		return nil, err
	}
	if err := ValidateColumns(k, xd.RawMatrix().Cols); err != nil {
		return nil, err
	}
	return blocks.Matrix(ctx, c, xd, o.Workers)
}

// sparseMatrix is Matrix for sparse rows.
func sparseMatrix(ctx context.Context, k Kernel, c *blocks.Compiled, x mat.Matrix, opt *Options) (*mat.SymDense, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	n, _ := x.Dims()
	if err := checkBytes(n, n, o.MaxBytes); err != nil {
		return nil, err
	}
	rows, err := sparse.From("x", x)
	if err != nil {
		return nil, err
	}
	if err := validateWidth(k, rows); err != nil {
		return nil, err
	}
	return blocks.SparseMatrix(ctx, c, rows, o.Workers)
}

// Cross returns the n×m matrix of k(x[i], z[j]) for the rows of x (n×d) and of z (m×d). Errors, determinism and cost are those of
// Matrix, except that no symmetry halves the cost.
func Cross(ctx context.Context, k Kernel, x, z mat.Matrix, opt *Options) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	if err := Validate(k); err != nil {
		return nil, err
	}
	if sparse.Is(x) || sparse.Is(z) {
		p, err := Prepare(ctx, k, z, opt)
		if err != nil {
			return nil, err
		}
		return p.Cross(ctx, x)
	}
	o, xd, zd, err := prepareTwo(x, z, opt)
	if err != nil {
		return nil, err
	}
	p, err := newPrepared(ctx, k, zd, o)
	if err != nil {
		return nil, err
	}
	n, _ := xd.Dims()
	out := mat.NewDense(n, p.z.N, nil)
	if err := p.z.CrossTo(ctx, out, xd, o.Workers); err != nil {
		return nil, err
	}
	return out, nil
}

// prepareOne checks the rows for a square matrix.
func prepareOne(x mat.Matrix, opt *Options) (Options, *mat.Dense, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return o, nil, err
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return o, nil, err
	}
	n, _ := xd.Dims()
	return o, xd, checkBytes(n, n, o.MaxBytes)
}

// prepareTwo checks the rows for a matrix of pairs.
func prepareTwo(x, z mat.Matrix, opt *Options) (o Options, xd, zd *mat.Dense, err error) {
	if o, err = opt.withDefaults(); err != nil {
		return o, nil, nil, err
	}
	if xd, err = check.Dense("x", x); err != nil {
		return o, nil, nil, err
	}
	if zd, err = check.Dense("z", z); err != nil {
		return o, nil, nil, err
	}
	n, d := xd.Dims()
	m, dz := zd.Dims()
	if d != dz {
		return o, nil, nil, fault.ColumnsOf("x", d, dz, "z has %d", dz)
	}
	return o, xd, zd, checkBytes(n, m, o.MaxBytes)
}

func checkBytes(n, m int, limit int64) error {
	// This is computed in floating point because the product of two hostile counts may overflow.
	if need := 8 * float64(n) * float64(m); need > float64(limit) {
		return &fault.TooLargeError{
			What: fmt.Sprintf("a kernel matrix of %d×%d", n, m), Bytes: int64(min(need, 1<<62)), Limit: limit,
			Hint: "use package falkon or featuremap.Nystroem, which work on landmarks, or raise the limit",
		}
	}
	return nil
}

// validateWidth calls ValidateColumns with the number of columns of the rows.
func validateWidth(k Kernel, rows mat.Matrix) error {
	_, d := rows.Dims()
	return ValidateColumns(k, d)
}
