package lssvm

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// link turns scores into probabilities: p[k] ∝ exp(slope·f[k] + offset[k]).
type link struct {
	slope  float64
	offset []float64 // K, the first 0
}

const (
	linkIterations = 100
	linkTolerance  = 1e-10
)

// fitLink minimises the weighted cross-entropy of smoothed labels, by Newton's
// method with step halving. As in Platt (1999) a row of a class with N rows has
// target (N+1)/(N+2) there; the other classes share the rest. The problem is convex. A
// slope below 0, where scores are worse than none, becomes 0, and the
// probabilities those of the classes.
func fitLink(scores *mat.Dense, labels []int, own []float64) link {
	n, k := scores.Dims()
	counts := make([]float64, k)
	for i, c := range labels {
		counts[c] += weights.At(own, i)
	}
	target := func(own, c int) float64 {
		if c == own {
			return (counts[own] + 1) / (counts[own] + 2)
		}
		return 1 / (counts[own] + 2) / float64(k-1)
	}
	prior := link{offset: make([]float64, k)}
	for c := range k {
		share := 0.0
		for own, v := range counts {
			share += v * target(own, c)
		}
		prior.offset[c] = math.Log(share) - prior.offset[0]
	}
	prior.offset[0] = 0
	size := 0.0
	for i := range n {
		for _, f := range scores.RawRowView(i) {
			size += f * f / float64(n*k)
		}
	}
	if !(size > 0) {
		return prior
	}
	size = math.Sqrt(size) // the scores are divided by it, for the conditioning

	// θ = (slope, offset[1..])
	theta := make([]float64, k)
	copy(theta[1:], prior.offset[1:])
	p := make([]float64, k)
	// loss also sums the gradient and the Hessian, if asked for.
	loss := func(theta []float64, grad []float64, hess *mat.SymDense) float64 {
		total := 0.0
		for i := range n {
			f := scores.RawRowView(i)
			for c := range p {
				p[c] = theta[0] * f[c] / size
				if c > 0 {
					p[c] += theta[c]
				}
			}
			logSum := vecmath.Softmax(p)
			w := weights.At(own, i)
			own := labels[i]
			mean := 0.0
			for c := range p {
				mean += p[c] * f[c] / size
			}
			for c := range p {
				t := target(own, c)
				z := theta[0] * f[c] / size
				if c > 0 {
					z += theta[c]
				}
				total += w * t * (logSum - z)
				if grad == nil {
					continue
				}
				grad[0] += w * (p[c] - t) * f[c] / size
				d := f[c]/size - mean
				hess.SetSym(0, 0, hess.At(0, 0)+w*p[c]*d*d)
				if c == 0 {
					continue
				}
				grad[c] += w * (p[c] - t)
				hess.SetSym(0, c, hess.At(0, c)+w*p[c]*d)
				for e := 1; e <= c; e++ {
					v := -p[c] * p[e]
					if e == c {
						v += p[c]
					}
					hess.SetSym(e, c, hess.At(e, c)+w*v)
				}
			}
		}
		return total
	}
	current := loss(theta, nil, nil)
	for range linkIterations {
		grad, hess := make([]float64, k), mat.NewSymDense(k, nil)
		loss(theta, grad, hess)
		for c := range k {
			hess.SetSym(c, c, hess.At(c, c)*(1+1e-12)+1e-12)
		}
		var chol mat.Cholesky
		var step mat.VecDense
		if !chol.Factorize(hess) || chol.SolveVecTo(&step, mat.NewVecDense(k, grad)) != nil {
			break
		}
		improved := false
		for scale := 1.0; scale > 1e-6; scale /= 2 {
			next := make([]float64, k)
			for c := range next {
				next[c] = theta[c] - scale*step.AtVec(c)
			}
			// Where the loss is flat to rounding it cannot tell: the full step is still right.
			if v := loss(next, nil, nil); v < current || scale == 1 && v-current <= 1e-15*math.Abs(current) {
				improved = current-v > linkTolerance*math.Abs(current)
				theta, current = next, v
				break
			}
		}
		if !improved {
			break
		}
	}
	if !(theta[0] > 0) {
		return prior
	}
	out := link{slope: theta[0] / size, offset: make([]float64, k)}
	copy(out.offset[1:], theta[1:])
	return out
}

// apply overwrites each row of scores with its probabilities.
func (l link) apply(scores *mat.Dense) {
	n, _ := scores.Dims()
	for i := range n {
		row := scores.RawRowView(i)
		for c, f := range row {
			row[c] = l.slope*f + l.offset[c]
		}
		vecmath.Softmax(row)
	}
}
