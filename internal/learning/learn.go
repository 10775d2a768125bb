package learning

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/minimize"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/kernels"
)

// Block holds the rows of an objective.
type Block struct {
	Targets
	derivatives *kernels.Derivatives
	// gram is the kernel matrix, memory the copy that is factored. All evaluations reuse them.
	gram, memory mat.SymDense
}

// NewBlock prepares rows x (n×d), which it copies, and their targets. It returns the errors of kernels.NewDerivatives.
func NewBlock(x *mat.Dense, t Targets, opt *kernels.Options) (*Block, error) {
	d, err := kernels.NewDerivatives(x, opt)
	if err != nil {
		return nil, err
	}
	return &Block{Targets: t, derivatives: d}, nil
}

func (b *Block) rows() int {
	n, _ := b.Y.Dims()
	return n
}

// Prior is a Student t distribution of some parameters around centres. It keeps a length near the other lengths unless the rows
// clearly favour another value.
type Prior struct {
	Centre []float64 // one per parameter; NaN for parameters without a prior
	Nu     float64   // degrees of freedom
	Tau    float64   // scale
}

// Add adds the log density at theta, up to a constant, to f and its gradient.
func (p *Prior) Add(f *float64, gradient, theta []float64) {
	if p == nil {
		return
	}
	for j, c := range p.Centre {
		if math.IsNaN(c) {
			continue
		}
		t := (theta[j] - c) / p.Tau
		*f -= (p.Nu + 1) / 2 * math.Log1p(t*t/p.Nu)
		if gradient != nil {
			gradient[j] -= (p.Nu + 1) * t / p.Tau / (p.Nu + t*t)
		}
	}
}

// Bounds limits the logs of the parameters.
type Bounds struct{ Low, High []float64 }

// LengthBounds returns the bounds of the log of a length, for a column with unit standard deviation.
func LengthBounds() (low, high float64) { return -3.5, 8 }

// DefaultBounds returns the bounds for a kernel on columns with unit standard deviation. Without bounds the best length is often
// infinite, and the best ridge 0.
func DefaultBounds(k kernels.Differentiable) Bounds {
	var b Bounds
	add := func(low, high float64) { b.Low, b.High = append(b.Low, low), append(b.High, high) }
	for _, p := range k.Params() {
		switch p.Kind {
		case kernels.KindLength, kernels.KindPeriod:
			add(LengthBounds())
		case kernels.KindRate:
			add(-16, 7) // 1 divided by a squared length
		default:
			add(-7, 7)
		}
	}
	add(-18, 6) // the ridge
	add(-36, 36)
	return b
}

// Problem learns the parameters of a kernel. Its variables are the logs of the kernel's parameters, of the ridge, and of the extra
// parameter of objectives that have one.
type Problem struct {
	Kind   Kind
	Kernel kernels.Differentiable
	Blocks []*Block // the objective is the sum over the blocks
	Rows   int      // rows of Evaluate that are not in Blocks
	Prior  *Prior
	Bounds Bounds
	// Likelihood rescales objectives that are means over rows to the scale of a log likelihood, to match a Prior: n/2 times minus
	// the log of a LeaveOneOut error, n times a Logistic loss.
	Likelihood bool
	// MaxIterations limits the steps of the quasi-Newton method.
	MaxIterations int
	// Tolerance ends the climb when each of two steps changes the objective per row by less than this fraction of it, or by less
	// than a tenth of Tolerance.
	Tolerance float64
	// If Inverse is not nil, it approximates the inverse of minus the second derivatives of the objective per row. It may be the
	// Inverse of an Outcome for other rows. It scales the first steps.
	Inverse *mat.SymDense
	// If Evaluate is not nil, it replaces Value in the climb. It may return a recorded value, record a new one, or end the climb
	// with an error.
	Evaluate func(ctx context.Context, theta []float64) (f float64, gradient []float64, err error)
}

// Value returns the objective with the prior at the logs theta. If gradient is not nil, Value writes the gradient to it. The
// objective is infinite if a matrix is not positive definite.
func (p *Problem) Value(ctx context.Context, theta, gradient []float64) (float64, error) {
	f, err := p.evaluateRidges(ctx, theta, []float64{theta[len(p.Kernel.Params())]}, gradient)
	return f[0], err
}

// AtRidges returns the objective at theta with each of these ridges in turn, from one kernel matrix per block.
func (p *Problem) AtRidges(ctx context.Context, theta, ridges []float64) ([]float64, error) {
	logs := make([]float64, len(ridges))
	for i, v := range ridges {
		logs[i] = math.Log(v)
	}
	return p.evaluateRidges(ctx, theta, logs, nil)
}

// evaluateRidges returns the objective at the logs of several ridges. With a gradient there may be only one.
func (p *Problem) evaluateRidges(ctx context.Context, theta, ridges, gradient []float64) ([]float64, error) {
	count := len(p.Kernel.Params())
	kernel := kernels.WithLogParams(p.Kernel, theta[:count])
	extra := 1.0
	if p.Kind.extra() {
		extra = math.Exp(theta[count+1])
	}
	totals := make([]float64, len(ridges))
	clear(gradient)
	var own []float64
	if gradient != nil {
		own = make([]float64, len(gradient))
	}
	blocks := progress.Open(ctx)
	for at, b := range p.Blocks {
		first, rest := progress.Two(blocks.Step(at, len(p.Blocks)), 1, 4)
		if err := b.derivatives.MatrixTo(first, &b.gram, kernel); err != nil {
			return totals, err
		}
		each := progress.Open(rest)
		for i, ridge := range ridges {
			f, err := b.objective(each.Step(i, len(ridges)), p.Kind, math.Exp(ridge), extra, own)
			if err != nil {
				return totals, err
			}
			if p.Likelihood {
				f = p.likelihood(f, float64(b.rows()), own)
			}
			totals[i] += f
		}
		floats.Add(gradient, own)
	}
	for i := range totals {
		p.Prior.Add(&totals[i], gradient, theta)
	}
	return totals, nil
}

// likelihood converts an objective f that is a mean over n rows to the scale of a log likelihood, and scales the gradient to match.
// It returns other objectives unchanged.
func (p *Problem) likelihood(f, n float64, gradient []float64) float64 {
	switch p.Kind {
	case LeaveOneOut:
		floats.Scale(n/2/-f, gradient)
		return -n / 2 * math.Log(-f)
	case Logistic:
		floats.Scale(n, gradient)
		return n * f
	}
	return f
}

// objective returns the objective of a block at a ridge, given the block's kernel matrix in gram. If gradient is not nil, it is
// overwritten with the gradient.
func (b *Block) objective(ctx context.Context, kind Kind, lambda, extra float64, gradient []float64) (float64, error) {
	// The costs are multiplications divided by the square of the number of rows. A multiplication in a matrix product counts a
	// tenth.
	first, second := progress.Two(ctx, float64(b.rows()), 10*float64(len(gradient)+10))
	v, ok, err := b.value(first, kind, lambda, extra, gradient != nil)
	switch {
	case err != nil:
		return math.Inf(-1), err
	case !ok:
		return math.Inf(-1), nil
	case gradient == nil:
		return v.F, nil
	}
	rest := gradient[len(gradient)-1:]
	if kind.extra() {
		rest = gradient[len(gradient)-2:]
		rest[1] = v.Extra
	}
	rest[0] = v.Lambda
	return v.F, b.derivatives.Gradient(second, gradient[:len(gradient)-len(rest)], v.W)
}

func (b *Block) value(ctx context.Context, kind Kind, lambda, extra float64, gradient bool) (value, bool, error) {
	if kind == Laplace {
		return laplace(ctx, &b.gram, b.Targets, lambda, gradient)
	}
	c := &b.memory
	if c.IsEmpty() {
		c.ReuseAsSym(b.rows())
	}
	c.CopySym(&b.gram)
	for i := range b.rows() {
		c.SetSym(i, i, c.At(i, i)+lambda*b.noise(i))
	}
	return evaluate(ctx, kind, c, b.Targets, lambda, extra, gradient)
}

// Outcome is the result of a climb.
type Outcome struct {
	Theta   []float64     // the best logs that were evaluated
	F       float64       // the objective at Theta, with the prior
	Inverse *mat.SymDense // approximate inverse of minus the second derivatives per row
}

// usualValues is a typical number of evaluations of a climb.
const usualValues = 20

// Improve climbs from theta within the bounds with limited-memory BFGS. It returns the best evaluated point, even with an error. F
// is -Inf if the objective was finite at no point. It returns errors of the kernel, of Evaluate and of ctx.
func (p *Problem) Improve(ctx context.Context, theta []float64) (Outcome, error) {
	rows := p.Rows
	for _, b := range p.Blocks {
		rows += b.rows()
	}
	c := &climb{Problem: p, ctx: ctx, parts: progress.NewSeries(ctx, usualValues), scale: 1 / float64(rows),
		best: Outcome{Theta: slices.Clone(theta), F: math.Inf(-1)}}
	settings := &optimize.Settings{
		MajorIterations:   p.MaxIterations,
		Converger:         &optimize.FunctionConverge{Relative: p.Tolerance, Absolute: p.Tolerance / 10, Iterations: 2},
		GradientThreshold: 1e-7,
	}
	// In units z of x = theta + Lz with LL' = Inverse the objective is nearly spherical, and the best step is as long as the
	// gradient. The first step of gonum's method has length 1, so the units are scaled such that the best step has this length.
	scale := p.scale(len(theta))
	if p.Inverse != nil {
		_, v := c.evaluate(theta)
		g := mat.NewVecDense(len(v), nil)
		fast.MulVec(g, scale.T(), mat.NewVecDense(len(v), v))
		if length := mat.Norm(g, 2); length > 0 && length < 1 {
			scale.ScaleTri(length, scale)
		}
	}
	from := func(z []float64) []float64 {
		x := make([]float64, len(z))
		mat.NewVecDense(len(x), x).MulVec(scale, mat.NewVecDense(len(z), z))
		floats.Add(x, theta)
		return x
	}
	_, err := minimize.Run(func(z []float64) float64 { f, _ := c.evaluate(from(z)); return f },
		func(g, z []float64) {
			_, v := c.evaluate(from(z))
			mat.NewVecDense(len(g), g).MulVec(scale.T(), mat.NewVecDense(len(v), v))
		},
		func() error { return c.err }, make([]float64, len(theta)), settings, &optimize.LBFGS{})
	if c.err == nil {
		c.err = err
	}
	c.best.Inverse = c.inverse
	return c.best, c.err
}

// scale returns the lower triangular L, which is the identity if Inverse is nil.
func (p *Problem) scale(n int) *mat.TriDense {
	out := mat.NewTriDense(n, mat.Lower, nil)
	var factor mat.Cholesky
	if p.Inverse != nil && factor.Factorize(p.Inverse) {
		factor.LTo(out)
		return out
	}
	for i := range n {
		out.SetTri(i, i, 1)
	}
	return out
}

// climb stores the last point, which gonum's methods evaluate twice, and the best point.
type climb struct {
	*Problem
	ctx     context.Context
	parts   *progress.Series // one part per value
	scale   float64
	x, g    []float64
	f       float64
	best    Outcome
	inverse *mat.SymDense
	err     error
}

// evaluate returns the function to minimise and its gradient: minus the objective at the nearest point within the bounds, plus half
// the squared distance to it.
func (c *climb) evaluate(x []float64) (float64, []float64) {
	if c.x != nil && slices.Equal(c.x, x) {
		return c.f, c.g
	}
	last, lastGradient := slices.Clone(c.x), c.g
	c.x = append(c.x[:0], x...)
	inside := c.clamp(x)
	f, gradient, err := c.objective(inside)
	if err != nil {
		c.err = err
	}
	if err != nil || math.IsInf(f, -1) || math.IsNaN(f) {
		c.f, c.g = math.Inf(1), make([]float64, len(x))
		return c.f, c.g
	}
	if f > c.best.F {
		c.best.F, c.best.Theta = f, inside
	}
	c.f, c.g = -f*c.scale, make([]float64, len(x))
	for j, v := range gradient {
		excess := x[j] - inside[j]
		if excess == 0 {
			c.g[j] = -v * c.scale
		}
		c.f += excess * excess / 2
		c.g[j] += excess
	}
	c.learn(last, lastGradient)
	return c.f, c.g
}

// learn updates the inverse with the BFGS formula, from the change of the gradient since the last point.
func (c *climb) learn(last, gradient []float64) {
	if len(last) == 0 || floats.Norm(gradient, 2) == 0 {
		return
	}
	n := len(last)
	s, y := make([]float64, n), make([]float64, n)
	floats.SubTo(s, c.x, last)
	floats.SubTo(y, c.g, gradient)
	sy := floats.Dot(s, y)
	if !(sy > 1e-8*floats.Norm(s, 2)*floats.Norm(y, 2)) {
		return
	}
	if c.inverse == nil {
		c.inverse = mat.NewSymDense(n, nil)
		for i := range n {
			c.inverse.SetSym(i, i, sy/floats.Dot(y, y))
		}
	}
	step, change := mat.NewVecDense(n, s), mat.NewVecDense(n, y)
	var hy mat.VecDense
	fast.MulVec(&hy, c.inverse, change)
	c.inverse.RankTwo(c.inverse, -1/sy, step, &hy)
	c.inverse.SymRankOne(c.inverse, (1+mat.Dot(change, &hy)/sy)/sy, step)
}

func (c *climb) objective(theta []float64) (f float64, gradient []float64, err error) {
	if c.err != nil {
		return 0, nil, c.err
	}
	if c.Evaluate != nil {
		return c.Evaluate(c.parts.Next(), slices.Clone(theta))
	}
	gradient = make([]float64, len(theta))
	f, err = c.Value(c.parts.Next(), theta, gradient)
	return f, gradient, err
}

func (c *climb) clamp(x []float64) []float64 {
	out := slices.Clone(x)
	for j, v := range out {
		out[j] = min(max(v, c.Bounds.Low[j]), c.Bounds.High[j])
	}
	return out
}
