package standings

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// significance is the level of all tests.
const significance = 0.05

// averageRanks returns the ranks of the values, the smallest first. Tied values share the mean of their ranks. NaN stands for a
// method without a result and ranks last.
func averageRanks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	key := func(i int) float64 {
		if math.IsNaN(values[i]) {
			return math.Inf(1)
		}
		return values[i]
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case key(a) < key(b):
			return -1
		case key(a) > key(b):
			return 1
		}
		return 0
	})
	ranks := make([]float64, len(values))
	for begin := 0; begin < len(order); {
		end := begin + 1
		for end < len(order) && key(order[end]) == key(order[begin]) {
			end++
		}
		for _, i := range order[begin:end] {
			ranks[i] = float64(begin+1+end) / 2
		}
		begin = end
	}
	return ranks
}

// friedman is the result of Friedman's test of the hypothesis that all methods are equal. The test uses their ranks on the sets.
type friedman struct {
	ChiSquared float64 `json:"chi_squared"`
	F          float64 `json:"f"` // statistic of Iman and Davenport; 0 if undefined
	P          float64 `json:"p"` // p-value of F, or of ChiSquared if F is undefined
}

// friedmanTest applies Friedman's test with the correction for ties. It also computes the statistic F of Iman and Davenport (J.
// Demšar, JMLR 7, 2006, p. 11). It expects the ranks of k ≥ 2 methods on n ≥ 2 sets, one slice per set.
func friedmanTest(ranks [][]float64) friedman {
	n, k := float64(len(ranks)), float64(len(ranks[0]))
	between, within := 0.0, 0.0
	for j := range ranks[0] {
		sum := 0.0
		for _, r := range ranks {
			sum += r[j]
			within += math.Pow(r[j]-(k+1)/2, 2)
		}
		between += math.Pow(sum-n*(k+1)/2, 2)
	}
	if within == 0 { // all methods tie on all sets
		return friedman{P: 1}
	}
	out := friedman{ChiSquared: (k - 1) * between / within}
	rest := n*(k-1) - out.ChiSquared
	if rest < 1e-9*n*(k-1) { // same order on all sets
		out.P = distuv.ChiSquared{K: k - 1}.Survival(out.ChiSquared)
		return out
	}
	out.F = (n - 1) * out.ChiSquared / rest
	out.P = distuv.F{D1: k - 1, D2: (k - 1) * (n - 1)}.Survival(out.F)
	return out
}

// CriticalDifference returns Nemenyi's critical difference for k methods on n sets. Mean ranks that differ by more differ at the
// level of significance.
func CriticalDifference(k, n int) float64 {
	return nemenyi(k) * math.Sqrt(float64(k*(k+1))/float64(6*n))
}

// nemenyi returns the critical value q/√2 for k methods, where q is the quantile of the studentized range with infinitely many
// degrees of freedom.
func nemenyi(k int) float64 {
	lo, hi := 0.0, 20.0
	for hi-lo > 1e-10 {
		mid := (lo + hi) / 2
		if rangeProbability(mid, k) < 1-significance {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo / math.Sqrt2
}

// rangeProbability returns the probability that the range of k standard normal numbers is at most q.
func rangeProbability(q float64, k int) float64 {
	f := func(z float64) float64 {
		return distuv.UnitNormal.Prob(z) * math.Pow(distuv.UnitNormal.CDF(z)-distuv.UnitNormal.CDF(z-q), float64(k-1))
	}
	return float64(k) * quad.Fixed(f, -8, 8+q, 200, quad.Legendre{}, 0)
}

// growthOf fits seconds = c·rows^p by least squares on the logarithms. It returns p and its standard error, and needs at least
// three points.
func growthOf(rows, seconds []float64) (p, standardError float64) {
	x, y := make([]float64, len(rows)), make([]float64, len(rows))
	for i := range rows {
		x[i], y[i] = math.Log(rows[i]), math.Log(seconds[i])
	}
	a, p := stat.LinearRegression(x, y, nil, false)
	left := 0.0
	for i := range x {
		left += math.Pow(y[i]-a-p*x[i], 2)
	}
	n := float64(len(x))
	return p, math.Sqrt(left / (n - 2) / (stat.Variance(x, nil) * (n - 1)))
}
