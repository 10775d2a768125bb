package loo

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// Linear is the leave-one-out error of ridge regression on features, as a function
// of the ridge λ: Problem for a linear kernel, at d columns in place of n rows.
type Linear struct {
	tri      *linalg.Tridiagonal // of Z'Z = QTQ'
	rotated  *mat.Dense          // ZQ
	moment   *mat.Dense          // Q'Z't, d×k
	targets  *mat.Dense          // t, n×k
	leverage []float64
	weight   float64 // Σw
	scale    float64
	workers  int
}

// NewLinear prepares a problem: gram = Z'Z (d×d), whose memory it takes over, z
// (n×d) and targets t (n×k), both centred and times √w; what the intercept adds to
// the leverage of each row (w/Σw, or 0 without one); the sum of the weights; and
// the scale of the ridges, the variance of the rows times the mean weight. Cost 8d³/3 + 2nd².
func NewLinear(gram *mat.SymDense, z, targets *mat.Dense, leverage []float64, weight, scale float64, workers int) *Linear {
	n, d := z.Dims()
	p := &Linear{targets: targets, leverage: leverage, weight: weight, scale: scale, workers: workers}
	if !(p.scale > 0) {
		p.scale = 1
	}
	_, k := targets.Dims()
	p.moment = mat.NewDense(d, k, nil)
	p.moment.Mul(z.T(), targets)
	var q *mat.Dense
	p.tri, q = linalg.TridiagonalizeWithQ(gram, p.moment)
	p.rotated = mat.NewDense(n, d, nil)
	p.rotated.Mul(z, q)
	return p
}

// At returns the mean weighted squared leave-one-out residual, summed over the targets;
// infinity where rounding makes Z'Z + λI indefinite. Cost O(ndk).
func (p *Linear) At(ctx context.Context, lambda float64) (float64, error) {
	squares, err := p.squares(ctx, lambda)
	if err != nil || squares == nil {
		return math.Inf(1), err
	}
	return floats.Sum(squares) / p.weight, nil
}

// squares are those of the leave-one-out residuals times √w, summed over the targets; nil
// where there is no machine.
func (p *Linear) squares(ctx context.Context, lambda float64) ([]float64, error) {
	s, ok := p.tri.Shift(lambda)
	if !ok {
		return nil, ctx.Err()
	}
	leverage, err := s.Quad(ctx, p.workers, p.rotated)
	if err != nil {
		return nil, err
	}
	coefficients := mat.DenseCopyOf(p.moment)
	s.Solve(coefficients)
	var fitted mat.Dense
	fitted.Mul(p.rotated, coefficients)
	out := make([]float64, len(leverage))
	for i, h := range leverage {
		rest := 1 - h - p.leverage[i]
		if !(rest > 0) {
			return nil, nil
		}
		for j, t := range p.targets.RawRowView(i) {
			e := (t - fitted.At(i, j)) / rest
			out[i] += e * e
		}
	}
	return out, nil
}

// Search is Problem.Search.
func (p *Linear) Search(ctx context.Context, observe func(evaluation int, ridge, err float64)) (Minimum, error) {
	return search(ctx, p.scale, 0, p.At, observe)
}

// SearchFrom is Problem.SearchFrom.
func (p *Linear) SearchFrom(ctx context.Context, least float64) (Minimum, error) {
	return search(ctx, p.scale, least, p.At, nil)
}
