package kernels

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels/internal/blocks"
	"github.com/kernelearn/kernelearn/sparse"
)

// Prepared holds a kernel and rows z for many calls of Cross. It stores values that each call would otherwise compute from z at a
// cost of O(md). It is useful if each call has only a few rows, and is safe for concurrent use.
type Prepared struct {
	z       *blocks.Rows
	options Options
}

// Prepare prepares the rows of z (m×d), and stores about three times their memory. If opt is nil, the defaults are used. It returns
// the errors of Cross.
func Prepare(ctx context.Context, k Kernel, z mat.Matrix, opt *Options) (_ *Prepared, err error) {
	defer check.Begin(&ctx)(&err)
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := Validate(k); err != nil {
		return nil, err
	}
	if c := compile(k); c.IsSparse() && sparse.Is(z) {
		rows, err := sparse.From("z", z)
		if err != nil {
			return nil, err
		}
		return &Prepared{z: blocks.PrepareSparse(c, rows), options: o}, validateWidth(k, rows)
	}
	zd, err := check.Dense("z", z)
	if err != nil {
		return nil, err
	}
	return newPrepared(ctx, k, mat.DenseCopyOf(zd), o)
}

// newPrepared does not copy z.
func newPrepared(ctx context.Context, k Kernel, z *mat.Dense, o Options) (*Prepared, error) {
	if err := ValidateColumns(k, z.RawMatrix().Cols); err != nil {
		return nil, err
	}
	rows, err := blocks.Prepare(ctx, compile(k), z, o.Workers)
	return &Prepared{z: rows, options: o}, err
}

// Cross returns the n×m matrix of k(x[i], z[j]) for the rows of x (n×d). It is bit-identical to the result of the function Cross.
func (p *Prepared) Cross(ctx context.Context, x mat.Matrix) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	out := &mat.Dense{}
	if err := p.CrossTo(ctx, out, x); err != nil {
		return nil, err
	}
	return out, nil
}

// CrossTo is like Cross but writes to dst, which is n×m or empty. An empty dst is resized, in its existing memory if that suffices.
// Therefore any number of blocks of rows needs memory for only one block. After an error the contents of dst are undefined.
func (p *Prepared) CrossTo(ctx context.Context, dst *mat.Dense, x mat.Matrix) (err error) {
	defer check.Begin(&ctx)(&err)
	if p.z.IsSparse() || sparse.Is(x) {
		rows, err := sparse.From("x", x)
		if err != nil {
			return err
		}
		n, d := rows.Dims()
		if err := p.shape(dst, n, d); err != nil {
			return err
		}
		return p.z.SparseTo(ctx, dst, rows, p.options.Workers)
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, d := xd.Dims()
	if err := p.shape(dst, n, d); err != nil {
		return err
	}
	return p.z.CrossTo(ctx, dst, xd, p.options.Workers)
}

// shape checks that x has d columns, and gives dst the shape of the result for n rows.
func (p *Prepared) shape(dst *mat.Dense, n, d int) error {
	if d != p.z.D {
		return fault.ColumnsOf("x", d, p.z.D, "z has %d", p.z.D)
	}
	if err := checkBytes(n, p.z.N, p.options.MaxBytes); err != nil {
		return err
	}
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want %d of %d columns", n, p.z.N)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, p.z.N)
	}
	if r, c := dst.Dims(); r != n || c != p.z.N {
		return fault.Shape("dst has", r, "rows", "want %d of %d columns, dst has %d columns", n, p.z.N, c)
	}
	return nil
}

// BlockRows is the unit of the positions of blocks in [Prepared.BlockTo]: the first row and the first column are multiples of it.
const BlockRows = blocks.Stripe

// BlockTo sets dst[a,b] = k(z[i+a], z[j+b]), a block of the kernel matrix of the prepared rows. Both i and j must be multiples of
// [BlockRows]. So must the numbers of rows and columns of dst, unless they end with the last row of z. A block on the diagonal is
// symmetric up to rounding, and its diagonal is that of the kernel. BlockTo computes on the goroutine of the caller. It returns
// ErrShape for any other position or size of dst, and ErrNotFinite if a kernel value overflows.
func (p *Prepared) BlockTo(dst *mat.Dense, i, j int) (err error) {
	defer fault.Recover(&err)
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want at least 1")
	}
	rows, columns := dst.Dims()
	if err := p.checkBlock(rows, columns, i, j); err != nil {
		return err
	}
	return p.z.BlockTo(dst, i, j)
}

func (p *Prepared) checkBlock(rows, columns, i, j int) error {
	for _, side := range [][2]int{{i, rows}, {j, columns}} {
		first, count := side[0], side[1]
		if first < 0 || first%BlockRows != 0 || count <= 0 || first+count > p.z.N ||
			count%BlockRows != 0 && first+count != p.z.N {
			return fault.Shape("the block has", count, "rows or columns", "want blocks of %d of the %d rows, this one begins at %d",
				BlockRows, p.z.N, first)
		}
	}
	return nil
}

// HasSingle reports whether [Prepared.SingleTo] supports the kernel and the rows. The first call rounds the rows to float32 and
// stores them.
func (p *Prepared) HasSingle() (_ bool, err error) {
	defer fault.Recover(&err)
	return p.z.InSingle(), nil
}

// SingleTo is like [Prepared.BlockTo], but computes in float32. The block is stored row by row. SingleTo is about four times as
// fast. The rows minus their mean, divided by lengths, are first rounded to float32, which causes a relative error of at most 6e-8
// in each number. For the rounded rows an RBF, a Matern or a Laplacian has an absolute error of about 1e-7 at most. These kernels
// are supported with or without lengths and categories, and so are their sums, products and multiples, if the processor has vector
// instructions. For other kernels, and if the rows, the parameters or a value overflow float32, SingleTo returns false, and the
// contents of dst are undefined. A value that also overflows in float64 is an error of BlockTo. SingleTo returns ErrShape as
// BlockTo does.
func (p *Prepared) SingleTo(dst []float32, rows, columns, i, j int) (ok bool, err error) {
	defer fault.Recover(&err)
	if err := p.checkBlock(rows, columns, i, j); err != nil {
		return false, err
	}
	if len(dst) != rows*columns {
		return false, fault.Shape("the block has", len(dst), "numbers", "want %d×%d", rows, columns)
	}
	return p.z.SingleTo(dst, rows, columns, i, j), nil
}
