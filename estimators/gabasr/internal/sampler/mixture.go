package sampler

import (
	"context"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// mixture is the Dirichlet-process mixture of normal distributions from which the frequencies, the rows of omega, are drawn.
type mixture struct {
	omega *mat.Dense   // M×D
	z     []int        // component of each row
	parts []*component // none is empty between steps
	alpha float64

	// The prior is mu ~ N(centre, R⁻¹), Lambda ~ Wishart(beta, (beta Wp)⁻¹).
	centre []float64
	r      *mat.SymDense // R
	rootR  *mat.TriDense // lower factor of R
	wp     *mat.SymDense // Wp
	beta   float64
}

// component is a component N(mu, Lambda⁻¹).
type component struct {
	n    int
	mu   []float64
	root *mat.TriDense // lower, root root' = Lambda
}

// noPart denotes the prior instead of a component. A row without a component has -1.
const noPart = -2

// newMixture returns a mixture with one component of mean 0 and precision Wp⁻¹, with R⁻¹ = Wp = scale²I and beta = D+3.
func newMixture(omega *mat.Dense, scale float64) *mixture {
	m, d := omega.Dims()
	x := &mixture{
		omega: omega, z: make([]int, m), alpha: 1, centre: make([]float64, d),
		r: mat.NewSymDense(d, nil), wp: mat.NewSymDense(d, nil), beta: float64(d) + 3,
	}
	root := mat.NewTriDense(d, mat.Lower, nil)
	for j := range d {
		x.r.SetSym(j, j, 1/(scale*scale))
		x.wp.SetSym(j, j, scale*scale)
		root.SetTri(j, j, 1/scale)
	}
	x.rootR = root
	x.parts = []*component{{n: m, mu: make([]float64, d), root: root}}
	return x
}

// logDensity returns the log of N(w; mu, Lambda⁻¹) without -D/2 log 2π.
func (c *component) logDensity(w []float64) float64 {
	sum, det := 0.0, 0.0
	d := len(w)
	for j := range d {
		v := 0.0
		for i := j; i < d; i++ {
			v += c.root.At(i, j) * (w[i] - c.mu[i])
		}
		sum += v * v
		det += math.Log(c.root.At(j, j))
	}
	return det - sum/2
}

// draw sets w to a draw from the component.
func (c *component) draw(w []float64, rng *rand.Rand) {
	d := len(w)
	for j := range w {
		w[j] = rng.NormFloat64()
	}
	solveTrans(c.root, w)
	for j := range d {
		w[j] += c.mu[j]
	}
}

// solveTrans overwrites v with L⁻ᵀv.
func solveTrans(l *mat.TriDense, v []float64) {
	for i := len(v) - 1; i >= 0; i-- {
		for k := i + 1; k < len(v); k++ {
			v[i] -= l.At(k, i) * v[k]
		}
		v[i] /= l.At(i, i)
	}
}

// solve overwrites v with L⁻¹v.
func solve(l *mat.TriDense, v []float64) {
	for i := range v {
		for k := range i {
			v[i] -= l.At(i, k) * v[k]
		}
		v[i] /= l.At(i, i)
	}
}

// wishart draws from Wishart(dof, b⁻¹), which has the mean dof·b⁻¹, and returns the lower factor of the draw. If b = UU' and U is
// upper triangular, the lower factor of b⁻¹ is U⁻ᵀ, so the factor of the draw is U⁻ᵀ times Bartlett's factor. The cost is d³/2 for
// order d. If ctx ends, it stops, and its result is invalid.
func wishart(ctx context.Context, dof float64, b *mat.SymDense, rng *rand.Rand) *mat.TriDense {
	d := b.SymmetricDim()
	u := upperFactor(ctx, b)
	out := mat.NewTriDense(d, mat.Lower, nil)
	column := make([]float64, d)
	for j := range d {
		if ctx.Err() != nil {
			return out
		}
		clear(column)
		column[j] = math.Sqrt(distuv.ChiSquared{K: dof - float64(j), Src: rng}.Rand())
		for i := j + 1; i < d; i++ {
			column[i] = rng.NormFloat64()
		}
		// U' is lower triangular: solving with it keeps the zeros above j.
		for i := j; i < d; i++ {
			v := column[i]
			for k := j; k < i; k++ {
				v -= u.At(k, i) * column[k]
			}
			column[i] = v / u.At(i, i)
			out.SetTri(i, j, column[i])
		}
	}
	return out
}

// upperFactor returns the upper triangular U with UU' = b, computed by Cholesky's algorithm from the last row up. If ctx ends, it
// stops early and the result is invalid.
func upperFactor(ctx context.Context, b *mat.SymDense) *mat.TriDense {
	d := b.SymmetricDim()
	u := mat.NewTriDense(d, mat.Upper, nil)
	for j := d - 1; j >= 0 && ctx.Err() == nil; j-- {
		v := b.At(j, j)
		for k := j + 1; k < d; k++ {
			v -= u.At(j, k) * u.At(j, k)
		}
		// b is a prior's scale plus squares, and therefore positive except for rounding.
		diag := math.Sqrt(max(v, 1e-14*b.At(j, j)))
		u.SetTri(j, j, diag)
		for i := range j {
			v := b.At(i, j)
			for k := j + 1; k < d; k++ {
				v -= u.At(i, k) * u.At(j, k)
			}
			u.SetTri(i, j, v/diag)
		}
	}
	return u
}

// lowerFactor returns the lower triangular L with LL' = a, which is positive definite except for rounding. If ctx ends, it stops
// early and the result is invalid.
func lowerFactor(ctx context.Context, a *mat.SymDense) *mat.TriDense {
	d := a.SymmetricDim()
	l := mat.NewTriDense(d, mat.Lower, nil)
	for j := range d {
		if ctx.Err() != nil {
			return l
		}
		v := a.At(j, j)
		for k := range j {
			v -= l.At(j, k) * l.At(j, k)
		}
		diag := math.Sqrt(max(v, 1e-14*a.At(j, j)))
		l.SetTri(j, j, diag)
		for i := j + 1; i < d; i++ {
			v := a.At(i, j)
			for k := range j {
				v -= l.At(i, k) * l.At(j, k)
			}
			l.SetTri(i, j, v/diag)
		}
	}
	return l
}

// lambda returns the precision of a component. If ctx ends, it stops early and the result is invalid.
func (c *component) lambda(ctx context.Context) *mat.SymDense {
	d := len(c.mu)
	out := mat.NewSymDense(d, nil)
	for i := range d {
		if ctx.Err() != nil {
			return out
		}
		for j := range i + 1 {
			v := 0.0
			for k := range j + 1 {
				v += c.root.At(i, k) * c.root.At(j, k)
			}
			out.SetSym(i, j, v)
		}
	}
	return out
}

// fromPrior draws a component without rows. If ctx ends, it stops early and the result is invalid.
func (x *mixture) fromPrior(ctx context.Context, rng *rand.Rand) *component {
	c := &component{mu: make([]float64, len(x.centre)), root: x.precisionGiven(ctx, &component{mu: x.centre}, noPart, rng)}
	if ctx.Err() != nil {
		return c
	}
	for j := range c.mu {
		c.mu[j] = rng.NormFloat64()
	}
	solveTrans(x.rootR, c.mu)
	for j, v := range x.centre {
		c.mu[j] += v
	}
	return c
}

// meanConditional returns the mean and the lower factor of the precision of mu_k given all other values. If ctx ends, it stops
// early and the result is invalid.
func (x *mixture) meanConditional(ctx context.Context, k int) (mean []float64, root *mat.TriDense) {
	c := x.parts[k]
	d := len(c.mu)
	lambda := c.lambda(ctx)
	sum := make([]float64, d)
	for i, z := range x.z {
		if z == k {
			for j, v := range x.omega.RawRowView(i) {
				sum[j] += v
			}
		}
	}
	mean = make([]float64, d)
	total := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range d {
			mean[i] += lambda.At(i, j)*sum[j] + x.r.At(i, j)*x.centre[j]
			if j <= i {
				total.SetSym(i, j, float64(c.n)*lambda.At(i, j)+x.r.At(i, j))
			}
		}
	}
	if root = lowerFactor(ctx, total); ctx.Err() != nil {
		return mean, root
	}
	solve(root, mean)
	solveTrans(root, mean)
	return mean, root
}

// precisionConditional returns the degrees of freedom and the inverse scale of the Wishart distribution of Lambda_k given all other
// values, or of the prior if k = noPart. If ctx ends, it stops early and the results are invalid.
func (x *mixture) precisionConditional(ctx context.Context, c *component, k int) (dof float64, inverseScale *mat.SymDense) {
	d := len(c.mu)
	b := mat.NewSymDense(d, nil)
	for i := range d {
		for j := range i + 1 {
			b.SetSym(i, j, x.beta*x.wp.At(i, j))
		}
	}
	diff := make([]float64, d)
	for row, z := range x.z {
		if z != k {
			continue
		}
		if ctx.Err() != nil {
			break
		}
		for j, v := range x.omega.RawRowView(row) {
			diff[j] = v - c.mu[j]
		}
		for i := range d {
			for j := range i + 1 {
				b.SetSym(i, j, b.At(i, j)+diff[i]*diff[j])
			}
		}
	}
	return x.beta + float64(c.n), b
}

func (x *mixture) precisionGiven(ctx context.Context, c *component, k int, rng *rand.Rand) *mat.TriDense {
	dof, b := x.precisionConditional(ctx, c, k)
	return wishart(ctx, dof, b, rng)
}

// leave removes row i from its component. If the component is empty afterwards, leave removes and returns it.
func (x *mixture) leave(i int) (alone *component) {
	k := x.z[i]
	x.z[i] = -1
	c := x.parts[k]
	if c.n--; c.n > 0 {
		return nil
	}
	x.parts = append(x.parts[:k], x.parts[k+1:]...)
	for j, z := range x.z {
		if z > k {
			x.z[j] = z - 1
		}
	}
	return c
}

// assignment sets prob to the probabilities of the components for row i, which has no component. The last probability is that of
// the new component aux. It returns prob, which it lengthens if necessary.
func (x *mixture) assignment(prob []float64, i int, aux *component) []float64 {
	w := x.omega.RawRowView(i)
	prob = prob[:0]
	top := math.Inf(-1)
	for _, c := range x.parts {
		prob = append(prob, math.Log(float64(c.n))+c.logDensity(w))
		top = max(top, prob[len(prob)-1])
	}
	prob = append(prob, math.Log(x.alpha)+aux.logDensity(w))
	top = max(top, prob[len(prob)-1])
	sum := 0.0
	for k, v := range prob {
		prob[k] = math.Exp(v - top)
		sum += prob[k]
	}
	for k := range prob {
		prob[k] /= sum
	}
	return prob
}

// sample runs a sweep of Neal's Algorithm 8 with one auxiliary component over the assignments, then draws all components and alpha.
// The cost is O(MKD² + MD³). It returns only the error of ctx, after which the mixture is invalid.
func (x *mixture) sample(ctx context.Context, rng *rand.Rand) error {
	var prob []float64
	for i := range x.z {
		aux := x.leave(i)
		if aux == nil {
			aux = x.fromPrior(ctx, rng)
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		prob = x.assignment(prob, i, aux)
		u, k := rng.Float64(), 0
		for ; k < len(prob)-1 && u >= prob[k]; k++ {
			u -= prob[k]
		}
		if k == len(x.parts) {
			x.parts = append(x.parts, aux)
		}
		x.z[i] = k
		x.parts[k].n++
	}
	for k, c := range x.parts {
		mean, root := x.meanConditional(ctx, k)
		if err := ctx.Err(); err != nil {
			return err
		}
		for j := range c.mu {
			c.mu[j] = rng.NormFloat64()
		}
		solveTrans(root, c.mu)
		for j, v := range mean {
			c.mu[j] += v
		}
		c.root = x.precisionGiven(ctx, c, k, rng)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	x.sampleAlpha(rng)
	return nil
}

// sampleAlpha draws alpha, with the prior Gamma(1, 1), by the method of Escobar and West (1995).
func (x *mixture) sampleAlpha(rng *rand.Rand) {
	m, k := float64(len(x.z)), float64(len(x.parts))
	eta := distuv.Beta{Alpha: x.alpha + 1, Beta: m, Src: rng}.Rand()
	rate := 1 - math.Log(max(eta, math.SmallestNonzeroFloat64))
	odds := k / (m * rate)
	shape := k
	if rng.Float64() < odds/(1+odds) {
		shape++
	}
	// A draw of exactly 0 would permanently rule out new components.
	x.alpha = max(distuv.Gamma{Alpha: shape, Beta: rate, Src: rng}.Rand(), 1e-12)
}

// keepSign returns the probability that row i keeps its sign, given its component. It compares the densities of the row and of its
// negative.
func (x *mixture) keepSign(i int) float64 {
	w := x.omega.RawRowView(i)
	negative := make([]float64, len(w))
	for j, v := range w {
		negative[j] = -v
	}
	c := x.parts[x.z[i]]
	return vecmath.Sigmoid(c.logDensity(w) - c.logDensity(negative))
}

// propose returns a draw for each row from its component. It returns only the error of ctx.
func (x *mixture) propose(ctx context.Context, rng *rand.Rand) (*mat.Dense, error) {
	m, d := x.omega.Dims()
	out := mat.NewDense(m, d, nil)
	for i, z := range x.z {
		if err := ctx.Err(); err != nil { // a draw takes d² steps
			return nil, err
		}
		x.parts[z].draw(out.RawRowView(i), rng)
	}
	return out, nil
}

// nearby returns a value near each frequency, drawn from a symmetric distribution, and the increase of the log density of its
// component. The width of each step is random, between unit/100 and unit, because the precision with which the targets determine a
// frequency depends on its amplitude.
func (x *mixture) nearby(ctx context.Context, rng *rand.Rand, unit float64) (proposals *mat.Dense, higher []float64, err error) {
	m, d := x.omega.Dims()
	proposals, higher = mat.NewDense(m, d, nil), make([]float64, m)
	for i, z := range x.z {
		if err := ctx.Err(); err != nil {
			return nil, nil, err
		}
		from, to := x.omega.RawRowView(i), proposals.RawRowView(i)
		width := unit * math.Pow(10, -2*rng.Float64())
		for j, v := range from {
			to[j] = v + width*rng.NormFloat64()
		}
		higher[i] = x.parts[z].logDensity(to) - x.parts[z].logDensity(from)
	}
	return proposals, higher, nil
}
