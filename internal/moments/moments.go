// Package moments accumulates the means of columns and the products of deviations from them, over weighted rows that come in
// blocks.
package moments

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Gram holds, for n rows x[i] of d columns with weights w[i],
//
//	W = Σ w[i],  m = Σ w[i] x[i] / W,  S = Σ w[i] (x[i] - m)(x[i] - m)'
//
// Merging uses the formula of T. Chan, G. Golub and R. LeVeque (The American Statistician 37, 1983). The mean is stored as two
// numbers, because far from 0 its rounding error would not be small compared with the spread. Therefore a common offset does not
// reduce the precision of S. The zero value holds no rows.
type Gram struct {
	N      int
	Weight float64
	Mean   []float64
	Low    []float64 // rounding error of Mean
	S      *mat.SymDense
}

// pieceRows is the number of rows summed at a time.
const pieceRows = 1024

// NewGram returns the Gram of rows x (n×d) with these weights. If weights is nil, each weight is 1. It returns ctx's error.
func NewGram(ctx context.Context, x *mat.Dense, weights []float64) (*Gram, error) {
	n, d := x.Dims()
	out := &Gram{}
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for from := 0; from < n; from += pieceRows {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		loop.Report(float64(from) / float64(n))
		to := min(from+pieceRows, n)
		var w []float64
		if weights != nil {
			w = weights[from:to]
		}
		out.Merge(ofPiece(mat.DenseCopyOf(x.Slice(from, to, 0, d)), w))
	}
	return out, ctx.Err()
}

// ofPiece returns the Gram of x, which it overwrites.
func ofPiece(x *mat.Dense, weights []float64) *Gram {
	n, d := x.Dims()
	g := &Gram{N: n, Weight: float64(n), Mean: make([]float64, d), Low: make([]float64, d), S: mat.NewSymDense(d, nil)}
	if weights != nil {
		g.Weight = floats.Sum(weights)
	}
	// Mean is computed relative to the first row, and is rounded. The mean of the rows relative to Mean is its rounding error.
	g.mean(g.Mean, x, x.RawRowView(0), weights)
	floats.Add(g.Mean, x.RawRowView(0))
	g.mean(g.Low, x, g.Mean, weights)
	for i := range n {
		row := x.RawRowView(i)
		floats.Sub(row, g.Mean)
		floats.Sub(row, g.Low)
		if weights != nil {
			floats.Scale(math.Sqrt(weights[i]), row)
		}
	}
	fast.SymOuterK(g.S, 1, x.T())
	return g
}

// mean adds the weighted mean of the rows of x minus from to dst.
func (g *Gram) mean(dst []float64, x *mat.Dense, from, weights []float64) {
	n, _ := x.Dims()
	for i := range n {
		share := 1 / g.Weight
		if weights != nil {
			share = weights[i] / g.Weight
		}
		for j, v := range x.RawRowView(i) {
			dst[j] += share * (v - from[j])
		}
	}
}

// Merge includes the rows of o, which has the same number of columns. It does not change o.
func (g *Gram) Merge(o *Gram) {
	switch {
	case o.N == 0:
		return
	case g.N == 0:
		*g = *o.Clone()
		return
	}
	weight := g.Weight + o.Weight
	apart := make([]float64, len(g.Mean))
	for j := range apart {
		apart[j] = (o.Mean[j] - g.Mean[j]) + (o.Low[j] - g.Low[j])
	}
	g.S.AddSym(g.S, o.S)
	g.S.SymRankOne(g.S, g.Weight*(o.Weight/weight), mat.NewVecDense(len(apart), apart))
	for j, v := range apart {
		small := g.Low[j] + v*(o.Weight/weight)
		sum := g.Mean[j] + small
		back := sum - g.Mean[j]
		g.Low[j] = (g.Mean[j] - (sum - back)) + (small - back)
		g.Mean[j] = sum
	}
	g.N += o.N
	g.Weight = weight
}

// Clone returns a copy that shares no memory.
func (g *Gram) Clone() *Gram {
	out := &Gram{N: g.N, Weight: g.Weight, Mean: append([]float64(nil), g.Mean...), Low: append([]float64(nil), g.Low...)}
	if g.S != nil {
		out.S = mat.NewSymDense(g.S.SymmetricDim(), nil)
		out.S.CopySym(g.S)
	}
	return out
}

// About0 returns S + W m m', the products of the rows without centring.
func (g *Gram) About0() *mat.SymDense {
	out := mat.NewSymDense(len(g.Mean), nil)
	mean := make([]float64, len(g.Mean))
	floats.AddTo(mean, g.Mean, g.Low)
	out.SymRankOne(g.S, g.Weight, mat.NewVecDense(len(mean), mean))
	return out
}

// Finite reports whether all sums are finite.
func (g *Gram) Finite() bool {
	total := g.Weight
	if g.S != nil {
		total += mat.Trace(g.S)
	}
	for j, m := range g.Mean {
		total += math.Abs(m)/math.MaxFloat64 + g.Low[j]/math.MaxFloat64
	}
	return total-total == 0
}

// Stored is the file form of a Gram.
type Stored struct {
	N         int
	Weight    float64
	Mean, Low codec.Floats
	S         codec.Floats // the upper triangle, row by row
}

// Store returns the file form.
func (g *Gram) Store() Stored {
	return Stored{N: g.N, Weight: g.Weight, Mean: g.Mean, Low: g.Low, S: codec.FromSym(g.S)}
}

// Gram returns the stored value, or an error if no rows have these moments.
func (s Stored) Gram() (*Gram, error) {
	d := len(s.Mean)
	sums, ok := s.S.Sym(d)
	switch {
	case !ok || len(s.Low) != d || !s.Mean.Finite() || !s.Low.Finite() || !(codec.Floats{s.Weight}).Finite():
		return nil, fmt.Errorf("%d products and %d corrections for %d columns, or not finite", len(s.S), len(s.Low), d)
	case s.N < 0 || (s.N == 0) != (d == 0) || (s.N == 0) != (s.Weight == 0) || s.Weight < 0:
		return nil, fmt.Errorf("%d rows of weight %v and %d columns", s.N, s.Weight, d)
	}
	for j := range d {
		if sums.At(j, j) < 0 {
			return nil, fmt.Errorf("squares of column %d that sum to %v", j, sums.At(j, j))
		}
	}
	if d == 0 {
		return &Gram{}, nil
	}
	return &Gram{N: s.N, Weight: s.Weight, Mean: s.Mean, Low: s.Low, S: sums}, nil
}
