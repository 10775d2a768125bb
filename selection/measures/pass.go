package measures

import (
	"context"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

const (
	// tile is the number of rows of a block. It is a constant because the last bits
	// of a sum depend on how it is cut.
	tile = 128
	// pilots is the number of rows whose mean in feature space the sums are centred
	// on. Any point near the data will do, so they are few.
	pilots = 16
)

// noise is the relative error that the elements of K may have: what is a difference of
// them and not above that counts as 0. It is more than their rounding because a power
// of a high degree magnifies it: on equal rows one of 500 leaves 1e-13.
const noise = 1e-12

// source is a kernel matrix whose rows are in the order of a grouping.
type source interface {
	// block sets dst[r,c] to element (i+r, j+c).
	block(dst *mat.Dense, i, j int)
	// column sets dst to column j.
	column(dst []float64, j int)
	diagonal(dst []float64)
	// notFinite is the error for an element, under the caller's number of its row
	// and column.
	notFinite(i, j int, v float64) error
}

// sums are what one pass over K leaves. They are of the centred and scaled
//
//	k̃[i,j] = s·k[i,j] - h[i] - h[j]
//
// where s is a power of two that brings the elements near 1 and h moves the origin
// of the feature space into the data: measures that no translation changes are
// taken of k̃, so an offset of K costs them no digits.
type sums struct {
	grouping
	h        []float64
	diagonal []float64   // k̃[i,i]
	class    [][]float64 // [c][i] = Σ k̃[i,j] over the j of class c
	scale    float64     // s
	part
}

// part is one block row's share of the scalar sums.
type part struct {
	square  float64 // Σ (s·k)²
	centred float64 // Σ k̃²
	form    float64 // z'k̃z for the grouping's targets z
}

func (p part) plus(q part) part {
	return part{p.square + q.square, p.centred + q.centred, p.form + q.form}
}

// pass goes once over the upper triangle of K, in tiles.
//
// In round t the tile of block rows I and J with I+J ≡ t modulo their number is
// added to the sums of the rows of I and of J. No two tiles of a round share a
// block row, so they run side by side without a lock, and each sum gets its terms
// in the order of the rounds, whatever the number of workers.
func pass(ctx context.Context, workers int, src source, g grouping) (*sums, error) {
	n := g.rows()
	s := &sums{grouping: g, class: make([][]float64, g.classes())}
	for c := range s.class {
		s.class[c] = make([]float64, n)
	}
	if err := s.centre(ctx, workers, src); err != nil {
		return nil, err
	}
	blocks := (n + tile - 1) / tile
	parts := make([]part, blocks)
	buffers := sync.Pool{New: func() any { return new([tile * tile]float64) }}
	for round := range blocks {
		err := parallel.For(ctx, workers, blocks, func(i int) error {
			j := (round - i + blocks) % blocks
			if i > j {
				return nil // the same tile as (j, i)
			}
			buffer := buffers.Get().(*[tile * tile]float64)
			defer buffers.Put(buffer)
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
		s.part = s.part.plus(p)
	}
	if v := s.square + s.centred; v-v != 0 {
		// An indefinite K may have elements far above its diagonal.
		return nil, &fault.NotFiniteError{Name: "the sum of squares of K", Row: 0, Col: -1, Value: v}
	}
	for i, v := range s.diagonal {
		s.diagonal[i] = s.scale*v - 2*s.h[i]
	}
	return s, nil
}

// centre finds the scale and the origin, and the diagonal as it is.
func (s *sums) centre(ctx context.Context, workers int, src source) error {
	n := s.rows()
	s.h, s.diagonal = make([]float64, n), make([]float64, n)
	src.diagonal(s.diagonal)
	for i, v := range s.diagonal {
		if v-v != 0 {
			return src.notFinite(i, i, v)
		}
	}
	columns := make([][]float64, min(pilots, n))
	at := func(p int) int { return p * n / len(columns) } // spread, and so over the classes
	err := parallel.For(ctx, workers, len(columns), func(p int) error {
		columns[p] = make([]float64, n)
		src.column(columns[p], at(p))
		for i, v := range columns[p] {
			if v-v != 0 {
				return src.notFinite(i, at(p), v)
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
	own := 0.0 // the mean of the pilots times itself
	for p := range columns {
		own += s.h[at(p)] / float64(len(columns))
	}
	for i := range s.h {
		s.h[i] -= own / 2
	}
	return nil
}

// powerOfTwo returns one over the power of two next to the largest magnitude: a
// factor that rounds nothing and keeps squares in range.
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
	return math.Ldexp(1, min(max(-e, -1022), 1023))
}

// add adds a tile to the sums of its rows and of its columns: beside the diagonal
// it stands for its mirror image too. It returns its share of the scalar sums.
func (s *sums) add(src source, t *mat.Dense, i0, j0 int) (part, error) {
	rows, cols := t.Dims()
	var mirror [tile]float64 // takes what the tile on the diagonal has twice
	var p part
	for r := range rows {
		i, row := i0+r, t.RawRowView(r)
		into := s.class[s.classOf(i)][j0 : j0+cols]
		if i0 == j0 {
			row[r] = s.diagonal[i] // the kernel's own, without the rounding of a product
			into = mirror[:cols]
		}
		for c, from := s.classOf(j0), j0; from < j0+cols; c++ {
			to := min(s.bounds[c+1], j0+cols)
			segment := row[from-j0 : to-j0]
			sum, square, centred := sweep(segment, s.h[from:to], into[from-j0:to-j0], s.h[i], s.scale)
			if sum-sum != 0 {
				return p, notFiniteIn(src, segment, i, from)
			}
			s.class[c][i] += sum
			p.square += square
			p.centred += centred
			from = to
		}
		if s.target != nil {
			p.form += s.target[i] * floats.Dot(row, s.target[j0:j0+cols])
		}
	}
	if i0 != j0 {
		p = p.plus(p)
	}
	return p, nil
}

// sweep turns a row of k into k̃, adds it to into, and returns the sums of k̃, of
// (scale·k)² and of k̃².
func sweep(row, h, into []float64, hi, scale float64) (sum, square, centred float64) {
	h, into = h[:len(row)], into[:len(row)]
	for j, k := range row {
		k *= scale
		square += k * k
		k -= hi + h[j]
		row[j] = k
		into[j] += k
		sum += k
		centred += k * k
	}
	return sum, square, centred
}

func notFiniteIn(src source, segment []float64, i, j int) error {
	for c, v := range segment {
		if v-v != 0 {
			return src.notFinite(i, j+c, v)
		}
	}
	return src.notFinite(i, j, math.Inf(1)) // the sum alone
}
