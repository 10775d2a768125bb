package sampler

import (
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
)

// InverseRoot returns L⁻¹ for the precision LL'.
func InverseRoot(p features.Part) *mat.Dense {
	d := len(p.Mu)
	root, out, v := p.Lower(), mat.NewDense(d, d, nil), make([]float64, d)
	for j := range d {
		clear(v)
		v[j] = 1
		solve(root, v)
		out.SetCol(j, v)
	}
	return out
}

// LogDensity returns the log density of the component, without the constant of a normal distribution.
func LogDensity(p features.Part) func(w []float64) float64 {
	c := &component{mu: p.Mu, root: p.Lower()}
	return c.logDensity
}
