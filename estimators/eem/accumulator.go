package eem

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// accumulator sums up the rows of a class, for the first so many features as each of
// widths says, ascending: the symmetric product, which is nearly all of the cost, is done
// once for all of them.
//
// The moments are taken about the mean of the first panel and moved to that of all rows in
// the end. Should the first panel lie apart from all others, that loses no more than the
// logarithm of their number in digits.
type accumulator struct {
	widths []int
	n      float64
	centre []float64 // nil before the first panel
	sum    []float64 // of y, the features less the centre
	c2     *mat.SymDense
	c3     [][]float64 // for each width, as c4
	c4     []float64
}

func newAccumulator(widths []int) *accumulator {
	largest := widths[len(widths)-1]
	a := &accumulator{widths: widths, sum: make([]float64, largest), c2: mat.NewSymDense(largest, nil), c4: make([]float64, len(widths))}
	for _, w := range widths {
		a.c3 = append(a.c3, make([]float64, w))
	}
	return a
}

// A panel of rows at a time, which stays in the cache, is in columns, along which the
// symmetric product is fastest. The padding keeps columns from lying a power of two apart,
// where they would drive each other out.
const panel, panelPadding = 512, 8

func newPanel(features int) *mat.Dense {
	return mat.NewDense(features, panel+panelPadding, nil)
}

// transpose sets y to x'.
func transpose(y, x *mat.Dense) {
	raw := y.RawMatrix()
	rows, _ := x.Dims()
	const tile = 16 // rows whose parts stay in the cache together
	for first := 0; first < rows; first += tile {
		for i := first; i < min(first+tile, rows); i++ {
			for j, v := range x.RawRowView(i) {
				raw.Data[j*raw.Stride+i] = v
			}
		}
	}
}

// add takes in a panel y, a column for each row of the class, which it overwrites, with
// weights w, nil for 1 each.
func (a *accumulator) add(y *mat.Dense, w []float64) {
	h, n := y.Dims()
	if a.centre == nil {
		a.centre = make([]float64, h)
		for j := range a.centre {
			row := y.RawRowView(j)
			origin := row[0] // from which the sum loses nothing to a common offset
			for _, v := range row {
				a.centre[j] += v - origin
			}
			a.centre[j] = origin + a.centre[j]/float64(n)
		}
	}
	squares := make([]float64, n) // of the part of each row up to a width
	weighted := squares
	if w != nil {
		weighted = make([]float64, n)
	}
	from := 0
	for k, width := range a.widths {
		for j := from; j < width; j++ {
			sum := subtract(y.RawRowView(j), a.centre[j], squares)
			if w != nil {
				sum = linalg.Dot(y.RawRowView(j), w)
			}
			a.sum[j] += sum
		}
		from = width
		if w != nil {
			floats.MulTo(weighted, squares, w)
		}
		for j := range width {
			a.c3[k][j] += linalg.Dot(y.RawRowView(j), weighted)
		}
		for i, v := range squares {
			a.c4[k] += v * weighted[i]
		}
	}
	if w == nil {
		a.n += float64(n)
	} else {
		a.n += floats.Sum(w)
		roots := make([]float64, n)
		for i, v := range w {
			roots[i] = math.Sqrt(v)
		}
		for j := range h {
			floats.Mul(y.RawRowView(j), roots)
		}
	}
	fast.AddOuterK(a.c2, 1, y)
}

// subtract takes c from row, adds the squares of what is left to squares, and returns its
// sum.
func subtract(row []float64, c float64, squares []float64) (sum float64) {
	squares = squares[:len(row)]
	for i, v := range row {
		v -= c
		row[i] = v
		squares[i] += v * v
		sum += v
	}
	return sum
}

// statistics returns those of each width; a may not be used after it.
func (a *accumulator) statistics() ([]*Statistics, error) {
	out := make([]*Statistics, len(a.widths))
	for k, width := range a.widths {
		out[k] = &Statistics{}
		if a.n == 0 {
			continue
		}
		s := &Statistics{n: a.n, mean: append([]float64(nil), a.centre[:width]...), low: make([]float64, width), c2: a.c2, c3: a.c3[k], c4: a.c4[k]}
		if width < len(a.centre) {
			s.c2 = mat.NewSymDense(width, nil)
			s.c2.CopySym(a.c2.SliceSym(0, width).(*mat.SymDense))
		}
		if v := s.c4 + mat.Trace(s.c2); v-v != 0 {
			return nil, fmt.Errorf("%s: the rows are too large, their fourth powers overflow: %w", statisticsType, fault.ErrNotFinite)
		}
		toOwn := make([]float64, width)
		for j := range toOwn {
			toOwn[j] = a.sum[j] / a.n
		}
		s.recentre(toOwn)
		s.c4 = max(0, s.c4)
		out[k] = s
	}
	return out, nil
}
