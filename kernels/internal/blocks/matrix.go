package blocks

import (
	"context"
	"sync"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Matrix returns the kernel matrix of the rows of x. It is exactly symmetric.
func Matrix(ctx context.Context, c *Compiled, x *mat.Dense, workers int) (*mat.SymDense, error) {
	sides, err := operands(ctx, &c.layout, x, MeanRow(x), workers)
	if err != nil {
		return nil, err
	}
	return c.matrix(ctx, x.RawMatrix().Rows, sides, workers)
}

// matrix computes Matrix from operands with n rows.
func (c *Compiled) matrix(ctx context.Context, n int, sides []*operand, workers int) (*mat.SymDense, error) {
	out := mat.NewSymDense(n, nil)
	if err := c.matrixTo(ctx, out, sides, workers); err != nil {
		return nil, err
	}
	return out, nil
}

// matrixTo sets out to the kernel values for the rows of the operands.
func (c *Compiled) matrixTo(ctx context.Context, out *mat.SymDense, sides []*operand, workers int) error {
	// Only blocks on and above the diagonal are computed. Block t belongs to a triangle whose column c holds blocks (0,c) to (c,c).
	blocks := len(sides) * (len(sides) + 1) / 2
	return parallel.ForEach(ctx, workers, blocks, func(t int) error {
		i, j := triangle(t)
		dst := window(fullMatrix(out), i*Stripe, j*Stripe, sides[i].len(), sides[j].len())
		c.part.block(dst, sides[i], sides[j])
		if i == j {
			c.setDiagonal(dst, sides[i])
		}
		return c.finite(dst, i*Stripe, j*Stripe)
	})
}

// fullMatrix returns the memory of a symmetric matrix.
func fullMatrix(m *mat.SymDense) blas64.General {
	raw := m.RawSymmetric()
	return blas64.General{Rows: raw.N, Cols: raw.N, Stride: raw.Stride, Data: raw.Data}
}

// setDiagonal sets the diagonal of a block to the values of the kernel's diag.
func (c *Compiled) setDiagonal(dst *mat.Dense, x *operand) {
	diag := make([]float64, x.len())
	c.part.diag(diag, x)
	for i, v := range diag {
		dst.Set(i, i, v)
	}
}

// Rows holds N rows of D columns that are prepared for kernel values with each other and with other rows.
type Rows struct {
	N, D   int
	of     *Compiled
	shift  []float64
	side   []*operand
	sparse *operand // used instead of side

	singly  sync.Once
	singles *singles // the rows in float32 after the first SingleTo, or nil if they do not fit into float32
}

// Prepare prepares the rows of z, which it does not copy.
func Prepare(ctx context.Context, c *Compiled, z *mat.Dense, workers int) (_ *Rows, err error) {
	r := &Rows{of: c, shift: MeanRow(z)}
	r.N, r.D = z.Dims()
	r.side, err = operands(ctx, &c.layout, z, r.shift, workers)
	return r, err
}

// BlockTo sets dst[a,b] to the kernel value of rows i+a and j+b, where i and j are multiples of Stripe. If both are the same row,
// the value is that of the kernel's diag.
func (r *Rows) BlockTo(dst *mat.Dense, i, j int) error {
	if r.sparse != nil {
		return r.sparseBlockTo(dst, i, j)
	}
	rows, columns := dst.Dims()
	for a := 0; a < rows; a += Stripe {
		x := r.side[(i+a)/Stripe]
		for b := 0; b < columns; b += Stripe {
			z := r.side[(j+b)/Stripe]
			part := window(dst.RawMatrix(), a, b, x.len(), z.len())
			r.of.part.block(part, x, z)
			if x == z {
				r.of.setDiagonal(part, x)
			}
			if err := r.of.finite(part, i+a, j+b); err != nil {
				return err
			}
		}
	}
	return nil
}

// CrossTo sets dst[i,j] to the kernel value of x[i] and row j.
func (r *Rows) CrossTo(ctx context.Context, dst, x *mat.Dense, workers int) error {
	n, _ := x.Dims()
	return r.of.cross(ctx, dst, func(i int) *operand {
		return newOperand(rowWindow(x, i*Stripe, min(Stripe, n-i*Stripe)), &r.of.layout, r.shift)
	}, r.side, workers)
}

// cross sets out to the kernel values between rows, whose i-th operand is side(i), and the rows of z.
func (c *Compiled) cross(ctx context.Context, out *mat.Dense, side func(i int) *operand, z []*operand, workers int) error {
	n, _ := out.Dims()
	return parallel.ForEach(ctx, workers, (n+Stripe-1)/Stripe, func(i int) error {
		xo := side(i)
		for j, zo := range z {
			if err := ctx.Err(); err != nil {
				return err
			}
			dst := window(out.RawMatrix(), i*Stripe, j*Stripe, xo.len(), zo.len())
			c.part.block(dst, xo, zo)
			if err := c.finite(dst, i*Stripe, j*Stripe); err != nil {
				return err
			}
		}
		return nil
	})
}

// finite returns an error that names the first element of a block that is NaN or infinite.
func (c *Compiled) finite(dst *mat.Dense, i0, j0 int) error {
	r, _ := dst.Dims()
	for i := range r {
		row := dst.RawRowView(i)
		if vecmath.Finite(row) {
			continue
		}
		for j, v := range row {
			if v-v != 0 {
				return &fault.NotFiniteError{Name: c.name.String(), Row: i0 + i, Col: j0 + j, Value: v}
			}
		}
	}
	return nil
}

// triangle returns the row and column of element t of an upper triangle that is counted column by column.
func triangle(t int) (i, j int) {
	for (j+1)*(j+2)/2 <= t {
		j++
	}
	return t - j*(j+1)/2, j
}
