package fullsystem

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/anyrows"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

// preconditioner is P = F'F + ΛI, for several ridges Λ.
type preconditioner struct {
	factor           *mat.Dense    // F, r×n; nil for a rank of 0
	gram             *mat.SymDense // FF'
	pivots           []int
	unseen           []float64 // diagonal of S - F'F (n)
	workers          int
	factors          map[float64]*linalg.Cholesky // factors of FF' + ΛI, by Λ
	trace, remaining float64                      // traces of S and of S - F'F
}

// pivotParts computes the parts of S that the pivoted factorisation needs.
type pivotParts struct {
	p *Problem
}

// Square implements linalg.Parts.
func (a pivotParts) Square(dst *mat.Dense, rows []int) error {
	x := anyrows.Pick(a.p.rows, rows)
	kernels.Block(dst, a.p.kernel, x, x)
	for i, r := range rows {
		row := dst.RawRowView(i)
		for j, c := range rows {
			row[j] *= a.p.matrix.inverse * a.p.root(r) * a.p.root(c)
		}
	}
	return nil
}

// Tile implements linalg.Parts.
func (a pivotParts) Tile(dst *mat.Dense, rows []int, first int) error {
	_, columns := dst.Dims()
	kernels.Block(dst, a.p.kernel, anyrows.Pick(a.p.rows, rows), anyrows.Slice(a.p.rows, first, first+columns))
	for i, r := range rows {
		row := dst.RawRowView(i)
		floats.Scale(a.p.matrix.inverse*a.p.root(r), row)
		if a.p.roots != nil {
			floats.Mul(row, a.p.roots[first:first+columns])
		}
	}
	return nil
}

// pivotStream is the random stream "pivots".
const pivotStream = 0x7069766f7473

// newPreconditioner factors S up to the rank at which enough returns true, or up to the rank most.
func (p *Problem) newPreconditioner(ctx context.Context, most int, enough func(rank int, remaining float64) bool) (*preconditioner, error) {
	first, second := progress.Two(ctx, 5, 1)
	diagonal := make([]float64, p.n)
	kernels.Diag(diagonal, p.kernel, p.rows)
	for i := range diagonal {
		diagonal[i] *= p.matrix.inverse * p.root(i) * p.root(i)
	}
	c := &preconditioner{unseen: diagonal, workers: p.Workers, factors: map[float64]*linalg.Cholesky{}}
	c.unseen = make([]float64, p.n)
	copy(c.unseen, diagonal)
	f, err := linalg.RandomlyPivoted(first, diagonal, pivotParts{p}, linalg.Pivots{
		Rank: most, Random: rand.New(rand.NewPCG(p.Seed, pivotStream)), Workers: p.Workers,
		Enough: func(soFar *linalg.Pivoted) (bool, error) {
			return enough != nil && enough(len(soFar.Pivots), soFar.Residual), ctx.Err()
		},
	})
	if err != nil {
		return nil, err
	}
	c.factor, c.pivots, c.trace, c.remaining = f.Factor, f.Pivots, f.Trace, f.Residual
	if c.rank() == 0 {
		return c, nil
	}
	for i := range c.rank() {
		for j, v := range c.factor.RawRowView(i) {
			c.unseen[j] -= v * v
		}
	}
	for i, v := range c.unseen {
		c.unseen[i] = max(v, 0)
	}
	for _, i := range c.pivots {
		c.unseen[i] = 0
	}
	c.gram = mat.NewSymDense(c.rank(), nil)
	return c, fast.SymOuterKContext(second, c.gram, 1, c.factor)
}

func (c *preconditioner) rank() int { return len(c.pivots) }

// shift computes the factor of FF' + ΛI.
func (c *preconditioner) shift(ctx context.Context, ridge float64) error {
	if c.factors[ridge] != nil || c.rank() == 0 {
		return nil
	}
	a := mat.NewSymDense(c.rank(), nil)
	a.CopySym(c.gram)
	for i := range c.rank() {
		a.SetSym(i, i, a.At(i, i)+ridge)
	}
	factor, err := linalg.NewCholesky(ctx, "the preconditioner", a)
	if err != nil {
		return err
	}
	c.factors[ridge] = factor
	return nil
}

const (
	// F is read in strips of columns and blocks of rows. With such a small inner dimension, products read their factors in place.
	strip, block = 256, 256
	// productFrom is the smallest number of right-hand sides for which products with F are computed as matrix products.
	productFrom = 3
	// innerSums is the number of partial sums of Fv, which are added in a fixed order.
	innerSums = 16
)

func (c *preconditioner) strips(n int) int { return (n + strip - 1) / strip }

// solve sets dst[c] to P⁻¹v = (v - F'(FF' + ΛI)⁻¹Fv)/Λ for v = v[c] and Λ = ridges[c]. shift must have been called for each ridge.
func (c *preconditioner) solve(ctx context.Context, dst, v [][]float64, ridges []float64) error {
	n, r := len(v[0]), c.rank()
	ctx = progress.Silent(ctx)
	if r == 0 {
		for i := range v {
			floats.ScaleTo(dst[i], 1/ridges[i], v[i])
		}
		return ctx.Err()
	}
	strips := c.strips(n)
	inner := make([]*mat.Dense, min(innerSums, strips)) // Fv, with a column for each right-hand side
	if err := parallel.ForEach(ctx, c.workers, len(inner), func(sum int) error {
		inner[sum] = mat.NewDense(r, len(v), nil)
		for s := sum; s < strips; s += len(inner) {
			if err := ctx.Err(); err != nil {
				return err
			}
			multiplyInto(inner[sum], blas.NoTrans, 1, c.columns(s), gather(v, s))
		}
		return nil
	}); err != nil {
		return err
	}
	for _, other := range inner[1:] {
		inner[0].Add(inner[0], other)
	}
	for first := 0; first < len(v); {
		last := first + 1
		for last < len(v) && ridges[last] == ridges[first] {
			last++
		}
		if err := c.factors[ridges[first]].Solve(ctx, inner[0].Slice(0, r, first, last).(*mat.Dense)); err != nil {
			return err
		}
		first = last
	}
	return parallel.ForEach(ctx, c.workers, strips, func(s int) error {
		part := gather(v, s)
		multiplyInto(part, blas.Trans, -1, c.columns(s), inner[0])
		rows, _ := part.Dims()
		for i := range v {
			at := dst[i][s*strip : s*strip+rows]
			for a := range at {
				at[a] = part.At(a, i) / ridges[i]
			}
		}
		return nil
	})
}

// multiplyInto adds alpha·op(f)·b to dst, block by block of the rows of f.
func multiplyInto(dst *mat.Dense, op blas.Transpose, alpha float64, f blas64.General, b *mat.Dense) {
	_, columns := dst.Dims()
	for first := 0; first < f.Rows; first += block {
		count := min(block, f.Rows-first)
		part := blas64.General{Rows: count, Cols: f.Cols, Stride: f.Stride, Data: f.Data[first*f.Stride:]}
		to, from := dst, b
		if op == blas.NoTrans {
			to = dst.Slice(first, first+count, 0, columns).(*mat.Dense)
		} else {
			from = b.Slice(first, first+count, 0, columns).(*mat.Dense)
		}
		if columns >= productFrom {
			fast.Gemm(op, blas.NoTrans, alpha, part, from.RawMatrix(), 1, to.RawMatrix())
			continue
		}
		for c := range columns {
			fast.Gemv(op, alpha, part, column(from, c), 1, column(to, c))
		}
	}
}

// column returns a column of a matrix as a BLAS vector.
func column(m *mat.Dense, c int) blas64.Vector {
	raw := m.RawMatrix()
	return blas64.Vector{N: raw.Rows, Inc: raw.Stride, Data: raw.Data[c:]}
}

// columns returns a strip of columns of F.
func (c *preconditioner) columns(s int) blas64.General {
	r, n := c.factor.Dims()
	return c.factor.Slice(0, r, s*strip, min((s+1)*strip, n)).(*mat.Dense).RawMatrix()
}

// gather returns a matrix whose columns are strip s of the vectors.
func gather(v [][]float64, s int) *mat.Dense {
	first, last := s*strip, min((s+1)*strip, len(v[0]))
	out := mat.NewDense(last-first, len(v), nil)
	for i := range v {
		out.SetCol(i, v[i][first:last])
	}
	return out
}

// rankChoice finds the rank that minimises an estimate of the total time. The unit of time is that of one multiplication and
// addition in a matrix product.
type rankChoice struct {
	n, columns int
	ridges     int
	kernel     float64 // cost of computing an entry of K
	pass       float64 // cost of a pass over K
	ridge      float64
	tolerance  float64
	ranks      []int
	remaining  []float64
}

const (
	kernelCost = 100 // cost of an entry of K, plus 1 for each column of the rows
	// singleCost and singleColumnCost are the same for an entry that is computed in float32.
	singleCost, singleColumnCost = 12, 0.6
	entryCost                    = 4 // cost of reading a stored entry
	// factorCost and solveCost are relative to a product with K, which costs one unit per entry and right-hand side, for half of
	// the entries. Products with F and its transpose, and solving with the factor of FF' + ΛI, cost more.
	factorCost, solveCost = 2.5, 2
	// pivotCost is the cost per entry of F and earlier pivot. It includes the subtraction of the pivots, and the product FF'.
	pivotCost = 1.7
	// At the default tolerance, the number of iterations is leastIterations plus rootIterations times the square root of the
	// condition number.
	leastIterations, rootIterations = 4, 3.5
	// largestShare is the ratio of the largest eigenvalue of the remainder to the mean reduction by each of the last pivots.
	largestShare = 2
	// growth is the factor by which the rank grows from one comparison of the estimates to the next.
	growth = 1.25
	// A factor is always extended until it has cost as much as leastPasses passes, because with short lengths the first pivots
	// predict little about the next ones.
	leastPasses = 3
)

// iterations returns an estimate of the number of iterations from the largest eigenvalue of the remainder of S.
func (c *rankChoice) iterations(largest float64) float64 {
	return leastIterations + rootIterations*math.Log(2/c.tolerance)/math.Log(2/DefaultTolerance)*math.Sqrt(1+largest/c.ridge)
}

func (c *rankChoice) total(rank, largest float64) float64 {
	n, columns := float64(c.n), float64(c.columns)
	return c.factor(rank) + c.iterations(largest)*(c.pass+columns*(factorCost*n*rank+solveCost*rank*rank))
}

// factor returns the cost of the preconditioner.
func (c *rankChoice) factor(rank float64) float64 {
	n := float64(c.n)
	return n*rank*c.kernel + pivotCost*n*rank*rank + float64(c.ridges)*rank*rank*rank/3
}

// enough records the remaining trace at a rank, and reports whether the factor should end there.
func (c *rankChoice) enough(rank int, remaining float64) bool {
	c.ranks, c.remaining = append(c.ranks, rank), append(c.remaining, remaining)
	if remaining > 0 && c.factor(float64(rank)) < leastPasses*c.pass {
		return false
	}
	now := len(c.ranks) - 1
	half, three := c.rankIndex(rank/2), c.rankIndex(3*rank/4)
	if half == three || three == now {
		return false
	}
	// The reduction by each pivot is assumed to fall as a power of the number of pivots.
	slope := func(a, b int) float64 {
		return max(c.remaining[a]-c.remaining[b], 0) / float64(c.ranks[b]-c.ranks[a])
	}
	before, last := slope(half, three), slope(three, now)
	if !(last > 0) {
		return true
	}
	middle := func(a, b int) float64 { return float64(c.ranks[a]+c.ranks[b]) / 2 }
	power := max(0, math.Log(before/last)/math.Log(middle(three, now)/middle(half, three)))
	largest := func(rank float64) float64 {
		return largestShare * last * math.Pow(middle(three, now)/rank, power)
	}
	at := float64(rank)
	return c.total(at, largest(at)) <= c.total(growth*at, largest(growth*at))
}

// rankIndex returns the index of the largest recorded rank that is at most rank, or 0.
func (c *rankChoice) rankIndex(rank int) int {
	for i := len(c.ranks) - 1; i > 0; i-- {
		if c.ranks[i] <= rank {
			return i
		}
	}
	return 0
}
