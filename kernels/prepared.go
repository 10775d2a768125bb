package kernels

import (
	"context"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/check"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/sparse"
)

// Prepared is a kernel and rows z that many calls of Cross share: what each would
// otherwise compute of z again, O(md), is kept. It pays where each call has a few rows.
// It is safe for concurrent use.
type Prepared struct {
	kernel  Kernel
	part    *compiled
	rows, d int
	shift   []float64
	z       []*operand
	sparse  *operand // in the place of z
	options Options
}

// Prepare keeps what Cross needs of the rows of z (m×d), about three times their
// memory. Nil opt means the defaults. Errors are those of Cross.
func Prepare(ctx context.Context, k Kernel, z mat.Matrix, opt *Options) (_ *Prepared, err error) {
	defer check.Begin(&ctx)(&err)
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := Validate(k); err != nil {
		return nil, err
	}
	if p, ok := compileSparse(k); ok && sparse.Is(z) {
		return prepareSparse(k, p, z, o)
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
	p := &Prepared{kernel: k, part: compile(k), shift: meanRow(z), options: o}
	p.rows, p.d = z.Dims()
	var err error
	p.z, err = operands(ctx, &p.part.layout, z, p.shift, o.Workers)
	return p, err
}

// Cross returns the n×m matrix of k(x[i], z[j]) for the rows of x (n×d): the very
// numbers that the function Cross gives.
func (p *Prepared) Cross(ctx context.Context, x mat.Matrix) (_ *mat.Dense, err error) {
	defer check.Begin(&ctx)(&err)
	out := &mat.Dense{}
	if err := p.CrossTo(ctx, out, x); err != nil {
		return nil, err
	}
	return out, nil
}

// CrossTo is Cross into dst, which is n×m or empty: then it takes that shape, in the memory
// it has where that is enough. Block after block of rows then needs memory for one.
// After an error dst holds nothing of use.
func (p *Prepared) CrossTo(ctx context.Context, dst *mat.Dense, x mat.Matrix) (err error) {
	defer check.Begin(&ctx)(&err)
	if p.sparse != nil || sparse.Is(x) {
		return p.sparseTo(ctx, dst, x)
	}
	xd, err := check.Dense("x", x)
	if err != nil {
		return err
	}
	n, d := xd.Dims()
	if err := p.shape(dst, n, d); err != nil {
		return err
	}
	return p.cross(ctx, dst, xd)
}

// shape checks n rows of d columns, and takes dst to the shape of the result.
func (p *Prepared) shape(dst *mat.Dense, n, d int) error {
	if d != p.d {
		return fault.ColumnsOf("x", d, p.d, "z has %d", p.d)
	}
	if err := checkBytes(n, p.rows, p.options.MaxBytes); err != nil {
		return err
	}
	if dst == nil {
		return fault.Shape("dst is nil: it has", 0, "rows", "want %d of %d columns", n, p.rows)
	}
	if dst.IsEmpty() {
		dst.ReuseAs(n, p.rows)
	}
	if r, c := dst.Dims(); r != n || c != p.rows {
		return fault.Shape("dst has", r, "rows", "want %d of %d columns, dst has %d columns", n, p.rows, c)
	}
	return nil
}

func (p *Prepared) cross(ctx context.Context, dst, x *mat.Dense) error {
	n, _ := x.Dims()
	return cross(ctx, p.kernel, p.part, dst, func(i int) *operand {
		return newOperand(rowWindow(x, i*stripe, min(stripe, n-i*stripe)), &p.part.layout, p.shift)
	}, p.z, p.options)
}

// cross sets out to a kernel's values on rows, whose i-th operand side gives, against the
// rows of z.
func cross(ctx context.Context, k Kernel, p blockKernel, out *mat.Dense, side func(i int) *operand, z []*operand, o Options) error {
	n, _ := out.Dims()
	return parallel.ForEach(ctx, o.Workers, (n+stripe-1)/stripe, func(i int) error {
		xo := side(i)
		for j, zo := range z {
			if err := ctx.Err(); err != nil {
				return err
			}
			dst := window(out.RawMatrix(), i*stripe, j*stripe, xo.len(), zo.len())
			p.block(dst, xo, zo)
			if err := finite(k, dst, i*stripe, j*stripe); err != nil {
				return err
			}
		}
		return nil
	})
}
