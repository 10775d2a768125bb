// Package platt turns the scores of a classifier into probabilities, p[k] ∝ exp(a f[k] + b[k]). The slope a and the offsets b are
// fitted to scores of rows that are not training rows of the classifier. For two classes this is the sigmoid of J. Platt (1999).
package platt

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/vecmath"
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

const tolerance = 1e-10 // of Newton

// Fit minimises the weighted cross-entropy of smoothed labels with Newton's method and step halving. As in Platt (1999), a row of a
// class with N rows has target (N+1)/(N+2) for that class, and the other classes share the rest. The problem is convex. The scores
// are n×K, at holds the position of each row's class, and rows holds the weights, or is nil if each is 1. If the fitted slope would
// be negative (scores worse than none), or if the scores are all 0 or not finite, the slope is 0, and the probabilities are the
// class frequencies.
func Fit(scores *mat.Dense, at []int, rows []float64) Link {
	p := newProblem(scores, at, rows)
	prior := Link{Offset: p.Prior()}
	if !(p.size > 0) || math.IsInf(p.size, 1) {
		return prior
	}
	theta := p.minimise(append([]float64{0}, prior.Offset[1:]...))
	if !(theta[0] > 0) {
		return prior
	}
	return Link{Slope: theta[0] / p.size, Offset: append([]float64{0}, theta[1:]...)}
}

// logistic is the loss of a fit. Scores are divided by size, for better conditioning.
type logistic struct {
	Labels
	scores *mat.Dense
	size   float64
	// slopeAlone keeps the offsets fixed.
	slopeAlone bool
}

func newProblem(scores *mat.Dense, at []int, rows []float64) *logistic {
	n, k := scores.Dims()
	p := &logistic{Labels: NewLabels(at, rows, k), scores: scores}
	for i := range at {
		for _, f := range scores.RawRowView(i) {
			p.size += f * f / float64(n*k)
		}
	}
	p.size = math.Sqrt(p.size)
	return p
}

// minimise returns the slope times size, and all offsets except the first, of the least loss.
func (p *logistic) minimise(theta []float64) []float64 {
	theta, _ = Newton(theta, p.loss, p.step, nil, nil, tolerance) // nothing stops it
	return theta
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
	total, z := 0.0, make([]float64, len(theta))
	for i := range p.At {
		p.logits(z, theta, i)
		total += p.CrossEntropy(z, i)
	}
	return total
}

// step returns a Newton step, or nil if the curvature is 0.
func (p *logistic) step(theta []float64) []float64 {
	k := len(theta)
	grad, hess, z := make([]float64, k), mat.NewSymDense(k, nil), make([]float64, k)
	for i := range p.At {
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
	f, own, w := p.scores.RawRowView(i), p.At[i], p.Weight(i)
	mean := 0.0
	for c, v := range proba {
		mean += v * f[c] / p.size
	}
	for c, v := range proba {
		rest, d := w*(v-p.Target(own, c)), f[c]/p.size-mean
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
	flat := Link{Offset: make([]float64, len(p.Count))}
	if !(p.size > 0) || math.IsInf(p.size, 1) {
		return flat
	}
	theta := p.minimise(make([]float64, len(p.Count)))
	if !(theta[0] > 0) {
		return flat
	}
	return Link{Slope: theta[0] / p.size, Offset: flat.Offset}
}
