package evidence

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// Machine is the fit of one class against the others.
type Machine struct {
	Members      []int // positions in the support
	Coefficients []float64
	Alphas       []float64
	Covariance   *mat.SymDense // covariance of the coefficients and, last, of the intercept
	Intercept    float64
	Evidence     float64
}

// Machine returns the machine in the units of the unscaled columns. Its members are numbered by their positions in columns.
func (p *Classification) Machine(columns []int) *Machine {
	m := len(p.active)
	// The intercept is the first member, but the last coefficient of the machine.
	order := make([]int, m)
	for k := range order {
		order[k] = (k + 1) % m
	}
	slices.SortFunc(order[:m-1], func(a, b int) int { return cmp.Compare(p.active[a], p.active[b]) })
	mc := &Machine{Covariance: mat.NewSymDense(m, nil), Evidence: p.Evidence}
	for k, a := range order {
		norm := p.b.Norms[p.active[a]]
		for l := k; l < m; l++ {
			mc.Covariance.SetSym(k, l, p.sigma.At(a, order[l])/norm/p.b.Norms[p.active[order[l]]])
		}
		if k == m-1 {
			mc.Intercept = p.w[a] / norm
			break
		}
		at, _ := slices.BinarySearch(columns, p.active[a])
		mc.Members = append(mc.Members, at)
		mc.Coefficients = append(mc.Coefficients, p.w[a]/norm)
		mc.Alphas = append(mc.Alphas, p.alpha[a]*norm*norm)
	}
	return mc
}

// Moderated returns the score f/√(1 + πv/8) for the features phi of the support, where f is the mean and v the variance. Its
// sigmoid is the probability. own is working memory for the machine's features.
func (mc *Machine) Moderated(phi, own []float64) float64 {
	f := mc.Intercept
	own = own[:len(mc.Members)+1]
	for a, j := range mc.Members {
		own[a] = phi[j]
		f += mc.Coefficients[a] * phi[j]
	}
	own[len(mc.Members)] = 1
	raw := mc.Covariance.RawSymmetric()
	variance := 0.0
	for i, v := range own {
		row := raw.Data[i*raw.Stride+i : i*raw.Stride+len(own)] // the upper triangle
		variance += v * v * row[0]
		for j, w := range row[1:] {
			variance += 2 * v * w * own[i+1+j]
		}
	}
	return f / math.Sqrt(1+math.Pi/8*max(0, variance))
}
