// Package interval computes central prediction intervals from means and variances.
package interval

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Level returns an ErrParam error that names typ unless level is between 0 and 1.
func Level(typ string, level float64) error {
	if !(level > 0 && level < 1) {
		return fault.Param(typ, "level", level, "in (0, 1)")
	}
	return nil
}

// Predictions computes intervals from the results of PredictVariance.
type Predictions = func(mean, variance []float64, err error) (low, high []float64, _ error)

// Normal returns a function that computes central intervals of normal distributions at the level.
func Normal(level float64) Predictions {
	return ends(distuv.UnitNormal.Quantile((1 + level) / 2))
}

// Student returns a function that computes central intervals of t distributions with df degrees of freedom at the level. It expects
// their variances. If df is at most 2, they have no variance, and it expects their squared scales.
func Student(level, df float64) Predictions {
	z := distuv.StudentsT{Sigma: 1, Nu: df}.Quantile((1 + level) / 2)
	if df > 2 {
		z *= math.Sqrt((df - 2) / df)
	}
	return ends(z)
}

func ends(z float64) Predictions {
	return func(mean, variance []float64, err error) (low, high []float64, _ error) {
		if err != nil {
			return nil, nil, err
		}
		low, high = make([]float64, len(mean)), make([]float64, len(mean))
		for i, m := range mean {
			w := z * math.Sqrt(variance[i])
			low[i], high[i] = m-w, m+w
		}
		return low, high, nil
	}
}

// Matrices computes intervals for matrices of means and variances, element by element.
func Matrices(ends Predictions, mean, variance *mat.Dense, err error) (low, high *mat.Dense, _ error) {
	if err != nil {
		return nil, nil, err
	}
	n, k := mean.Dims()
	low, high = mat.NewDense(n, k, nil), mat.NewDense(n, k, nil)
	for i := range n {
		l, h, err := ends(mean.RawRowView(i), variance.RawRowView(i), nil)
		if err != nil {
			return nil, nil, err
		}
		low.SetRow(i, l)
		high.SetRow(i, h)
	}
	return low, high, nil
}
