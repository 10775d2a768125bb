package falkon

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
)

const (
	// fewRows and fewLandmarks are for a search among all widths, moreRows and moreLandmarks for a look
	// at narrower ones, which more landmarks make better.
	fewRows, fewLandmarks   = 2000, 300
	moreRows, moreLandmarks = 4000, 600
	// widest is the largest length, and one over the least, in units of that of the median distance.
	widest = 64.0
	// farWidth is by what share the error of a length has to be less than that of the typical distance
	// if it is a factor of two from it, and four times as much if it is a factor of four. Single rows
	// far from all others, as of california-housing, make errors of 4000 rows uncertain by so much.
	farWidth = .005
)

// widthStarts are the lengths that are looked at first, in units of that of the median distance.
var widthStarts = []float64{1. / 16, 1. / 4, 1, 4}

// widths are the leave-one-out errors of small models by the length of their kernel.
type widths struct {
	settings
	rows      *source
	landmarks *mat.Dense
	unit      float64      // a typical distance
	tried     []triedWidth // ascending
}

// triedWidth is a length in units of the typical distance, and the least error of all ridges.
type triedWidth struct{ length, err float64 }

// chooseWidth returns the Matérn kernel of ν = 5/2 whose length has the least leave-one-out error on
// landmarks and rows of those drawn, at the best ridge of each. Few rows are all landmarks, and
// then it is that of the machine without landmarks.
func (s settings) chooseWidth(ctx context.Context, d *drawn, m int) (kernels.Kernel, error) {
	median, err := kernels.MedianRBF(ctx, window(d.x, 0, min(leastDrawn, d.rows())), s.seed)
	if err != nil {
		return nil, err
	}
	unit := 1 / math.Sqrt(median.Gamma)
	few := s.widthsOf(d, min(m, fewLandmarks), fewRows, unit)
	for _, length := range widthStarts {
		if _, err := few.at(ctx, length); err != nil {
			return nil, err
		}
	}
	length, err := few.refine(ctx)
	if err != nil || m < moreLandmarks || d.rows() < moreLandmarks+moreRows {
		return few.kernel(length), err
	}
	more := s.widthsOf(d, moreLandmarks, moreRows, unit)
	length, err = more.narrow(ctx, length)
	return more.kernel(length), err
}

// widthsOf takes landmarks, and rows that are none if there are enough.
func (s settings) widthsOf(d *drawn, m, rows int, unit float64) *widths {
	own := distinct(d.x, m)
	from := own[len(own)-1] + 1
	if d.rows()-from < 2*len(own) {
		from = 0
	}
	b := d.part(from, min(d.rows(), from+rows))
	s.ridge, s.loss = 0, SquaredLoss
	return &widths{settings: s, rows: inMemory(b.x, b.y, b.w), landmarks: linalg.Rows(d.x, own), unit: unit}
}

func (w *widths) kernel(length float64) kernels.Kernel {
	return kernels.Matern{Nu: 2.5, Length: length * w.unit}
}

// at returns the mean squared leave-one-out error of a length, times what its distance from the
// typical one makes of it; infinite where there is none.
func (w *widths) at(ctx context.Context, length float64) (float64, error) {
	b, err := newBasis(ctx, w.settings, w.kernel(length), w.landmarks)
	if err != nil {
		return 0, err
	}
	p := newProblem(w.settings, b, w.rows)
	all := p.over(ctx, w.rows)
	sum := make([]float64, p.m)
	equations, err := p.products(ctx, w.rows, nil, sum, all)
	if err != nil {
		return 0, err
	}
	p.centreBy(equations, p.src, sum)
	unit := p.scale() * w.rows.weight
	grid := ridgeGrid(leastRidge*unit, largestRidge*unit, ridgesPerDecade)
	turned, err := rotate(ctx, equations.g)
	if err != nil {
		return 0, err
	}
	errors, err := p.errorsOf(ctx, newCandidates(turned, equations.r, grid), w.rows.weight, all)
	if err != nil {
		return 0, err
	}
	octaves := math.Log2(length)
	out := slices.Min(errors) * (1 + farWidth*octaves*octaves)
	at, _ := slices.BinarySearchFunc(w.tried, length, func(t triedWidth, v float64) int {
		if t.length < v {
			return -1
		}
		return 1
	})
	w.tried = slices.Insert(w.tried, at, triedWidth{length, out})
	return out, nil
}

// best is the place of the least error, of equal ones that nearest to the typical distance.
func (w *widths) best() int {
	out := 0
	for i, t := range w.tried {
		if o := w.tried[out]; t.err < o.err || t.err == o.err && math.Abs(math.Log(t.length)) < math.Abs(math.Log(o.length)) {
			out = i
		}
	}
	return out
}

// refine looks at lengths on both sides of the best until they are a factor of two apart, and at the
// top of a parabola through the three in logarithms.
func (w *widths) refine(ctx context.Context) (float64, error) {
	for {
		i := w.best()
		at := w.tried[i]
		if !(at.err > 0) || math.IsInf(at.err, 1) {
			return at.length, nil // nothing to tell lengths by
		}
		next := 0.0
		switch {
		case i == 0 || at.length > 2*w.tried[i-1].length:
			next = at.length / 2
		case i == len(w.tried)-1 || 2*at.length < w.tried[i+1].length:
			next = at.length * 2
		default:
			return w.between(ctx, i)
		}
		if next > widest || next < 1/widest {
			return at.length, nil
		}
		if _, err := w.at(ctx, next); err != nil {
			return 0, err
		}
	}
}

// between tries the top of the parabola through three lengths, and returns the best.
func (w *widths) between(ctx context.Context, i int) (float64, error) {
	low, at, high := math.Log(w.tried[i-1].err), math.Log(w.tried[i].err), math.Log(w.tried[i+1].err)
	bend := low - 2*at + high
	if !(bend > 0) || math.IsInf(bend, 1) {
		return w.tried[i].length, nil
	}
	length := w.tried[i].length * math.Pow(2, (low-high)/(2*bend))
	if _, err := w.at(ctx, length); err != nil {
		return 0, err
	}
	return w.tried[w.best()].length, nil
}

// narrow halves a length as long as the error falls.
func (w *widths) narrow(ctx context.Context, length float64) (float64, error) {
	least, err := w.at(ctx, length)
	for err == nil && length/2 >= 1/widest {
		var next float64
		if next, err = w.at(ctx, length/2); !(next < least) {
			break
		}
		length, least = length/2, next
	}
	return length, err
}
