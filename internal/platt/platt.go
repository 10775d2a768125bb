// Package platt turns the scores of a classifier into probabilities, p[k] ∝ exp(a f[k] + b[k]). The slope a and the offsets b are
// fitted to scores of rows that are not training rows of the classifier. For two classes this is the sigmoid of J. Platt (1999).
package platt

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Link holds the fitted slope and offsets.
type Link struct {
	Slope  float64   // >= 0
	Offset []float64 // K offsets; the first is 0
}

// Apply overwrites each row of scores with its probabilities.
func (l Link) Apply(scores *mat.Dense) {
	n, _ := scores.Dims()
	for i := range n {
		row := scores.RawRowView(i)
		for k, f := range row {
			row[k] = l.Slope*f + l.Offset[k]
		}
		vecmath.Softmax(row)
	}
}

// Sigmoid is the link for two classes with a single score: the probability of the second class is 1/(1+exp(-(Slope·f + Offset))).
type Sigmoid struct{ Slope, Offset float64 }

// Value returns the probability at a score.
func (s Sigmoid) Value(f float64) float64 { return vecmath.Sigmoid(s.Slope*f + s.Offset) }

// FitSigmoid is like Fit, for two classes with a single score, that of the second class.
func FitSigmoid(f []float64, at []int, rows []float64) Sigmoid {
	scores := mat.NewDense(len(f), 2, nil)
	for i, v := range f {
		scores.SetRow(i, []float64{-v / 2, v / 2})
	}
	l := Fit(scores, at, rows)
	return Sigmoid{Slope: l.Slope, Offset: l.Offset[1]}
}

// Newton's method ends after iterations steps, or when a step lowers the loss by less than the fraction tolerance. A step is halved
// down to leastShare of itself.
const (
	iterations = 100
	tolerance  = 1e-10
	leastStep  = 1e-6
)

// Fit minimises the weighted cross-entropy of smoothed labels with Newton's method and step halving. As in Platt (1999), a row of a
// class with N rows has target (N+1)/(N+2) for that class, and the other classes share the rest. The problem is convex. The scores
// are n×K, at holds the position of each row's class, and rows holds the weights, or is nil if each is 1. If the fitted slope would
// be negative (scores worse than none), or if the scores are all 0 or not finite, the slope is 0, and the probabilities are the
// class frequencies.
func Fit(scores *mat.Dense, at []int, rows []float64) Link {
	p := newProblem(scores, at, rows)
	prior := p.prior()
	if !(p.size > 0) || math.IsInf(p.size, 1) {
		return prior
	}
	theta := p.minimise(append([]float64{0}, prior.Offset[1:]...))
	if !(theta[0] > 0) {
		return prior
	}
	return Link{Slope: theta[0] / p.size, Offset: append([]float64{0}, theta[1:]...)}
}

// minimise returns the minimum of the loss, starting from theta. Both hold the slope times size and all offsets except the first.
func (p *logistic) minimise(theta []float64) []float64 {
	current := p.loss(theta)
	for range iterations {
		step := p.step(theta)
		if step == nil {
			break
		}
		improved := false
		for share := 1.0; share > leastStep; share /= 2 {
			next := make([]float64, len(theta))
			floats.AddScaledTo(next, theta, -share, step)
			// If the loss is flat up to rounding, the comparison is unreliable, but the full step is still right.
			if v := p.loss(next); v < current || share == 1 && v-current <= 1e-15*math.Abs(current) {
				improved = current-v > tolerance*math.Abs(current)
				theta, current = next, v
				break
			}
		}
		if !improved {
			break
		}
	}
	return theta
}

// logistic is the loss of a fit. Scores are divided by size, for better conditioning.
type logistic struct {
	scores *mat.Dense
	at     []int
	rows   []float64
	count  []float64 // of the classes
	size   float64
	// slopeAlone keeps the offsets fixed.
	slopeAlone bool
}

func newProblem(scores *mat.Dense, at []int, rows []float64) *logistic {
	n, k := scores.Dims()
	p := &logistic{scores: scores, at: at, rows: rows, count: make([]float64, k)}
	for i, l := range at {
		p.count[l] += weights.Weight(rows, i)
		for _, f := range scores.RawRowView(i) {
			p.size += f * f / float64(n*k)
		}
	}
	p.size = math.Sqrt(p.size)
	return p
}

// target returns the target for class k of a row whose class is own.
func (p *logistic) target(own, k int) float64 {
	if k == own {
		return (p.count[own] + 1) / (p.count[own] + 2)
	}
	return 1 / (p.count[own] + 2) / float64(len(p.count)-1)
}

// prior returns the link with slope 0.
func (p *logistic) prior() Link {
	out := Link{Offset: make([]float64, len(p.count))}
	for k := range out.Offset {
		share := 0.0
		for own, v := range p.count {
			share += v * p.target(own, k)
		}
		out.Offset[k] = math.Log(share)
	}
	floats.AddConst(-out.Offset[0], out.Offset)
	return out
}

// logits sets z to the logits of row i.
func (p *logistic) logits(z []float64, theta []float64, i int) {
	for k, f := range p.scores.RawRowView(i) {
		z[k] = theta[0] * f / p.size
		if k > 0 {
			z[k] += theta[k]
		}
	}
}

func (p *logistic) loss(theta []float64) float64 {
	total, z, proba := 0.0, make([]float64, len(theta)), make([]float64, len(theta))
	for i, own := range p.at {
		p.logits(z, theta, i)
		copy(proba, z)
		logSum := vecmath.Softmax(proba)
		w := weights.Weight(p.rows, i)
		for k, v := range z {
			total += w * p.target(own, k) * (logSum - v)
		}
	}
	return total
}

// step returns a Newton step, or nil if the curvature is 0.
func (p *logistic) step(theta []float64) []float64 {
	k := len(theta)
	grad, hess, z := make([]float64, k), mat.NewSymDense(k, nil), make([]float64, k)
	for i := range p.at {
		p.logits(z, theta, i)
		vecmath.Softmax(z)
		p.addDerivatives(grad, hess, z, i)
	}
	for c := range k {
		hess.SetSym(c, c, hess.At(c, c)*(1+1e-12)+1e-12)
	}
	if p.slopeAlone {
		for c := 1; c < k; c++ {
			grad[c] = 0
			hess.SetSym(0, c, 0)
		}
	}
	var chol mat.Cholesky
	var step mat.VecDense
	if !chol.Factorize(hess) || chol.SolveVecTo(&step, mat.NewVecDense(k, grad)) != nil {
		return nil
	}
	return step.RawVector().Data
}

// addDerivatives adds the derivatives of row i, given its probabilities.
func (p *logistic) addDerivatives(grad []float64, hess *mat.SymDense, proba []float64, i int) {
	f, own, w := p.scores.RawRowView(i), p.at[i], weights.Weight(p.rows, i)
	mean := 0.0
	for c, v := range proba {
		mean += v * f[c] / p.size
	}
	for c, v := range proba {
		rest, d := w*(v-p.target(own, c)), f[c]/p.size-mean
		grad[0] += rest * f[c] / p.size
		hess.SetSym(0, 0, hess.At(0, 0)+w*v*d*d)
		if c == 0 {
			continue
		}
		grad[c] += rest
		hess.SetSym(0, c, hess.At(0, c)+w*v*d)
		for e := 1; e <= c; e++ {
			cross := -v * proba[e]
			if e == c {
				cross += v
			}
			hess.SetSym(e, c, hess.At(e, c)+w*cross)
		}
	}
}

// FitSlope is Fit without offsets: p[k] ∝ exp(a f[k]), with the same smoothed labels.
func FitSlope(scores *mat.Dense, at []int, rows []float64) Link {
	p := newProblem(scores, at, rows)
	p.slopeAlone = true
	flat := Link{Offset: make([]float64, len(p.count))}
	if !(p.size > 0) || math.IsInf(p.size, 1) {
		return flat
	}
	theta := p.minimise(make([]float64, len(p.count)))
	if !(theta[0] > 0) {
		return flat
	}
	return Link{Slope: theta[0] / p.size, Offset: flat.Offset}
}
