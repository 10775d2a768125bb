package linalg

import (
	"context"
	"math"
	"math/rand/v2"
	"sort"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/parallel"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// PivotTile is the number of columns of all tiles except the last.
const PivotTile = 960

// Parts computes submatrices of a positive semi-definite matrix of order n. It must be safe for concurrent use.
type Parts interface {
	// Square sets dst[i,j] to the element (rows[i], rows[j]).
	Square(dst *mat.Dense, rows []int) error
	// Tile sets dst[i,j] to the element (rows[i], first+j). The parameter first is a multiple of PivotTile.
	Tile(dst *mat.Dense, rows []int, first int) error
}

// Pivots holds the settings of RandomlyPivoted.
type Pivots struct {
	Rank      int     // largest rank
	Tolerance float64 // stop at this fraction of the trace
	Random    *rand.Rand
	Workers   int // goroutines; 0: GOMAXPROCS
	// If Enough is not nil, it is called after each block of pivots, and stops the factorisation by returning true. It must neither
	// change nor keep its argument.
	Enough func(soFar *Pivoted) (bool, error)
}

// Pivoted is a partial Cholesky factorisation A ≈ F'F.
type Pivoted struct {
	Factor          *mat.Dense // F, r×n; nil for r = 0
	Pivots          []int      // the r rows of A that F'F reproduces exactly, in order
	Trace, Residual float64    // traces of A and of A - F'F
}

// RandomlyPivoted factors A, given its diagonal, which it overwrites, and its submatrices. It takes Cholesky steps on pivots drawn
// in proportion to the diagonal of the remainder (Y. Chen, E. N. Epperly, J. A. Tropp and R. J. Webber, Communications on Pure and
// Applied Mathematics 78, 2025). Many pivots are proposed at a time. Each is accepted with a probability equal to the remaining
// fraction of its diagonal element (E. N. Epperly, J. A. Tropp and R. J. Webber, arXiv 2410.03969). The distribution is the same as
// with single steps, and the work is in matrix products. Diagonal elements of at most Rank·2⁻⁵² times the largest count as zero.
// Therefore a matrix whose rank is below Rank yields fewer pivots. It costs O(nr²), and computes nr elements of A.
func RandomlyPivoted(ctx context.Context, diagonal []float64, a Parts, o Pivots) (*Pivoted, error) {
	n := len(diagonal)
	s := &pivoting{Pivots: o, a: a, diagonal: diagonal, sums: make([]float64, n)}
	s.Rank = min(o.Rank, n)
	s.factor = mat.NewDense(s.Rank, n, nil)
	s.limit = float64(s.Rank) * 0x1p-52 * floats.Max(diagonal)
	out := &Pivoted{Trace: floats.Sum(diagonal)}
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for {
		// Pivot k subtracts k products from a row of A, so the work grows with the square of the rank.
		share := float64(len(s.pivots)) / float64(max(s.Rank, 1))
		loop.Report(share * (1 + share) / 2)
		out.Residual = s.accumulate()
		if len(s.pivots) == s.Rank || out.Residual <= o.Tolerance*out.Trace {
			break
		}
		if o.Enough != nil && len(s.pivots) > 0 {
			soFar := &Pivoted{Factor: s.factor.Slice(0, len(s.pivots), 0, n).(*mat.Dense), Pivots: s.pivots, Trace: out.Trace,
				Residual: out.Residual}
			if enough, err := o.Enough(soFar); err != nil {
				return nil, err
			} else if enough {
				break
			}
		}
		taken, lower, err := s.take(s.propose(out.Residual))
		if err != nil {
			return nil, err
		}
		if err := s.extend(ctx, taken, lower); err != nil {
			return nil, err
		}
	}
	if out.Pivots = s.pivots; len(s.pivots) > 0 {
		out.Factor = s.factor.Slice(0, len(s.pivots), 0, n).(*mat.Dense)
	}
	return out, ctx.Err()
}

// proposals is the number of pivots proposed at a time. gonum does not parallelise a product with at most proposals rows and
// productColumns columns, so Workers decides the number of goroutines.
const proposals, productColumns = 64, 192

type pivoting struct {
	Pivots
	a        Parts
	diagonal []float64 // diagonal of A - F'F
	sums     []float64 // cumulative sums of the diagonal
	limit    float64
	factor   *mat.Dense // F, with len(pivots) valid rows
	pivots   []int
}

// accumulate sets negligible elements of the diagonal to 0 and returns its sum.
func (s *pivoting) accumulate() float64 {
	total := 0.0
	for i, v := range s.diagonal {
		if !(v > s.limit) {
			s.diagonal[i] = 0
		}
		total += s.diagonal[i]
		s.sums[i] = total
	}
	return total
}

func (s *pivoting) propose(total float64) []int {
	out := make([]int, proposals)
	for i := range out {
		u := s.Random.Float64() * total
		// The first element whose cumulative sum exceeds u has a positive diagonal.
		out[i] = sort.Search(len(s.sums)-1, func(i int) bool { return s.sums[i] > u })
	}
	return out
}

// take returns the accepted proposals, and the Cholesky factor of their submatrix of A - F'F.
func (s *pivoting) take(proposed []int) (taken []int, lower *mat.Dense, err error) {
	h := mat.NewDense(len(proposed), len(proposed), nil)
	if err := s.a.Square(h, proposed); err != nil {
		return nil, nil, err
	}
	if r := len(s.pivots); r > 0 {
		columns := s.columns(proposed)
		fast.Gemm(blas.Trans, blas.NoTrans, -1, columns.RawMatrix(), columns.RawMatrix(), 1, h.RawMatrix())
	}
	l := mat.NewDense(len(proposed), len(proposed), nil) // one row per proposal
	var at []int                                         // accepted proposals
	for i, p := range proposed {
		row, before := l.RawRowView(i), h.At(i, i)
		for c, j := range at {
			of := l.RawRowView(j)
			row[c] = (h.At(i, j) - floats.Dot(row[:c], of[:c])) / of[c]
		}
		left := before - floats.Dot(row[:len(at)], row[:len(at)])
		if u := s.Random.Float64(); left <= s.limit || len(s.pivots)+len(at) == s.Rank {
			if before <= s.limit {
				s.diagonal[p] = 0 // its remainder is a rounding error
			}
		} else if u*before < left {
			row[len(at)] = math.Sqrt(left)
			at, taken = append(at, i), append(taken, p)
		}
	}
	lower = mat.NewDense(max(len(at), 1), max(len(at), 1), nil)
	for r, i := range at {
		copy(lower.RawRowView(r), l.RawRowView(i)[:r+1])
	}
	return taken, lower, nil
}

// columns returns a copy of the columns of F with these indices.
func (s *pivoting) columns(of []int) *mat.Dense {
	out := mat.NewDense(len(s.pivots), len(of), nil)
	for i := range s.pivots {
		row := s.factor.RawRowView(i)
		for j, p := range of {
			out.Set(i, j, row[p])
		}
	}
	return out
}

// extend adds the rows of the accepted pivots to F.
func (s *pivoting) extend(ctx context.Context, taken []int, lower *mat.Dense) error {
	if len(taken) == 0 {
		return ctx.Err()
	}
	n, r := len(s.diagonal), len(s.pivots)
	var columns *mat.Dense
	if r > 0 {
		columns = s.columns(taken)
	}
	err := parallel.ForEach(ctx, s.Workers, (n+PivotTile-1)/PivotTile, func(t int) error {
		first, last := t*PivotTile, min((t+1)*PivotTile, n)
		rows := s.factor.Slice(r, r+len(taken), first, last).(*mat.Dense)
		if err := s.a.Tile(rows, taken, first); err != nil {
			return err
		}
		for c := first; c < last && r > 0; c += productColumns {
			end := min(c+productColumns, last)
			fast.Gemm(blas.Trans, blas.NoTrans, -1, columns.RawMatrix(), s.factor.Slice(0, r, c, end).(*mat.Dense).RawMatrix(),
				1, s.factor.Slice(r, r+len(taken), c, end).(*mat.Dense).RawMatrix())
		}
		s.eliminate(rows, lower, s.diagonal[first:last])
		return nil
	})
	for _, p := range taken {
		s.diagonal[p] = 0 // exactly, except for rounding
	}
	s.pivots = append(s.pivots, taken...)
	return err
}

// eliminate solves for the rows of F, and subtracts their squares from the diagonal.
func (s *pivoting) eliminate(rows, lower *mat.Dense, diagonal []float64) {
	k, _ := rows.Dims()
	for i := range k {
		row, l := rows.RawRowView(i), lower.RawRowView(i)
		for j := range i {
			floats.AddScaled(row, -l[j], rows.RawRowView(j))
		}
		floats.Scale(1/l[i], row)
		for j, v := range row {
			diagonal[j] -= v * v
		}
	}
}
