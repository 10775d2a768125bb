// Package posterior turns the scores of least-squares machines, which are trained on targets ±1, into probabilities:
//
//	p[k] ∝ exp(Σ a[j] g[j](f[k]) + Σ m[k,l] f[l] + b[k])
//
// The g[j] are nondecreasing functions of a score, and the slopes a[j] are >= 0. The score of a machine estimates 2p - 1. Therefore one
// of the functions is log((1+f)/2), which is bounded below, because scores may be less than -1. The others let the slope differ between
// small and large scores. The matrix m exists for three or more classes. It corrects scores that depend on each other, for example those
// of a class between two others, for which one machine against the rest has no good score.
//
// All parameters are fitted to scores of rows that are not training rows of the machines. With the first function alone, the link is
// that of J. Platt, Probabilistic outputs for support vector machines, 1999. The matrix is that of M. Kull et al., Beyond temperature
// scaling, NeurIPS 2019, with a penalty. The functions and penalties were chosen by the log loss on classification sets of the first two
// collections of docs/measured.
package posterior

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/kernelearn/kernelearn/graph"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/minimize"
	"github.com/kernelearn/kernelearn/internal/platt"
	"github.com/kernelearn/kernelearn/internal/rowwise"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// The functions of a score f are f, f within ±inner, the cube of f within ±outer, and the logarithm of (1+f)/2, which counts as at least
// least.
const (
	functions = 4
	inner     = 0.5
	outer     = 1.5
	least     = 0.02
)

// The penalties of the squares of parameters, for functions and scores with mean square 1. The first slope has none.
const (
	slopePenalty  = 0.03
	mixingPenalty = 2
)

const (
	tolerance   = 1e-12 // of platt.Newton
	mixingSteps = 100   // at most
)

// Link holds the fitted parameters for K classes.
type Link struct {
	Slopes [functions]float64 // >= 0
	Offset []float64          // K offsets
	Mixing []float64          // K×K, row by row; nil if there is no matrix
}

// evaluate sets g to the functions of a score.
func evaluate(g *[functions]float64, f float64) {
	near := max(-outer, min(outer, f))
	g[0], g[1], g[2], g[3] = f, max(-inner, min(inner, f)), near*near*near, math.Log(max((1+f)/2, least))
}

// Stored returns the link of a file. It reports whether the parameters are finite, the slopes not negative, and the link is for k
// classes.
func Stored(slopes, offset, mixing []float64, k int) (l Link, ok bool) {
	sum := floats.Sum(slopes) + floats.Sum(offset) + floats.Sum(mixing)
	if len(slopes) != functions || len(offset) != k || len(mixing) != 0 && len(mixing) != k*k || sum-sum != 0 || slices.Min(slopes) < 0 {
		return l, false
	}
	if len(mixing) == 0 {
		mixing = nil
	}
	return Link{Slopes: [functions]float64(slopes), Offset: offset, Mixing: mixing}, true
}

// Apply overwrites each row of scores with its probabilities. It allocates no memory.
func (l Link) Apply(scores *mat.Dense) {
	n, k := scores.Dims()
	memory := rowwise.Scratch(k)
	defer rowwise.Release(memory)
	for i := range n {
		row := scores.RawRowView(i)
		copy(*memory, row)
		l.logits(row, *memory)
		vecmath.Softmax(row)
	}
}

// logits sets z to the logits for the scores f.
func (l Link) logits(z, f []float64) {
	var g [functions]float64
	for c := range z {
		evaluate(&g, f[c])
		z[c] = l.Offset[c]
		for j, v := range g {
			z[c] += l.Slopes[j] * v
		}
		if l.Mixing != nil {
			z[c] += linalg.Dot(l.Mixing[c*len(f):(c+1)*len(f)], f)
		}
	}
}

// Graph returns the probabilities for scores.
func (l Link) Graph(f graph.Value) graph.Value {
	near := f.Clamp(f.Number(-outer), f.Number(outer))
	z := f.Times(l.Slopes[0]).
		Add(f.Clamp(f.Number(-inner), f.Number(inner)).Times(l.Slopes[1])).
		Add(near.Square().Mul(near).Times(l.Slopes[2])).
		Add(f.Plus(1).Times(.5).Max(f.Number(least)).Log().Times(l.Slopes[3])).
		Add(f.Row(l.Offset))
	if k := len(l.Offset); l.Mixing != nil {
		z = z.Add(f.MatMul(f.Constant(mat.DenseCopyOf(mat.NewDense(k, k, l.Mixing).T()))))
	}
	return z.Softmax()
}

// Fit minimises the weighted cross-entropy of smoothed labels with penalties. As in Platt (1999), a row of a class with N rows has target
// (N+1)/(N+2) for that class, and the other classes share the rest. First Newton's method fits slopes and offsets. If there are three or
// more classes, and at least as many rows as the matrix has entries, the matrix and the offsets follow, with these slopes. Both problems
// are convex. The scores are n×K, at holds the position of each row's class, and rows holds the weights, or is nil if each is 1. If the
// scores are worse than none, all 0 or not finite, all slopes are 0, and the probabilities are the class frequencies. It returns the
// error of ctx.
func Fit(ctx context.Context, scores *mat.Dense, at []int, rows []float64) (Link, error) {
	p := newProblem(ctx, scores, at, rows)
	prior := Link{Offset: p.Prior()}
	if !(p.size[0] > 0) || math.IsInf(p.size[0], 1) {
		return prior, ctx.Err()
	}
	for j, size := range p.size {
		p.size[j] = cmp.Or(size, 1) // the logarithm is 0 if each score is 1
	}
	theta, err := p.minimise(append(make([]float64, functions), prior.Offset...))
	if err != nil {
		return Link{}, err
	}
	link := Link{Offset: theta[functions:]}
	for j, size := range p.size {
		link.Slopes[j] = theta[j] / size
	}
	if floats.Max(link.Slopes[:]) == 0 {
		return prior, nil
	}
	if _, k := scores.Dims(); k > 2 && floats.Sum(p.Count) >= float64(k*k) {
		err = p.mix(&link)
	}
	return link, err
}

// problem is the loss of a fit. Functions of scores are divided by size, so that their mean square is 1.
type problem struct {
	platt.Labels
	ctx    context.Context
	scores *mat.Dense
	size   [functions]float64
}

func newProblem(ctx context.Context, scores *mat.Dense, at []int, rows []float64) *problem {
	_, k := scores.Dims()
	p := &problem{Labels: platt.NewLabels(at, rows, k), ctx: ctx, scores: scores}
	var g [functions]float64
	for i := range at {
		w := p.Weight(i)
		for _, f := range scores.RawRowView(i) {
			evaluate(&g, f)
			for j, v := range g {
				p.size[j] += w * v * v
			}
		}
	}
	total := floats.Sum(p.Count) * float64(k)
	for j, v := range p.size {
		p.size[j] = math.Sqrt(v / total)
	}
	return p
}

// minimise returns the slopes and offsets of the least loss, starting from theta. It is the projected Newton method of D. Bertsekas, 1982:
// a slope that is 0 stays so while its derivative is positive. The first offset stays 0.
func (p *problem) minimise(theta []float64) ([]float64, error) {
	project := func(theta []float64) {
		for j := range functions {
			theta[j] = max(0, theta[j])
		}
	}
	return platt.Newton(theta, p.loss, p.step, project, p.ctx.Err, tolerance)
}

// functionsOf sets x to the functions of a row's scores, and z to its logits.
func (p *problem) functionsOf(x [][functions]float64, z, theta []float64, i int) {
	for c, f := range p.scores.RawRowView(i) {
		evaluate(&x[c], f)
		z[c] = theta[functions+c]
		for j := range x[c] {
			x[c][j] /= p.size[j]
			z[c] += theta[j] * x[c][j]
		}
	}
}

func (p *problem) loss(theta []float64) float64 {
	k := len(p.Count)
	x, z := make([][functions]float64, k), make([]float64, k)
	total := 0.0
	for j := 1; j < functions; j++ {
		total += slopePenalty / 2 * theta[j] * theta[j]
	}
	for i := range p.At {
		p.functionsOf(x, z, theta, i)
		total += p.CrossEntropy(z, i)
	}
	return total
}

// step returns a Newton step of the parameters that are free, or nil if the curvature is 0.
func (p *problem) step(theta []float64) []float64 {
	k, size := len(p.Count), len(theta)
	grad, hess := make([]float64, size), mat.NewSymDense(size, nil)
	x, z := make([][functions]float64, k), make([]float64, k)
	for i := range p.At {
		p.functionsOf(x, z, theta, i)
		vecmath.Softmax(z)
		p.addDerivatives(grad, hess, x, z, i)
	}
	for j := 1; j < functions; j++ {
		grad[j] += slopePenalty * theta[j]
		hess.SetSym(j, j, hess.At(j, j)+slopePenalty)
	}
	for c := range size {
		if c < functions && theta[c] == 0 && grad[c] > 0 || c == functions {
			grad[c] = 0
			for e := range size {
				hess.SetSym(c, e, 0)
			}
			hess.SetSym(c, c, 1)
		}
		hess.SetSym(c, c, hess.At(c, c)*(1+1e-12)+1e-12)
	}
	var chol mat.Cholesky
	var step mat.VecDense
	if !chol.Factorize(hess) || chol.SolveVecTo(&step, mat.NewVecDense(size, grad)) != nil {
		return nil
	}
	return step.RawVector().Data
}

// addDerivatives adds the derivatives of row i, given its functions and probabilities.
func (p *problem) addDerivatives(grad []float64, hess *mat.SymDense, x [][functions]float64, proba []float64, i int) {
	own, w := p.At[i], p.Weight(i)
	var mean [functions]float64
	for c, v := range proba {
		for j := range mean {
			mean[j] += v * x[c][j]
		}
	}
	for c, v := range proba {
		rest := w * (v - p.Target(own, c))
		grad[functions+c] += rest
		for j := range mean {
			d := x[c][j] - mean[j]
			grad[j] += rest * x[c][j]
			for e := j; e < functions; e++ {
				hess.SetSym(j, e, hess.At(j, e)+w*v*d*(x[c][e]-mean[e]))
			}
			hess.SetSym(j, functions+c, hess.At(j, functions+c)+w*v*d)
		}
		for e := 0; e <= c; e++ {
			cross := -v * proba[e]
			if e == c {
				cross += v
			}
			hess.SetSym(functions+e, functions+c, hess.At(functions+e, functions+c)+w*cross)
		}
	}
}

// mix fits the matrix and the offsets, with the slopes of link.
func (p *problem) mix(link *Link) error {
	n, k := p.scores.Dims()
	// The logits without matrix and offsets do not change.
	fixed := mat.DenseCopyOf(p.scores)
	slopes := Link{Slopes: link.Slopes, Offset: make([]float64, k)}
	for i := range n {
		slopes.logits(fixed.RawRowView(i), p.scores.RawRowView(i))
	}
	// evaluate computes the loss and its gradient at the parameters t: the matrix for divided scores, and the offsets.
	size, z, loss := p.size[0], make([]float64, k), 0.0
	at, slope := make([]float64, k*k+k), make([]float64, k*k+k)
	at[0] = math.NaN() // nothing is evaluated yet
	evaluate := func(t []float64) {
		if slices.Equal(at, t) { // the value and the gradient are asked for separately
			return
		}
		copy(at, t)
		loss = mixingPenalty / 2 * linalg.Dot(t[:k*k], t[:k*k])
		floats.ScaleTo(slope[:k*k], mixingPenalty, t[:k*k])
		clear(slope[k*k:])
		for i, own := range p.At {
			row, w := p.scores.RawRowView(i), p.Weight(i)
			copy(z, fixed.RawRowView(i))
			for c := range z {
				z[c] += t[k*k+c] + linalg.Dot(t[c*k:(c+1)*k], row)/size
			}
			loss += p.CrossEntropy(z, i)
			for c, v := range z {
				rest := w * (v - p.Target(own, c))
				floats.AddScaled(slope[c*k:(c+1)*k], rest/size, row)
				slope[k*k+c] += rest
			}
		}
		slope[k*k] = 0 // the first offset
	}
	value := func(t []float64) float64 {
		evaluate(t)
		return loss
	}
	gradient := func(g, t []float64) {
		evaluate(t)
		copy(g, slope)
	}
	result, err := minimize.Run(value, gradient, p.ctx.Err, append(make([]float64, k*k), link.Offset...), &optimize.Settings{
		GradientThreshold: 1e-8 * floats.Sum(p.Count), Converger: optimize.NeverTerminate{}, MajorIterations: mixingSteps,
	}, &optimize.LBFGS{})
	if err != nil || result == nil {
		return err
	}
	link.Offset, link.Mixing = result.X[k*k:], result.X[:k*k]
	floats.Scale(1/size, link.Mixing)
	return nil
}
