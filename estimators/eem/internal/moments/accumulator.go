package moments

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// Accumulator sums the moments of the rows of a class for several numbers of features, widths, in ascending order. The symmetric
// product accounts for nearly all of the cost, and is computed once for all widths.
//
// The moments are computed about the mean of the first panel, and converted to the mean of all rows at the end. Even if the first
// panel is far from all others, the number of lost digits is at most the logarithm of the number of panels.
type Accumulator struct {
	widths []int
	n      float64
	centre []float64 // nil before the first panel
	sum    []float64 // sum of y, which is the features minus the centre
	c2     *mat.SymDense
	c3     [][]float64 // for each width, like c4
	c4     []float64
}

// NewAccumulator returns an Accumulator without rows.
func NewAccumulator(widths []int) *Accumulator {
	largest := widths[len(widths)-1]
	a := &Accumulator{widths: widths, sum: make([]float64, largest), c2: mat.NewSymDense(largest, nil), c4: make([]float64, len(widths))}
	for _, w := range widths {
		a.c3 = append(a.c3, make([]float64, w))
	}
	return a
}

// PanelRows is the number of rows of a panel, which stays in the cache. Each row is a column of the panel, because the symmetric
// product is fastest along columns. The padding avoids distances of a power of two between columns, which would evict each other
// from the cache.
const PanelRows, panelPadding = 512, 8

// NewPanel returns memory for a panel.
func NewPanel(features int) *mat.Dense {
	return mat.NewDense(features, PanelRows+panelPadding, nil)
}

// transpose sets y to x'.
func transpose(y, x *mat.Dense) {
	raw := y.RawMatrix()
	rows, _ := x.Dims()
	const tile = 16 // number of rows whose parts stay in the cache together
	for first := 0; first < rows; first += tile {
		for i := first; i < min(first+tile, rows); i++ {
			for j, v := range x.RawRowView(i) {
				raw.Data[j*raw.Stride+i] = v
			}
		}
	}
}

// Add adds a panel y, which has a column for each row of the class. It overwrites the panel. If all weights w are 1, w is nil.
func (a *Accumulator) Add(y *mat.Dense, w []float64) {
	h, n := y.Dims()
	if a.centre == nil {
		a.centre = make([]float64, h)
		for j := range a.centre {
			row := y.RawRowView(j)
			origin := row[0] // subtracted so that the sum loses no digits to a common offset
			for _, v := range row {
				a.centre[j] += v - origin
			}
			a.centre[j] = origin + a.centre[j]/float64(n)
		}
	}
	squares := make([]float64, n) // for each row, the sum over the features up to a width
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

// subtract subtracts c from each entry of row, and adds the squares of the results to squares. It returns the sum of the results.
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

// Moments returns the moments for each width. The Accumulator must not be used afterwards.
func (a *Accumulator) Moments() ([]*Moments, error) {
	out := make([]*Moments, len(a.widths))
	for k, width := range a.widths {
		out[k] = &Moments{}
		if a.n == 0 {
			continue
		}
		s := &Moments{Weight: a.n, Means: slices.Clone(a.centre[:width]), Low: make([]float64, width), C2: a.c2, C3: a.c3[k], C4: a.c4[k]}
		if width < len(a.centre) {
			s.C2 = mat.NewSymDense(width, nil)
			s.C2.CopySym(a.c2.SliceSym(0, width).(*mat.SymDense))
		}
		if v := s.C4 + mat.Trace(s.C2); v-v != 0 {
			return nil, fmt.Errorf("%s: the rows are too large, their fourth powers overflow: %w", name, fault.ErrNotFinite)
		}
		toOwn := make([]float64, width)
		for j := range toOwn {
			toOwn[j] = a.sum[j] / a.n
		}
		s.recentre(toOwn)
		s.C4 = max(0, s.C4)
		out[k] = s
	}
	return out, nil
}
