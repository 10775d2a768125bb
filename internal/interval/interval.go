// Package interval makes central prediction intervals of means and variances.
package interval

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Level returns an ErrParam with the type's name unless level is a probability between 0
// and 1.
func Level(typ string, level float64) error {
	if !(level > 0 && level < 1) {
		return fault.Param(typ, "level", level, "in (0, 1)")
	}
	return nil
}

// Normal returns the ends of the intervals of normal distributions.
func Normal(level float64, mean, variance []float64) (low, high []float64) {
	return ends(distuv.UnitNormal.Quantile((1+level)/2), mean, variance)
}

// Student returns the ends of the intervals of t distributions with df degrees of freedom
// and these variances; up to df = 2, where they have none, with these squared scales.
func Student(level, df float64, mean, variance []float64) (low, high []float64) {
	z := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile((1 + level) / 2)
	if df > 2 {
		z *= math.Sqrt((df - 2) / df)
	}
	return ends(z, mean, variance)
}

func ends(z float64, mean, variance []float64) (low, high []float64) {
	low, high = make([]float64, len(mean)), make([]float64, len(mean))
	for i, m := range mean {
		w := z * math.Sqrt(variance[i])
		low[i], high[i] = m-w, m+w
	}
	return low, high
}
