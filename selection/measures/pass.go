package measures

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

const (
	// tile is the number of rows of a block. It is constant because the last bits of a sum depend on its division into blocks.
	tile = 128
	// pilots is the number of rows whose mean in feature space is the centre of the sums. Any point near the data would be
	// suitable, so a few rows suffice.
	pilots = 16
)

// noise is the assumed relative error of the elements of K. Smaller differences count as 0. It exceeds their rounding, because
// powers of high degree magnify errors: on equal rows a degree of 500 leaves 1e-13.
const noise = 1e-12

// sums holds the results of one pass over K, for the centred and scaled elements
//
//	k̃[i,j] = s·k[i,j] - h[i] - h[j]
//
// Here s is a power of two that brings the elements near 1, and h moves the origin of the feature space into the data. Measures
// that are invariant under translation are computed from k̃, so an offset of K costs them no digits.
type sums struct {
	grouping
	h        []float64
	diagonal []float64   // k̃[i,i]
	class    [][]float64 // [c][i] = Σ k̃[i,j] over the j of class c
	row      []float64   // [i] = Σ k̃[i,j] over all j
	members  [][][]int   // [J][c]: the rows of block row J in class c, except for the last c
	scale    float64     // s
	rowSums
}

// rowSums holds the contributions of one block row to the scalar sums.
type rowSums struct {
	square  float64 // Σ (s·k)²
	centred float64 // Σ k̃²
	form    float64 // z'k̃z for the grouping's targets z
}

func (p rowSums) plus(q rowSums) rowSums {
	return rowSums{p.square + q.square, p.centred + q.centred, p.form + q.form}
}

// pass processes the upper triangle of K once, in tiles.
//
// In round t, the tile of block rows I and J with I+J ≡ t modulo their number is added to the sums of the rows of I and of J. No
// two tiles of a round share a block row, so they run in parallel without a lock, and each sum receives its terms in the order of
// the rounds, for any number of workers.
func pass(ctx context.Context, workers int, src source, g grouping) (*sums, error) {
	s := newSums(g)
	if err := s.centre(ctx, workers, src); err != nil {
		return nil, err
	}
	n, blocks := s.rows(), len(s.members)
	parts := make([]rowSums, blocks)
	buffers := make(chan []float64, min(parallel.Workers(workers), blocks)) // one per running tile
	for range cap(buffers) {
		buffers <- make([]float64, tile*tile)
	}
	for round := range blocks {
		err := parallel.ForEach(ctx, workers, blocks, func(i int) error {
			j := (round - i + blocks) % blocks
			if i > j {
				return nil // the same tile as (j, i)
			}
			buffer := <-buffers
			defer func() { buffers <- buffer }()
			rows, cols := min(tile, n-i*tile), min(tile, n-j*tile)
			t := mat.NewDense(rows, cols, buffer[:rows*cols])
			src.block(t, i*tile, j*tile)
			p, err := s.add(src, t, i*tile, j*tile)
			parts[i] = parts[i].plus(p)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	for _, p := range parts {
		s.rowSums = s.rowSums.plus(p)
	}
	if v := s.square + s.centred; v-v != 0 {
		return nil, errOverflow
	}
	for i, v := range s.diagonal {
		s.diagonal[i] = s.scale*v - 2*s.h[i]
	}
	s.row = make([]float64, n)
	for _, class := range s.class {
		floats.Add(s.row, class)
	}
	return s, nil
}

func newSums(g grouping) *sums {
	n := g.rows()
	s := &sums{grouping: g, class: make([][]float64, g.classes())}
	for c := range s.class {
		s.class[c] = make([]float64, n)
	}
	for j := 0; j < n; j += tile {
		s.members = append(s.members, g.members(j, min(tile, n-j)))
	}
	return s
}

// centre computes the scale, the origin and the diagonal.
func (s *sums) centre(ctx context.Context, workers int, src source) error {
	n := s.rows()
	s.h, s.diagonal = make([]float64, n), make([]float64, n)
	src.diagonal(s.diagonal)
	for i, v := range s.diagonal {
		if v-v != 0 {
			return notFinite(src, i, i, v)
		}
	}
	columns := make([][]float64, min(pilots, n))
	at := func(p int) int { return p * n / len(columns) } // evenly spaced
	err := parallel.ForEach(ctx, workers, len(columns), func(p int) error {
		columns[p] = make([]float64, n)
		src.column(columns[p], at(p))
		for i, v := range columns[p] {
			if v-v != 0 {
				return notFinite(src, i, at(p), v)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.scale = powerOfTwo(append(columns, s.diagonal)...)
	for _, column := range columns {
		for i, v := range column {
			s.h[i] += s.scale * v / float64(len(columns))
		}
	}
	own := 0.0 // squared norm of the mean of the pilots
	for p := range columns {
		own += s.h[at(p)] / float64(len(columns))
	}
	for i := range s.h {
		s.h[i] -= own / 2
	}
	return nil
}

// powerOfTwo returns the reciprocal of the largest power of two that does not exceed the largest magnitude of the values.
// Multiplying by it is exact, and keeps squares in range.
func powerOfTwo(values ...[]float64) float64 {
	most := 0.0
	for _, vs := range values {
		for _, v := range vs {
			most = max(most, math.Abs(v))
		}
	}
	if most == 0 {
		return 1
	}
	_, e := math.Frexp(most)
	return math.Ldexp(1, min(max(1-e, -1022), 1023))
}

// add adds a tile to the sums of its rows and columns. A tile outside the diagonal also represents its mirror image. It returns the
// tile's contribution to the scalar sums.
func (s *sums) add(src source, t *mat.Dense, i0, j0 int) (rowSums, error) {
	rows, cols := t.Dims()
	var mirror [tile]float64 // collects the elements that a tile on the diagonal contains twice
	members := s.members[j0/tile]
	var p rowSums
	for r := range rows {
		i, row := i0+r, t.RawRowView(r)
		into := s.class[s.of[i]][j0 : j0+cols]
		if i0 == j0 {
			row[r] = s.diagonal[i] // the kernel's own value, which has no rounding errors of a product
			into = mirror[:cols]
		}
		if s.scale != 1 {
			floats.Scale(s.scale, row)
		}
		square := floats.Dot(row, row)
		if square-square != 0 {
			return p, notFiniteIn(src, row, i, j0)
		}
		floats.Sub(row, s.h[j0:j0+cols])
		floats.AddConst(-s.h[i], row)
		floats.Add(into, row)
		p.square += square
		p.centred += floats.Dot(row, row)
		if s.target != nil {
			p.form += s.target[i] * floats.Dot(row, s.target[j0:j0+cols])
		}
		rest := floats.Sum(row)
		for c, of := range members {
			sum := sumAt(row, of)
			s.class[c][i] += sum
			rest -= sum
		}
		s.class[len(members)][i] += rest
	}
	if i0 != j0 {
		p = p.plus(p)
	}
	return p, nil
}

// sumAt returns the sum of the elements of row at the given positions. It computes two independent partial sums.
func sumAt(row []float64, at []int) float64 {
	even, odd := 0.0, 0.0
	for len(at) > 1 {
		even += row[at[0]]
		odd += row[at[1]]
		at = at[2:]
	}
	if len(at) > 0 {
		even += row[at[0]]
	}
	return even + odd
}

func notFiniteIn(src source, row []float64, i, j int) error {
	for c, v := range row {
		if v-v != 0 {
			return notFinite(src, i, j+c, v)
		}
	}
	return errOverflow
}

// errOverflow reports finite elements whose squares overflow. In an indefinite K, elements may be far larger than the diagonal.
var errOverflow = fmt.Errorf("measures: the squares of the elements of K overflow: %w", fault.ErrNotFinite)
