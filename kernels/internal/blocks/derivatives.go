package blocks

import (
	"context"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/parallel"
)

// Derivatives computes matrices of kernels for the same rows, and sums of their derivatives. Memory and the distances of the pairs
// are reused for the next kernel.
type Derivatives struct {
	x       *mat.Dense
	shift   []float64
	workers int

	// The unchanged rows, with the distances that are stored. These are valid for all kernels.
	rows []*operand
	have need
	kept *pairs

	// The following fields belong to the last kernel.
	compiled *Compiled
	sides    []*operand

	// Memory for the distances of the kernel's views.
	memory []*pairs
}

// NewDerivatives prepares the rows of x, which it keeps.
func NewDerivatives(x *mat.Dense, workers int) *Derivatives {
	blocks := (x.RawMatrix().Rows + Stripe - 1) / Stripe
	return &Derivatives{x: x, shift: exactMean(x), workers: workers, kept: newPairs(blocks, blocks)}
}

// exactMean is like MeanRow, except that it returns the value itself for a constant column. Such a column minus its mean
// is then exactly 0, and so are its derivatives.
func exactMean(x *mat.Dense) []float64 {
	differences := mat.DenseCopyOf(x)
	n, _ := x.Dims()
	first := x.RawRowView(0)
	for i := range n {
		for j, v := range first {
			differences.RawRowView(i)[j] -= v
		}
	}
	mean := MeanRow(differences)
	for j, v := range first {
		mean[j] += v
	}
	return mean
}

// MatrixTo sets dst to the matrix of a kernel that was compiled with its derivatives.
func (d *Derivatives) MatrixTo(ctx context.Context, dst *mat.SymDense, c *Compiled) error {
	sides, err := d.prepare(ctx, &c.layout)
	if err != nil {
		return err
	}
	d.compiled, d.sides = c, sides
	return c.matrixTo(ctx, dst, sides, d.workers)
}

// prepare returns the operands for a kernel's layout.
func (d *Derivatives) prepare(ctx context.Context, l *Layout) ([]*operand, error) {
	if d.rows == nil || l.need&^d.have != 0 {
		have := l.need | d.have
		rows, err := operands(ctx, &Layout{need: have}, d.x, d.shift, d.workers)
		if err != nil {
			return nil, err
		}
		enter(rows, d.kept)
		d.rows, d.have = rows, have
	}
	if len(l.views) == 0 {
		return d.rows, nil
	}
	sides, err := withViews(ctx, d.rows, l, d.workers)
	if err != nil {
		return nil, err
	}
	for len(d.memory) < l.viewCount() {
		d.memory = append(d.memory, newPairs(len(sides), len(sides)))
	}
	enterViews(sides, d.memory)
	return sides, nil
}

// enterViews assigns memory for pairs to the views of a side. The memory was previously used for the views of other kernels. It
// returns the remaining memory.
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

// Gradient sets dst[p] = Σ_ij w[i,j] ∂K[i,j]/∂ ln θ[p] for the last kernel of MatrixTo. The result is the same for any number of
// workers.
func (d *Derivatives) Gradient(ctx context.Context, dst []float64, w *mat.SymDense) error {
	// There is a sum for each pair of blocks, and the sums are added in order.
	sums := mat.NewDense(len(d.sides)*(len(d.sides)+1)/2, max(len(dst), 1), nil)
	n, _ := sums.Dims()
	err := parallel.ForEach(ctx, d.workers, n, func(t int) error {
		i, j := triangle(t)
		x, z := d.sides[i], d.sides[j]
		weights := window(fullMatrix(w), i*Stripe, j*Stripe, x.len(), z.len())
		block := borrow(weights)
		defer block.free()
		for r := range x.len() {
			row := block.RawRowView(r)
			floats.ScaleTo(row, 2, weights.RawRowView(r)) // for the pair and its mirror image
			if i == j {
				clear(row[:r])
				row[r] /= 2
			}
		}
		addGradient(d.compiled.part, sums.RawRowView(t)[:len(dst)], block.Dense, x, z)
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
	return nil
}
