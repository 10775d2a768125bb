package loo

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
)

// LookOnce is Problem.Look of one ridge, without the reduction that many share: gram (n×n),
// whose memory it takes over, targets (n×k) and weights (n, nil for all 1). Cost 2n³/3, a
// quarter of New's.
func LookOnce(gram *mat.SymDense, targets *mat.Dense, weights []float64, ridge float64) Look {
	n, k := targets.Dims()
	out := Look{Ridge: ridge, Error: math.Inf(1), Evidence: math.Inf(-1)}
	at := func(i int) float64 {
		if weights == nil {
			return 1
		}
		return weights[i]
	}
	for i := range n {
		gram.SetSym(i, i, gram.At(i, i)+ridge/at(i))
	}
	factor, err := linalg.NewCholesky("", gram)
	if err != nil || factor.Jitter() > 0 {
		return out
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
	residuals := make([]float64, k)
	diag := factor.DiagInverse()
	squares, weight, q := make([]float64, n), 0.0, 0.0
	for i := range n {
		row, w := b.RawRowView(i), at(i)
		p := diag[i] - row[0]*row[0]/sums[0]
		if !(p > 0) {
			return out
		}
		for j, t := range targets.RawRowView(i) {
			a := row[j+1] - row[0]*sums[j+1]/sums[0]
			squares[i] += w * a * a / p / p
			q += a * t
			residuals[j] = a / p
		}
		if wrong(targets.RawRowView(i), residuals, nil) {
			out.Wrong += w
		}
		weight += w
	}
	out.Wrong /= weight
	out.average(squares, weight)
	out.Evidence = restricted(n, k, q, factor.LogDet(), sums[0])
	return out
}
