// Package stack finds the shares of models in a weighted mean. They are computed from the predictions that each model makes for
// rows it was not fitted to (D. H. Wolpert, Stacked generalization, Neural Networks 5, 1992; L. Breiman, Stacked regressions,
// Machine Learning 24, 1996). Shares are nonnegative and sum to 1.
package stack

import (
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// Errors returns G[k,l] = Σ w[i] e[k][i] e[l][i] / Σ w for the errors e[k] of each model, one per row. If weights is nil, each
// weight is 1.
func Errors(e [][]float64, weights []float64) *mat.SymDense {
	g := mat.NewSymDense(len(e), nil)
	total := float64(len(e[0]))
	if weights != nil {
		total = floats.Sum(weights)
	}
	for k := range e {
		for l := range k + 1 {
			sum := 0.0
			for i, v := range e[k] {
				p := v * e[l][i]
				if weights != nil {
					p *= weights[i]
				}
				sum += p
			}
			g.SetSym(k, l, sum/total)
		}
	}
	return g
}

// Weights returns weights of n rows that are proportional to the argument weights, or equal if it is nil. Their sum is the
// effective number of distinct rows, (Σ W)² / Σ W², where each W is the sum over equal rows. The argument index holds the distinct
// row of each row, and is nil if no rows are equal. A row that occurs twice, or has weight 2 among weights of 1, counts as one
// observation.
func Weights(n int, weights []float64, index []int) []float64 {
	out := slices.Repeat([]float64{1}, n)
	if weights != nil { // squares of weights divided by the largest neither overflow nor vanish
		largest := floats.Max(weights)
		for i, w := range weights {
			out[i] = w / largest
		}
	}
	sums := out
	if index != nil {
		sums = make([]float64, slices.Max(index)+1)
		for i, d := range index {
			sums[d] += out[i]
		}
	}
	total, squares := floats.Sum(sums), floats.Dot(sums, sums)
	floats.Scale(total/squares, out)
	return out
}

// Settings of the shares. They were chosen on 12 sets with numeric targets (ten splits for each of the seeds 7 and 8), and on 16
// sets with classes (four splits of seed 8).
const (
	// TowardEqual is the strength with which the shares of regressors are pulled towards equal shares. Its unit is the mean squared
	// error of the best model divided by the square root of the number of rows. The mean over all models would hide that one is
	// much better than others.
	TowardEqual = 2.
	// sharePrior is the parameter of the Dirichlet prior of the shares of classifiers. It acts as if each model had predicted
	// sharePrior - 1 more rows best.
	sharePrior = 2.
	// leastShare is the smallest share of a model that is kept.
	leastShare = .02
)

// OfNumbers returns the shares of models, given their errors for rows left out. The weights must sum to the effective number of
// rows.
func OfNumbers(e [][]float64, weights []float64) []float64 {
	g := Errors(e, weights)
	least := math.Inf(1)
	for k := range e {
		least = min(least, g.At(k, k))
	}
	shares := OfSquaredError(g, TowardEqual*least/math.Sqrt(floats.Sum(weights)))
	Prune(shares, leastShare)
	return shares
}

// OfClasses returns the shares of models, given their probabilities of the true classes of rows left out.
func OfClasses(p [][]float64, weights []float64) []float64 {
	shares := OfLogLoss(p, weights, sharePrior)
	Prune(shares, leastShare)
	return shares
}

// VarianceFactor returns the maximum likelihood factor for the variances of a mixture of models, given their errors e and variances
// for rows left out. It returns 0 if a model has no variances.
func VarianceFactor(e, variances [][]float64, shares, weights []float64) float64 {
	if slices.ContainsFunc(variances, func(v []float64) bool { return v == nil }) {
		return 0
	}
	sum := 0.0
	for i := range e[0] {
		mean, variance := 0.0, 0.0
		for k, share := range shares {
			mean += share * e[k][i]
		}
		for k, share := range shares {
			d := e[k][i] - mean
			variance += share * (variances[k][i] + d*d)
		}
		sum += weights[i] * mean * mean / variance
	}
	if out := sum / floats.Sum(weights); out > 0 && !math.IsInf(out, 1) {
		return out
	}
	return 0
}

// Density returns the mean log density of errors for rows left out, under normal distributions with the model's variances times the
// maximum likelihood factor, and the mean squared error.
func Density(e, variances, weights []float64) (density, mse float64) {
	total, factor := floats.Sum(weights), 0.0
	for i, r := range e {
		factor += weights[i] / total * r * r / variances[i]
		mse += weights[i] / total * r * r
	}
	for i, r := range e {
		v := factor * variances[i]
		density -= weights[i] / total * (math.Log(2*math.Pi*v) + r*r/v) / 2
	}
	return density, mse
}

// OfSquaredError returns the shares θ that minimise θ'Gθ + ρ Σ (θ[k] - 1/K)² for a G of [Errors]. The second term pulls the shares
// towards equal shares, so that a few rows do not decide. Up to a constant the sum is θ'(G + ρI)θ. Its minimum is proportional to
// that of ½ u'(G + ρI)u - Σ u[k] over u >= 0, which the active set method of Lawson and Hanson (Solving Least Squares Problems,
// 1974, chapter 23) finds exactly. The cost is at most O(K⁴).
func OfSquaredError(g *mat.SymDense, rho float64) []float64 {
	n := g.SymmetricDim()
	h := mat.NewSymDense(n, nil)
	h.CopySym(g)
	largest := 0.0
	for k := range n {
		h.SetSym(k, k, h.At(k, k)+rho)
		largest = max(largest, h.At(k, k))
	}
	if !(largest > 0) || math.IsInf(largest, 1) {
		return equal(n)
	}
	h.ScaleSym(1/largest, h)
	for k := range n { // equal models divide the share that one of them would have
		h.SetSym(k, k, h.At(k, k)+1e-13)
	}
	u := leastOverPositive(h)
	total := floats.Sum(u)
	if !(total > 0) || math.IsInf(total, 1) {
		return equal(n)
	}
	floats.Scale(1/total, u)
	return u
}

// leastOverPositive minimises ½ u'Hu - Σ u over u >= 0, for a positive definite H.
func leastOverPositive(h *mat.SymDense) []float64 {
	n := h.SymmetricDim()
	u, slope := make([]float64, n), make([]float64, n)
	var free []int
	for range 3*n + 10 { // each set of free entries has a lower minimum than the last; only rounding could repeat one
		best := -1
		for k := range n {
			slope[k] = 1
			for _, l := range free {
				slope[k] -= h.At(k, l) * u[l]
			}
			if !slices.Contains(free, k) && slope[k] > 1e-10 && (best < 0 || slope[k] > slope[best]) {
				best = k
			}
		}
		if best < 0 {
			break
		}
		free = append(free, best)
		for len(free) > 0 {
			next := solveOnes(h, free)
			if next == nil {
				return u
			}
			step := 1.0
			for i, k := range free {
				if next[i] <= 0 {
					step = min(step, u[k]/(u[k]-next[i]))
				}
			}
			kept := free[:0:0]
			for i, k := range free {
				u[k] += step * (next[i] - u[k])
				if next[i] <= 0 && u[k] <= 1e-14*(1-next[i]) {
					u[k] = 0
					continue
				}
				kept = append(kept, k)
			}
			if len(kept) == len(free) {
				break
			}
			free = kept
		}
	}
	return u
}

// solveOnes solves Hu = 1 for the free entries of u, with all others 0.
func solveOnes(h *mat.SymDense, free []int) []float64 {
	part := mat.NewSymDense(len(free), nil)
	ones := mat.NewVecDense(len(free), nil)
	for i, k := range free {
		ones.SetVec(i, 1)
		for j := range i + 1 {
			part.SetSym(i, j, h.At(k, free[j]))
		}
	}
	var factor mat.Cholesky
	var out mat.VecDense
	if !factor.Factorize(part) {
		return nil
	}
	var nearlySingular mat.Condition
	if err := factor.SolveVecTo(&out, ones); err != nil && !errors.As(err, &nearlySingular) {
		return nil
	}
	return out.RawVector().Data
}

// OfLogLoss returns the shares θ that maximise Σ w[i] ln Σ θ[k] p[k][i] + (a - 1) Σ ln θ[k], where p[k][i] is model k's probability
// of the true class of row i, and a >= 1. The objective is concave. Expectation maximisation never lowers it, and ends when the
// mean over the rows grows by less than 1e-12. Rows for which all probabilities are 0 are left out.
func OfLogLoss(p [][]float64, weights []float64, a float64) []float64 {
	theta := equal(len(p))
	next := make([]float64, len(p))
	last := math.Inf(-1)
	for range 100_000 {
		clear(next)
		value, total := 0.0, 0.0
		for i := range p[0] {
			mixed, w := 0.0, 1.0
			for k := range p {
				mixed += theta[k] * p[k][i]
			}
			if !(mixed > 0) {
				continue
			}
			if weights != nil {
				w = weights[i]
			}
			value += w * math.Log(mixed)
			total += w
			for k := range p {
				next[k] += w * theta[k] * p[k][i] / mixed
			}
		}
		if total == 0 {
			return theta
		}
		for k := range next {
			if a > 1 {
				value += (a - 1) * math.Log(theta[k])
			}
			next[k] = (next[k] + a - 1) / (total + float64(len(p))*(a-1))
		}
		if value-last < 1e-12*total {
			break
		}
		last = value
		copy(theta, next)
	}
	floats.Scale(1/floats.Sum(theta), theta)
	return theta
}

// Prune sets shares below least to 0, except for the largest, and distributes their sum over the other shares in proportion.
func Prune(theta []float64, least float64) {
	largest := floats.MaxIdx(theta)
	for k, v := range theta {
		if v < least && k != largest {
			theta[k] = 0
		}
	}
	floats.Scale(1/floats.Sum(theta), theta)
}

func equal(n int) []float64 { return slices.Repeat([]float64{1 / float64(n)}, n) }
