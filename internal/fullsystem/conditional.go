package fullsystem

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

// conditional is an approximation of S + ΛI from only the first pivots, the fully independent training conditional (E. Snelson and
// Z. Ghahramani, NIPS 2005). It replaces the matrix by F'F + N, whose inverse is cheap, with
//
//	N[i] = Λ + τ² ρ[i],   ρ the diagonal of S - F'F
//
// The factor τ² < 1 accounts for the correlation between the residuals of neighbouring rows.
type conditional struct {
	share  float64          // τ²
	f      *mat.Dense       // the first rows of F; nil if there are none
	noise  []float64        // N
	factor *linalg.Cholesky // factor of I + F N⁻¹F'
	// diagonal holds the diagonal of the inverse of the approximation.
	diagonal []float64
	workers  int
}

const (
	// conditionalRank is the largest rank of the approximation.
	conditionalRank = 200
	// usualShare is τ².
	usualShare = 0.5
)

// newConditional returns the approximation for a ridge Λ. The cost is O(nr²) for rank r.
func (p *Problem) newConditional(ctx context.Context, ridge, share float64) (*conditional, error) {
	c := &conditional{share: share, noise: make([]float64, p.n), diagonal: make([]float64, p.n), workers: p.Workers}
	r := min(p.conditioner.rank(), conditionalRank)
	if r > 0 {
		c.f = p.conditioner.factor.Slice(0, r, 0, p.n).(*mat.Dense)
	}
	unseen := p.conditioner.unseenAt(r)
	for i := range c.noise {
		c.noise[i] = ridge + share*unseen[i]
		c.diagonal[i] = 1 / c.noise[i]
	}
	if r == 0 {
		return c, ctx.Err()
	}
	gram, err := c.gram(ctx)
	if err != nil {
		return nil, err
	}
	for i := range r {
		gram.SetSym(i, i, gram.At(i, i)+1)
	}
	if c.factor, err = linalg.NewCholesky(ctx, "the model of the variance", gram); err != nil {
		return nil, err
	}
	upper := c.factor.Upper()
	err = c.eachStrip(ctx, func(first int, f *mat.Dense) {
		fast.Trsm(blas.Left, blas.Trans, 1, upper, f.RawMatrix())
		_, columns := f.Dims()
		sums := make([]float64, columns)
		for a := range r {
			for j, v := range f.RawRowView(a) {
				sums[j] += v * v
			}
		}
		for j, v := range sums {
			c.diagonal[first+j] *= max(1-v, 0)
		}
	})
	return c, err
}

// scaledRows is the number of columns of F that are scaled at a time.
const scaledRows = 512

// eachStrip calls f with strips of the columns of F N^-½, which f may overwrite.
func (c *conditional) eachStrip(ctx context.Context, f func(first int, strip *mat.Dense)) error {
	r, n := c.f.Dims()
	return parallel.ForEach(ctx, c.workers, (n+scaledRows-1)/scaledRows, func(s int) error {
		first := s * scaledRows
		columns := min(scaledRows, n-first)
		strip := mat.NewDense(r, columns, nil)
		roots := make([]float64, columns)
		for j := range roots {
			roots[j] = 1 / math.Sqrt(c.noise[first+j])
		}
		for a := range r {
			floats.MulTo(strip.RawRowView(a), c.f.RawRowView(a)[first:first+columns], roots)
		}
		f(first, strip)
		return nil
	})
}

// gramParts is the number of partial sums of F N⁻¹F', which are added in a fixed order.
const gramParts = 8

// gram returns F N⁻¹F'.
func (c *conditional) gram(ctx context.Context) (*mat.SymDense, error) {
	r, n := c.f.Dims()
	parts := make([]*mat.SymDense, min(gramParts, (n+scaledRows-1)/scaledRows))
	err := parallel.ForEach(ctx, c.workers, len(parts), func(part int) error {
		sum := mat.NewSymDense(r, nil)
		strip, roots := mat.NewDense(r, scaledRows, nil), make([]float64, scaledRows)
		for first := part * scaledRows; first < n; first += len(parts) * scaledRows {
			if err := ctx.Err(); err != nil {
				return err
			}
			columns := min(scaledRows, n-first)
			for j := range columns {
				roots[j] = 1 / math.Sqrt(c.noise[first+j])
			}
			for a := range r {
				floats.MulTo(strip.RawRowView(a)[:columns], c.f.RawRowView(a)[first:first+columns], roots[:columns])
			}
			fast.Syrk(blas.NoTrans, 1, strip.Slice(0, r, 0, columns).(*mat.Dense).RawMatrix(), 1, sum.RawSymmetric())
		}
		parts[part] = sum
		return nil
	})
	for _, part := range parts[min(1, len(parts)):] {
		if err == nil {
			floats.Add(parts[0].RawSymmetric().Data, part.RawSymmetric().Data)
		}
	}
	return parts[0], err
}

// leftOut returns the norm of the leave-one-out residuals that the approximation implies for a solution u.
func (c *conditional) leftOut(u []float64) float64 {
	sum := 0.
	for i, v := range u {
		if d := c.diagonal[i]; d > 0 {
			sum += (v / d) * (v / d)
		}
	}
	return math.Sqrt(sum)
}

// unseenAt returns the diagonal of S - F'F, where F has only its first rank rows.
func (c *preconditioner) unseenAt(rank int) []float64 {
	if rank == c.rank() {
		return c.unseen
	}
	out := append([]float64(nil), c.unseen...)
	for a := rank; a < c.rank(); a++ {
		for i, v := range c.factor.RawRowView(a) {
			out[i] += v * v
		}
	}
	return out
}
