package basis

import (
	"context"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// evaluator evaluates unscaled columns of the design matrix. dst is width×n, and its rows are the columns first, first+1, ...
type evaluator func(ctx context.Context, dst *mat.Dense, first int) error

// blockWidth is the number of columns that are evaluated at a time.
const blockWidth = 128

// Basis is the design matrix Φ (n×M) of weighted rows. Its columns have unit norm, and are centred if the intercept has a flat
// prior. Columns whose norm is at most 1e-9 of the largest are zero. If there is a column of ones, it is the last column and is
// never zero. As many columns as fit into the budget are kept. The other columns are evaluated each time they are needed.
type Basis struct {
	weights.Counts
	n, M  int
	raw   evaluator
	Means []float64
	Norms []float64    // 0 for a dropped column
	Kept  []*mat.Dense // blocks (width×n); nil for a block that is not kept
	// Products is Φ'Φ (M×M), or nil if it would be too large. In that case the products of a member with all columns are computed
	// when they are needed.
	Products *mat.Dense
	workers  int
}

// gramWidth is the largest number of columns for which Φ'Φ is computed at once. That takes nM² operations in matrix products. The
// products of a single member take a pass over all of Φ at the speed of memory. With a few dozen members, Φ'Φ is faster.
const gramWidth = 4096

// KeepProducts sets Products if the products and all columns together fit into the given number of bytes.
func (b *Basis) KeepProducts(ctx context.Context, bytes int64) error {
	n, m := int64(b.n), int64(b.M)
	if m > gramWidth || 8*m*(n+m) > bytes {
		return nil
	}
	g := mat.NewDense(b.M, b.M, nil)
	// A task is a pair of blocks on or above the diagonal, in the order of the columns.
	err := parallel.ForEachPart(ctx, b.workers, len(b.Kept)*(len(b.Kept)+1)/2, func(ctx context.Context, t int) error {
		j := 0
		for (j+1)*(j+2)/2 <= t {
			j++
		}
		i := t - j*(j+1)/2
		rows, height := b.Span(i)
		columns, width := b.Span(j)
		block := g.Slice(rows, rows+height, columns, columns+width).(*mat.Dense)
		if err := fast.GemmContext(ctx, blas.NoTrans, blas.Trans, 1, b.Kept[i].RawMatrix(), b.Kept[j].RawMatrix(), 0,
			block.RawMatrix()); err != nil {
			return err
		}
		if i < j {
			g.Slice(columns, columns+width, rows, rows+height).(*mat.Dense).Copy(block.T())
		}
		return nil
	})
	if err == nil {
		b.Products = g
	}
	return err
}

// New returns a Basis with m columns. It evaluates each column once, and keeps as many as fit into bytes. If ones is set, the last
// column contains ones.
func New(ctx context.Context, raw evaluator, c weights.Counts, n, m int, centre, ones bool, bytes int64, workers int) (*Basis, error) {
	b := &Basis{Counts: c, n: n, M: m, raw: raw, Means: make([]float64, m), Norms: make([]float64, m), workers: workers}
	b.Kept = make([]*mat.Dense, (m+blockWidth-1)/blockWidth)
	keep := int(min(bytes/(8*blockWidth*int64(n)), int64(len(b.Kept))))
	err := parallel.ForEach(ctx, workers, len(b.Kept), func(i int) error {
		first, width := b.Span(i)
		block := mat.NewDense(width, n, nil)
		if err := b.evaluate(ctx, block, first); err != nil {
			return err
		}
		for j := range width {
			row := block.RawRowView(j)
			if centre {
				b.Means[first+j] = b.Centre(row)
			}
			b.Norms[first+j] = norm(row)
		}
		if i < keep {
			b.Kept[i] = block
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	largest := 0.0
	for j, v := range b.Norms {
		if v-v != 0 {
			return nil, &fault.NotFiniteError{Name: "rvm: norm of basis column", Row: j, Col: -1, Value: v}
		}
		largest = max(largest, v)
	}
	for j, v := range b.Norms {
		if v <= 1e-9*largest && !(ones && j == m-1) {
			b.Norms[j] = 0
		}
	}
	for i, block := range b.Kept {
		if block != nil {
			b.scale(block, i*blockWidth)
		}
	}
	return b, nil
}

// evaluate sets the rows of dst to unscaled columns, multiplied by the roots of the weights. The first of them is column first.
func (b *Basis) evaluate(ctx context.Context, dst *mat.Dense, first int) error {
	if err := b.raw(ctx, dst, first); err != nil {
		return err
	}
	width, _ := dst.Dims()
	for j := range width {
		b.Apply(dst.RawRowView(j))
	}
	return nil
}

// Span returns the first column of a block and its width.
func (b *Basis) Span(i int) (first, width int) {
	first = i * blockWidth
	return first, min(blockWidth, b.M-first)
}

func norm(v []float64) float64 { return fast.Nrm2(linalg.Vector(v)) }

// scale divides the columns in the rows of block by their norms. Columns with norm 0 become 0.
func (b *Basis) scale(block *mat.Dense, first int) {
	r, _ := block.Dims()
	for j := range r {
		row, s := block.RawRowView(j), b.Norms[first+j]
		for i := range row {
			if s == 0 {
				row[i] = 0
			} else {
				row[i] /= s
			}
		}
	}
}

// Block returns a block of scaled columns, which the caller must not change.
func (b *Basis) Block(ctx context.Context, i int) (*mat.Dense, error) {
	if b.Kept[i] != nil {
		return b.Kept[i], nil
	}
	first, width := b.Span(i)
	block := mat.NewDense(width, b.n, nil)
	return block, b.evaluateScaled(ctx, block, first)
}

// evaluateScaled sets the rows of dst to scaled columns. The first of them is column first.
func (b *Basis) evaluateScaled(ctx context.Context, dst *mat.Dense, first int) error {
	if err := b.evaluate(ctx, dst, first); err != nil {
		return err
	}
	width, _ := dst.Dims()
	for j := range width {
		b.Subtract(dst.RawRowView(j), b.Means[first+j])
	}
	b.scale(dst, first)
	return nil
}

// Column returns column j, which the caller must not change.
func (b *Basis) Column(ctx context.Context, j int) ([]float64, error) {
	if k := b.Kept[j/blockWidth]; k != nil {
		return k.RawRowView(j % blockWidth), nil
	}
	one := mat.NewDense(1, b.n, nil)
	if err := b.evaluateScaled(ctx, one, j); err != nil {
		return nil, err
	}
	return one.RawRowView(0), nil
}

// Correlate returns Φ'v.
func (b *Basis) Correlate(ctx context.Context, v []float64) ([]float64, error) {
	out := make([]float64, b.M)
	total := 0.0
	for i, a := range v {
		total += b.Root(i) * a
	}
	err := parallel.ForEach(ctx, b.workers, len(b.Kept), func(i int) error {
		first, width := b.Span(i)
		part := out[first : first+width]
		if block := b.Kept[i]; block != nil {
			fast.Gemv(blas.NoTrans, 1, block.RawMatrix(), linalg.Vector(v), 0, linalg.Vector(part))
			return nil
		}
		// Centring and scaling the product costs less than centring and scaling the block.
		block := mat.NewDense(width, b.n, nil)
		if err := b.evaluate(ctx, block, first); err != nil {
			return err
		}
		fast.Gemv(blas.NoTrans, 1, block.RawMatrix(), linalg.Vector(v), 0, linalg.Vector(part))
		for j := range part {
			if s := b.Norms[first+j]; s == 0 {
				part[j] = 0
			} else {
				part[j] = (part[j] - b.Means[first+j]*total) / s
			}
		}
		return nil
	})
	return out, err
}
