package loo

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// LookOnce is Problem.Look of one ridge, without the reduction that many share: gram (n×n),
// whose memory it takes over, targets (n×k) and weights (n, nil for all 1). Cost 2n³/3, a
// quarter of New's.
func LookOnce(gram *mat.SymDense, targets *mat.Dense, own []float64, ridge float64) Look {
	s, factor := solveOnce(gram, targets, own, ridge)
	if s == nil {
		return Look{Ridge: ridge, Error: math.Inf(1), Evidence: math.Inf(-1)}
	}
	_, slope := s.slope(factor, own, ridge)
	return lookOf(s, factor, targets, own, ridge, slope)
}

// lookOf is what a solution says.
func lookOf(s *Solution, factor *linalg.Cholesky, targets *mat.Dense, own []float64, ridge, slope float64) Look {
	out := Look{Ridge: ridge, Slope: slope, Solved: s}
	n, k := targets.Dims()
	squares, weight, q, eta := make([]float64, n), 0.0, 0.0, 0.0
	for i := range n {
		w, t, residuals := weights.At(own, i), targets.RawRowView(i), s.Residuals.RawRowView(i)
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

// solveOnce is Problem.Solve by a factor of M, which it makes in the upper triangle of gram and
// returns; nil where rounding makes M indefinite. Cost 2n³/3.
func solveOnce(gram *mat.SymDense, targets *mat.Dense, own []float64, ridge float64) (*Solution, *linalg.Cholesky) {
	n, k := targets.Dims()
	for i := range n {
		gram.SetSym(i, i, gram.At(i, i)+ridge/weights.At(own, i))
	}
	factor, ok := linalg.TryCholesky(gram)
	if !ok {
		return nil, nil
	}
	b := mat.NewDense(n, 1+k, nil) // [1 | t], then [η | ν]
	for i := range n {
		row := b.RawRowView(i)
		row[0] = 1
		copy(row[1:], targets.RawRowView(i))
	}
	factor.Solve(b)
	sums := make([]float64, 1+k)
	for i := range n {
		for j, v := range b.RawRowView(i) {
			sums[j] += v
		}
	}
	if !(sums[0] > 0) {
		return nil, nil
	}
	out := &Solution{
		Alpha: mat.NewDense(n, k, nil), Bias: sums[1:], Eta: mat.Col(nil, 0, b),
		Inverse: factor.DiagInverse(), Residuals: mat.NewDense(n, k, nil),
	}
	for j := range out.Bias {
		out.Bias[j] /= sums[0]
	}
	for i, eta := range out.Eta {
		out.Inverse[i] -= eta * eta / sums[0]
		if !(out.Inverse[i] > 0) {
			return nil, nil
		}
		for j, b0 := range out.Bias {
			a := b.At(i, j+1) - eta*b0
			out.Alpha.Set(i, j, a)
			out.Residuals.Set(i, j, a/out.Inverse[i])
		}
	}
	return out, factor
}
