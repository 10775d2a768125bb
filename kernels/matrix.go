package kernels

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/sparse"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// MaxKernelBytes is the default limit on a kernel matrix: 8 GiB, a square one of
// 32768 rows.
const MaxKernelBytes = check.MaxBytes

// Options says how Matrix and Cross compute. Nil means the zero value.
type Options struct {
	// Workers is the number of goroutines. If it is 0, it is GOMAXPROCS.
	Workers int

	// MaxBytes is the limit on the size of the result. If it is 0, it is [MaxKernelBytes].
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

// stripe is the number of rows of a block. It is a constant because the last
// bits of a product depend on how it is cut, and the result must not depend on
// the machine. 128 × 128 values stay in the second-level cache from the product
// to the pass over its elements.
const stripe = 128

// Matrix returns the n×n kernel matrix of the rows of x (n×d).
//
// It is exactly symmetric; the diagonal is the kernel's own (exactly 1 for RBF and Normalized). The cost is
// O(n²d/2) multiplications in matrix products and n²/2 passes of the kernel's element function; memory n² float64
// and nothing else of that order. Rows that are mostly 0 cost less: see Sparse rows in the package's documentation.
// Errors: ErrShape and ErrNotFinite for x (and for a kernel whose value overflows), ErrParam for the kernel's
// parameters, ErrTooLarge over opt.MaxBytes, and ctx's.
func Matrix(ctx context.Context, k Kernel, x mat.Matrix, opt *Options) (_ *mat.SymDense, err error) {
	defer check.Begin(&ctx)(&err)
	if err := Validate(k); err != nil {
		return nil, err
	}
	if p, ok := compileSparse(k); ok && sparse.Is(x) {
		return sparseMatrix(ctx, k, p, x, opt)
	}
	o, xd, err := prepareOne(x, opt)
	if err != nil {
		return nil, err
	}
	if err := ValidateColumns(k, xd.RawMatrix().Cols); err != nil {
		return nil, err
	}
	p := compile(k)
	sides, err := operands(ctx, &p.layout, xd, meanRow(xd), o.Workers)
	if err != nil {
		return nil, err
	}
	return matrix(ctx, k, p, xd, sides, o)
}

// matrix is Matrix from operands.
func matrix(ctx context.Context, k Kernel, p blockKernel, xd *mat.Dense, sides []*operand, o Options) (*mat.SymDense, error) {
	n, _ := xd.Dims()
	out := mat.NewSymDense(n, nil)
	if err := matrixTo(ctx, out, k, p, xd, sides, o); err != nil {
		return nil, err
	}
	return out, nil
}

// matrixTo is matrix into memory that is there.
func matrixTo(ctx context.Context, out *mat.SymDense, k Kernel, p blockKernel, xd *mat.Dense, sides []*operand, o Options) error {
	n := out.SymmetricDim()
	raw := out.RawSymmetric()
	general := blas64.General{Rows: n, Cols: n, Stride: raw.Stride, Data: raw.Data}
	diag := make([]float64, n)
	p.diag(diag, xd)

	// Only blocks on and above the diagonal are computed: block t of a triangle
	// whose column c holds blocks (0,c) to (c,c).
	blocks := len(sides) * (len(sides) + 1) / 2
	return parallel.ForEach(ctx, o.Workers, blocks, func(t int) error {
		i, j := triangle(t)
		dst := window(general, i*stripe, j*stripe, sides[i].len(), sides[j].len())
		p.block(dst, sides[i], sides[j])
		if i == j {
			for r := range sides[i].len() {
				dst.Set(r, r, diag[i*stripe+r])
			}
		}
		return finite(k, dst, i*stripe, j*stripe)
	})
}

// Cross returns the n×m matrix of k(x[i], z[j]) for the rows of x (n×d) and of z
// (m×d). Cost, errors and determinism are those of Matrix, without its halving
// by symmetry.
func Cross(ctx context.Context, k Kernel, x, z mat.Matrix, opt *Options) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	if err := Validate(k); err != nil {
		return nil, err
	}
	if sparse.Is(x) || sparse.Is(z) {
		return sparseCross(ctx, k, x, z, opt)
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
	out := mat.NewDense(n, p.rows, nil)
	if err := p.cross(ctx, out, xd); err != nil {
		return nil, err
	}
	return out, nil
}

// prepareOne checks the rows of a square matrix.
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

// prepareTwo checks the rows of a matrix of pairs.
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
	// In floating point, because the product of two hostile counts may overflow.
	if need := 8 * float64(n) * float64(m); need > float64(limit) {
		return &fault.TooLargeError{
			What: fmt.Sprintf("a kernel matrix of %d×%d", n, m), Bytes: int64(min(need, 1<<62)), Limit: limit,
			Hint: "package falkon and featuremap.Nystroem take landmarks in place of all rows; or raise the limit",
		}
	}
	return nil
}

func operands(ctx context.Context, l *layout, x *mat.Dense, shift []float64, workers int) ([]*operand, error) {
	rows, _ := x.Dims()
	out := make([]*operand, (rows+stripe-1)/stripe)
	err := parallel.ForEach(progress.Detach(ctx), workers, len(out), func(i int) error { // little beside what they are for
		out[i] = newOperand(rowWindow(x, i*stripe, min(stripe, rows-i*stripe)), l, shift)
		return nil
	})
	return out, err
}

func (o *operand) len() int {
	if o.sparse != nil {
		return o.sparse.rows.N
	}
	r, _ := o.rows.Dims()
	return r
}

func rowWindow(x *mat.Dense, i, r int) *mat.Dense {
	_, c := x.Dims()
	return window(x.RawMatrix(), i, 0, r, c)
}

// window returns r×c elements of m from (i, j) as a matrix that shares them.
func window(m blas64.General, i, j, r, c int) *mat.Dense {
	var out mat.Dense
	out.SetRawMatrix(blas64.General{
		Rows: r, Cols: c, Stride: m.Stride,
		Data: m.Data[i*m.Stride+j : (i+r-1)*m.Stride+j+c],
	})
	return &out
}

// finite returns an error that names the first element of a block that is NaN or
// infinite.
func finite(k Kernel, dst *mat.Dense, i0, j0 int) error {
	r, _ := dst.Dims()
	for i := range r {
		row := dst.RawRowView(i)
		if vecmath.Finite(row) {
			continue
		}
		for j, v := range row {
			if v-v != 0 {
				return &fault.NotFiniteError{Name: k.String(), Row: i0 + i, Col: j0 + j, Value: v}
			}
		}
	}
	return nil
}

// triangle returns the row and column of element t of an upper triangle counted
// column by column.
func triangle(t int) (i, j int) {
	for (j+1)*(j+2)/2 <= t {
		j++
	}
	return t - j*(j+1)/2, j
}
