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

// PivotTile is the number of columns of a Tile, but for the last.
const PivotTile = 960

// Parts computes parts of a positive semi-definite matrix of order n. It is safe for
// concurrent use.
type Parts interface {
	// Square sets dst[i,j] to the element (rows[i], rows[j]).
	Square(dst *mat.Dense, rows []int) error
	// Tile sets dst[i,j] to the element (rows[i], first+j); first is a multiple of
	// PivotTile.
	Tile(dst *mat.Dense, rows []int, first int) error
}

// Pivots says how RandomlyPivoted works.
type Pivots struct {
	Rank      int     // at most this many
	Tolerance float64 // ends at a residual trace of this share of the trace
	Random    *rand.Rand
	Workers   int // goroutines; 0: GOMAXPROCS
	// Enough, if not nil, is asked after each block of pivots, and ends the factorisation
	// where it says so. What it is shown may not be changed or kept.
	Enough func(soFar *Pivoted) (bool, error)
}

// Pivoted is a partial factorisation A ≈ F'F.
type Pivoted struct {
	Factor          *mat.Dense // F, r×n; nil for r = 0
	Pivots          []int      // the r rows of A that F'F has exactly, in their order
	Trace, Residual float64    // of A and of A - F'F
}

// RandomlyPivoted factors A, given its diagonal, which it overwrites, and its parts, by
// Cholesky steps on pivots drawn in proportion to the diagonal of what is left (Y. Chen,
// E. N. Epperly, J. A. Tropp and R. J. Webber, Communications on Pure and Applied
// Mathematics 78, 2025). Pivots are proposed many at a time, and each is taken with the
// probability that its diagonal element kept since (E. N. Epperly, J. A. Tropp and R. J.
// Webber, arXiv 2410.03969): the distribution is that of single steps, the work is matrix
// products. An element of the diagonal at most Rank·2⁻⁵² of the largest is nothing, so
// fewer pivots than Rank are found in a matrix of lower rank. Cost O(nr²), and nr elements
// of A.
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
		// Pivot k has k products to take away, and a row of A to compute.
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

// proposals are made at a time: as many rows as a product that gonum does not spread over
// processors of its own accord, which Workers is to say, has; as many columns are
// productColumns.
const proposals, productColumns = 64, 192

type pivoting struct {
	Pivots
	a        Parts
	diagonal []float64 // of A - F'F
	sums     []float64 // of the diagonal up to and with an element
	limit    float64
	factor   *mat.Dense // F, of which len(pivots) rows are there
	pivots   []int
}

// accumulate clears what is nothing, and returns the sum of the diagonal.
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
		// The first element whose sum exceeds u has a diagonal above 0.
		out[i] = sort.Search(len(s.sums)-1, func(i int) bool { return s.sums[i] > u })
	}
	return out
}

// take returns the proposals that are taken, and the Cholesky factor of their part of
// A - F'F.
func (s *pivoting) take(proposed []int) (taken []int, lower *mat.Dense, err error) {
	h := mat.NewDense(len(proposed), len(proposed), nil)
	if err := s.a.Square(h, proposed); err != nil {
		return nil, nil, err
	}
	if r := len(s.pivots); r > 0 {
		columns := s.columns(proposed)
		fast.Gemm(blas.Trans, blas.NoTrans, -1, columns.RawMatrix(), columns.RawMatrix(), 1, h.RawMatrix())
	}
	l := mat.NewDense(len(proposed), len(proposed), nil) // a row for each proposal
	var at []int                                         // the proposals taken
	for i, p := range proposed {
		row, before := l.RawRowView(i), h.At(i, i)
		for c, j := range at {
			of := l.RawRowView(j)
			row[c] = (h.At(i, j) - floats.Dot(row[:c], of[:c])) / of[c]
		}
		left := before - floats.Dot(row[:len(at)], row[:len(at)])
		if u := s.Random.Float64(); left <= s.limit || len(s.pivots)+len(at) == s.Rank {
			if before <= s.limit {
				s.diagonal[p] = 0 // what is left of it is rounding
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

// columns copies columns of F.
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

// extend adds the rows of the taken pivots to F.
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
		s.diagonal[p] = 0 // but for rounding it is
	}
	s.pivots = append(s.pivots, taken...)
	return err
}

// eliminate solves for the rows of F, and takes their squares from the diagonal.
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
