// Package loo computes the exact leave-one-out error of kernel ridge regression with a bias (the least-squares support vector
// machine) as a function of the ridge. After one reduction of the kernel matrix, each ridge costs O(n²).
package loo

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Search evaluates ridges from minRelativeRidge to maxRelativeRidge, relative to the mean diagonal of the centred kernel matrix
// times the mean weight. It evaluates ridgesPerDecade ridges per decade, and then refines the best.
const (
	minRelativeRidge = 1e-8
	maxRelativeRidge = 1e4
	ridgesPerDecade  = 2
	refinements      = 8
)

// Problem is the leave-one-out error of kernel ridge regression with a bias, as a function of the ridge λ. Let M = K + λW⁻¹ with W
// = diag(w). If √W K √W = QTQ', then M⁻¹ = √W Q (T+λI)⁻¹ Q' √W.
type Problem struct {
	tri     *linalg.Tridiagonal
	qt      *mat.Dense // Q'
	rotated *mat.Dense // Q'√W [1 | t], n×(1+k)
	targets *mat.Dense // t
	root    []float64  // √w
	logs    float64    // Σ ln w
	scale   float64    // mean diagonal of the centred kernel matrix, times the mean weight
	workers int
	groups  [][]int // groups of rows that are left out together
}

// New prepares a problem. It overwrites gram (n×n). The targets are n×k. The slice weights has n elements, or is nil if all weights
// are 1. It costs 8n³/3. It returns ctx's error.
func New(ctx context.Context, gram *mat.SymDense, targets *mat.Dense, weights []float64, workers int) (*Problem, error) {
	n, k := targets.Dims()
	p := &Problem{root: make([]float64, n), workers: workers, targets: targets, scale: centredScale(gram)}
	mean := 0.0
	for i := range p.root {
		w := 1.0
		if weights != nil {
			w = weights[i]
		}
		p.root[i] = math.Sqrt(w)
		p.logs += math.Log(w)
		mean += w / float64(n)
	}
	p.scale *= mean // doubling the weights and the ridge changes nothing
	if weights != nil {
		raw := gram.RawSymmetric()
		for i, wi := range p.root {
			row := raw.Data[i*raw.Stride : i*raw.Stride+n]
			for j := i; j < n; j++ {
				row[j] *= wi * p.root[j]
			}
		}
	}
	p.rotated = mat.NewDense(n, k+1, nil)
	for i, s := range p.root {
		p.rotated.Set(i, 0, s)
		for j := range k {
			p.rotated.Set(i, j+1, s*targets.At(i, j))
		}
	}
	var err error
	if p.tri, p.qt, err = linalg.TridiagonalizeWithQ(ctx, gram, p.rotated); err != nil {
		return nil, err
	}
	linalg.Transpose(p.qt)
	return p, ctx.Err()
}

// centredScale returns trace(HKH)/n, the variance of the rows in feature space, or 1 if it is 0. The bias absorbs a constant added
// to K.
func centredScale(gram *mat.SymDense) float64 {
	raw := gram.RawSymmetric()
	n := raw.N
	trace, total := 0.0, 0.0
	for i := range n {
		trace += raw.Data[i*raw.Stride+i]
		total += raw.Data[i*raw.Stride+i]
		for _, v := range raw.Data[i*raw.Stride+i+1 : i*raw.Stride+n] {
			total += 2 * v
		}
	}
	mean := trace / float64(n)
	if s := mean - total/float64(n)/float64(n); s > 1e-14*mean {
		return s
	}
	if mean > 0 {
		return mean
	}
	return 1
}

// Solution is the machine at one ridge: with M = K + λ/w, η = M⁻¹1 and α = M⁻¹(t - b).
type Solution struct {
	Alpha     *mat.Dense // n×k
	Bias      []float64  // b, k
	Eta       []float64  // n
	Inverse   []float64  // the diagonal of M⁻¹ - ηη'/Ση, n
	Residuals *mat.Dense // leave-one-out residuals, n×k
}

// Solve returns the solution at a ridge, or nil if rounding makes M indefinite. It costs O(n²).
func (p *Problem) Solve(ctx context.Context, lambda float64) (*Solution, error) {
	s, ok := p.tri.Shift(lambda)
	if !ok {
		return nil, ctx.Err()
	}
	n, k := p.rotated.Dims()
	diag := make([]float64, n)
	if err := s.QuadColumns(ctx, p.workers, diag, p.qt); err != nil {
		return nil, err
	}
	x := mat.DenseCopyOf(p.rotated)
	s.Solve(x)
	cols := make([][]float64, k) // [η | ν...]
	for j := range cols {
		if err := ctx.Err(); err != nil { // each column costs n² steps, and there may be many classes
			return nil, err
		}
		cols[j] = make([]float64, n)
		fast.Gemv(blas.Trans, 1, p.qt.RawMatrix(),
			blas64.Vector{N: n, Inc: k, Data: x.RawMatrix().Data[j:]}, 0, blas64.Vector{N: n, Inc: 1, Data: cols[j]})
		for i, r := range p.root {
			cols[j][i] *= r
		}
	}
	out := &Solution{Alpha: mat.NewDense(n, k-1, nil), Bias: make([]float64, k-1), Eta: cols[0], Inverse: diag,
		Residuals: mat.NewDense(n, k-1, nil)}
	etaSum := vecmath.Sum(out.Eta)
	if !(etaSum > 0) {
		return nil, nil
	}
	for j := range out.Bias {
		out.Bias[j] = vecmath.Sum(cols[j+1]) / etaSum
	}
	for i, r := range p.root {
		out.Inverse[i] = r*r*diag[i] - out.Eta[i]*out.Eta[i]/etaSum
		if !(out.Inverse[i] > 0) {
			return nil, nil
		}
		for j, b := range out.Bias {
			a := cols[j+1][i] - out.Eta[i]*b
			out.Alpha.Set(i, j, a)
			out.Residuals.Set(i, j, a/out.Inverse[i])
		}
	}
	ok, err := out.LeaveGroupsOut(p.groups, func(group []int) (*mat.SymDense, error) { return p.block(s, group), ctx.Err() })
	if !ok {
		return nil, err
	}
	return out, nil
}

// Error returns the mean weighted squared leave-one-out residual, summed over the targets. It is infinite if rounding makes M
// indefinite.
func (p *Problem) Error(ctx context.Context, lambda float64) (float64, error) {
	s, err := p.Solve(ctx, lambda)
	if err != nil {
		return 0, err
	}
	if s == nil {
		return math.Inf(1), nil
	}
	total, weight := 0.0, 0.0
	for i, r := range p.root {
		for _, e := range s.Residuals.RawRowView(i) {
			total += r * r * e * e
		}
		weight += r * r
	}
	return total / weight, nil
}

// Tridiagonal returns the reduction of the weighted kernel matrix, without Q.
func (p *Problem) Tridiagonal() *linalg.Tridiagonal { return p.tri }

// Minimum is the result of Search.
type Minimum struct {
	Ridge       float64 // 0 if no ridge gave a finite error
	Error       float64 // the mean weighted squared leave-one-out residual at Ridge
	Evaluations int
	Edge        int // -1: the smallest ridge was best; +1: the largest
}

// MaxEvaluations is the number of ridges that Search evaluates.
const MaxEvaluations = steps + 1 + refinements

// number of steps: maxRelativeRidge/minRelativeRidge is 1e12
const steps = 12 * ridgesPerDecade

// Warning returns a text for users that explains a minimum at the edge of the range. It returns "" otherwise.
func (m Minimum) Warning() string {
	switch {
	case m.Ridge == 0:
		return "no ridge gave a finite leave-one-out error: the heuristic ridge is used"
	case m.Edge < 0:
		return "the best ridge is the smallest that was tried: the targets seem to have no noise"
	case m.Edge > 0:
		return "the best ridge is the largest that was tried: the model is nearly constant"
	}
	return ""
}

// Search returns the ridge with the smallest leave-one-out error. If observe is not nil, it is called after each ridge.
func (p *Problem) Search(ctx context.Context, observe func(evaluation int, ridge, err float64)) (Minimum, error) {
	return search(ctx, p.scale, 0, p.Error, observe)
}

// SearchFrom is like Search, but evaluates no ridge below least. It evaluates the ridge least itself.
func (p *Problem) SearchFrom(ctx context.Context, least float64) (Minimum, error) {
	return search(ctx, p.scale, least, p.Error, nil)
}

func search(
	ctx context.Context, scale, least float64, errorAt func(ctx context.Context, lambda float64) (float64, error),
	observe func(evaluation int, ridge, err float64),
) (Minimum, error) {
	var m Minimum
	var failed error
	group := progress.Open(ctx)
	at := func(u float64) float64 {
		if failed != nil {
			return math.Inf(1)
		}
		var v float64
		v, failed = errorAt(group.Step(m.Evaluations, MaxEvaluations), math.Exp(u))
		m.Evaluations++
		if failed == nil && observe != nil {
			observe(m.Evaluations, math.Exp(u), v)
		}
		return v
	}
	lo, hi := math.Log(scale*minRelativeRidge), math.Log(scale*maxRelativeRidge)
	h := (hi - lo) / steps
	bestStep := -1
	m.Error = math.Inf(1)
	// Evaluate the largest ridge first, so that the smoothest model wins among equal errors.
	floor := math.Log(least) // -Inf for 0
	for i := steps; i >= 0 && lo+float64(i)*h > floor; i-- {
		if v := at(lo + float64(i)*h); v < m.Error {
			m.Error, bestStep = v, i
		}
	}
	atFloor := false
	if floor > lo {
		if v := at(floor); v < m.Error {
			m.Error, atFloor = v, true
		}
	}
	if failed != nil || bestStep < 0 && !atFloor {
		return m, failed
	}
	u := lo + float64(bestStep)*h
	m.Ridge = math.Exp(u)
	if atFloor {
		u, m.Ridge, m.Edge = floor, least, -1
	}
	switch {
	case atFloor: // the minimum may still be above it
	case bestStep == 0:
		m.Edge = -1
		return m, nil
	case bestStep == steps:
		m.Edge = 1
		return m, nil
	}
	// Golden section search between the neighbours.
	const g = 0.6180339887498949
	a, b := max(u-h, floor), u+h
	c, d := b-g*(b-a), a+g*(b-a)
	fc, fd := at(c), at(d)
	for range refinements - 2 {
		if fc < fd {
			b, d, fd = d, c, fc
			c = b - g*(b-a)
			fc = at(c)
		} else {
			a, c, fc = c, d, fd
			d = a + g*(b-a)
			fd = at(d)
		}
	}
	if fc < m.Error {
		m.Ridge, m.Error, m.Edge = math.Exp(c), fc, 0
	}
	if fd < m.Error {
		m.Ridge, m.Error, m.Edge = math.Exp(d), fd, 0
	}
	return m, failed
}

// SearchRidges returns the ridge with the smallest error. It compares the ridges of [Problem.Search], in units of scale, that are
// not below least.
func SearchRidges(ctx context.Context, scale, least float64, errorAt func(ctx context.Context, ridge float64) (float64, error)) (Minimum,
	error) {
	return search(ctx, scale, least, errorAt, nil)
}
