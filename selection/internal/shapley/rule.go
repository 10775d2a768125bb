package shapley

import (
	"math"
	"sync"
)

// rule is a Gauss-Legendre rule on [0, 1].
type rule struct{ nodes, weights []float64 }

// newRules returns the rules with up to most nodes. Each is computed on its first use.
func newRules(most int) []func() rule {
	out := make([]func() rule, most+1)
	for n := range out {
		out[n] = sync.OnceValue(func() rule { return newRule(n) })
	}
	return out
}

// newRule finds the nodes with Newton's method on the Legendre polynomial. (gonum's quad.Legendre is wrong for 26 nodes: in version
// 0.17 their weights sum to 0.989.)
func newRule(n int) rule {
	r := rule{make([]float64, n), make([]float64, n)}
	for i := range n {
		x, slope := math.Cos(math.Pi*(float64(i)+0.75)/(float64(n)+0.5)), 0.0
		for range 10 {
			var value float64
			value, slope = legendre(n, x)
			step := value / slope
			x -= step
			if math.Abs(step) < 1e-16 {
				break
			}
		}
		r.nodes[n-1-i], r.weights[n-1-i] = (1+x)/2, 1/((1-x*x)*slope*slope)
	}
	return r
}

// legendre returns the polynomial of degree n >= 1 at |x| < 1, and its derivative.
func legendre(n int, x float64) (value, slope float64) {
	before, value := 1.0, x
	for k := 2; k <= n; k++ {
		before, value = value, (float64(2*k-1)*x*value-float64(k-1)*before)/float64(k)
	}
	return value, float64(n) * (x*value - before) / (x*x - 1)
}
