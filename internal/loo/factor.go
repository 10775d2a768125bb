package loo

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// EvaluateOnce is like Problem.Evaluate for a single ridge, without the reduction that several ridges share. It overwrites gram (n×n). The
// targets are n×k, and own holds the n weights, or is nil if all are 1. It costs 2n³/3, a quarter of the cost of New. It returns
// ctx's error.
func EvaluateOnce(ctx context.Context, gram *mat.SymDense, targets *mat.Dense, own []float64, ridge float64) (Evaluation, error) {
	s, factor, err := solveOnce(ctx, gram, targets, own, ridge)
	if err != nil || s == nil {
		return Evaluation{Ridge: ridge, Error: math.Inf(1), Evidence: math.Inf(-1)}, err
	}
	_, slope, err := s.slope(ctx, factor, own, ridge)
	if err != nil {
		return Evaluation{}, err
	}
	return evaluationOf(s, factor, targets, own, ridge, slope), nil
}

// evaluationOf returns the results for a solution.
func evaluationOf(s *Solution, factor *linalg.Cholesky, targets *mat.Dense, own []float64, ridge, slope float64) Evaluation {
	out := Evaluation{Ridge: ridge, Slope: slope, Solved: s}
	n, k := targets.Dims()
	squares, weight, q, eta := make([]float64, n), 0.0, 0.0, 0.0
	for i := range n {
		w, t, residuals := weights.Weight(own, i), targets.RawRowView(i), s.Residuals.RawRowView(i)
		for j, e := range residuals {
			squares[i] += w * e * e
			q += s.Alpha.At(i, j) * t[j]
		}
		if wrong(t, residuals, nil) {
			out.Wrong += w
		}
		weight += w
		eta += s.Eta[i]
	}
	out.Wrong /= weight
	out.average(squares, weight)
	out.Evidence = restricted(n, k, q, factor.LogDet(), eta)
	return out
}

// solveOnce is like Problem.Solve, but computes a factor of M in the upper triangle of gram, and returns it too. It returns nil if
// rounding makes M indefinite. It costs 2n³/3. It returns ctx's error.
func solveOnce(ctx context.Context, gram *mat.SymDense, targets *mat.Dense, own []float64, ridge float64) (*Solution, *linalg.Cholesky,
	error) {
	n, k := targets.Dims()
	for i := range n {
		gram.SetSym(i, i, gram.At(i, i)+ridge/weights.Weight(own, i))
	}
	parts := progress.Parts(ctx, 10, 1, 10)
	factor, ok, err := linalg.TryCholesky(parts[0], gram)
	if err != nil || !ok {
		return nil, nil, err
	}
	b := mat.NewDense(n, 1+k, nil) // first [1 | t], then [η | ν]
	for i := range n {
		row := b.RawRowView(i)
		row[0] = 1
		copy(row[1:], targets.RawRowView(i))
	}
	if err := factor.Solve(parts[1], b); err != nil {
		return nil, nil, err
	}
	sums := make([]float64, 1+k)
	for i := range n {
		for j, v := range b.RawRowView(i) {
			sums[j] += v
		}
	}
	if !(sums[0] > 0) {
		return nil, nil, nil
	}
	inverse, err := factor.DiagInverse(parts[2])
	if err != nil {
		return nil, nil, err
	}
	out := &Solution{
		Alpha: mat.NewDense(n, k, nil), Bias: sums[1:], Eta: mat.Col(nil, 0, b),
		Inverse: inverse, Residuals: mat.NewDense(n, k, nil),
	}
	for j := range out.Bias {
		out.Bias[j] /= sums[0]
	}
	for i, eta := range out.Eta {
		out.Inverse[i] -= eta * eta / sums[0]
		if !(out.Inverse[i] > 0) {
			return nil, nil, nil
		}
		for j, b0 := range out.Bias {
			a := b.At(i, j+1) - eta*b0
			out.Alpha.Set(i, j, a)
			out.Residuals.Set(i, j, a/out.Inverse[i])
		}
	}
	return out, factor, nil
}
