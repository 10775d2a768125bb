package main

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

// link holds the correlations between two quantities.
type link struct{ spearman, pearson float64 }

func linkOf(x, y []float64) link {
	return link{stat.Correlation(ranks(x), ranks(y), nil), stat.Correlation(x, y, nil)}
}

// ranks returns ranks from 1. Equal values share their mean rank.
func ranks(values []float64) []float64 {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		switch {
		case values[a] < values[b]:
			return -1
		case values[a] > values[b]:
			return 1
		}
		return 0
	})
	out := make([]float64, len(values))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && values[order[to]] == values[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+1+to) / 2
		}
		from = to
	}
	return out
}

// parabola holds the coefficients of y = c₀ + c₁x + c₂x².
type parabola [3]float64

// fitParabola returns the least-squares parabola. It replaces x and its square with their components orthogonal to the preceding
// terms, so that no system has to be solved. x is in [0, 1].
func fitParabola(x, y []float64) parabola {
	n := float64(len(x))
	meanX, meanY := stat.Mean(x, nil), stat.Mean(y, nil)
	var xx, xxx float64
	for _, v := range x {
		d := v - meanX
		xx += d * d
		xxx += d * d * d
	}
	slope := xxx / xx // slope of d² on d
	var qq, xy, qy float64
	for i, v := range x {
		d := v - meanX
		q := d*d - slope*d - xx/n
		qq += q * q
		xy += d * (y[i] - meanY)
		qy += q * (y[i] - meanY)
	}
	b, c := xy/xx, qy/qq // y = meanY + b d + c (d² - slope d - xx/n)
	b -= c * slope
	return parabola{meanY - c*xx/n - b*meanX + c*meanX*meanX, b - 2*c*meanX, c}
}

func (p parabola) value(x float64) float64 { return p[0] + x*(p[1]+x*p[2]) }

// lowest returns the x of the parabola's minimum, or NaN if it opens downwards.
func (p parabola) lowest() float64 {
	if !(p[2] > 0) {
		return math.NaN()
	}
	return -p[1] / (2 * p[2])
}

// monotonic returns the paper's transformation: the square roots of the errors, with a negative sign if the entropy is below the
// lowest point.
func monotonic(entropies, errors []float64, lowest float64) []float64 {
	out := make([]float64, len(errors))
	for i, v := range errors {
		out[i] = math.Sqrt(v)
		if entropies[i] < lowest {
			out[i] = -out[i]
		}
	}
	return out
}
