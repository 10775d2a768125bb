package loo

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/progress"
)

// Evaluation holds the results for one ridge.
type Evaluation struct {
	Ridge         float64
	Error         float64 // the mean weighted squared leave-one-out residual, summed over the targets
	StandardError float64 // standard error of Error, from the spread over the rows
	Evidence      float64 // the restricted log evidence
	// Wrong is the weighted fraction of rows whose leave-one-out prediction is another class, for targets ±1.
	Wrong float64
	// Slope estimates the derivative of the log error with respect to the log ridge, and Solved is the solution. Only evaluations that
	// computed a Cholesky factor set them.
	Slope  float64
	Solved *Solution
}

// wrong reports whether the leave-one-out prediction of a row is another class than its own. The slices targets and residuals
// belong to the row. If mean is not nil, it was subtracted from the targets.
func wrong(targets, residuals, mean []float64) bool {
	largest, predicted, highest, own := math.Inf(-1), 0, math.Inf(-1), 0
	for j, t := range targets {
		m := 0.0
		if mean != nil {
			m = mean[j]
		}
		if f := t + m - residuals[j]; f > largest {
			largest, predicted = f, j
		}
		if t+m > highest {
			highest, own = t+m, j
		}
	}
	if len(targets) == 1 { // two classes
		m := 0.0
		if mean != nil {
			m = mean[0]
		}
		return largest*(targets[0]+m) <= 0
	}
	return predicted != own
}

// ridges is a problem as a function of its ridge.
type ridges interface {
	// Evaluate costs O(n²), and Evidence alone O(n). If a ridge has no solution, the error is infinite.
	Evaluate(ctx context.Context, ridge float64) (Evaluation, error)
	Evidence(ridge float64) float64
	scaleOfRidges() float64
}

var (
	_ ridges = (*Problem)(nil)
	_ ridges = (*Linear)(nil)
)

// Curve evaluates ridges over the whole range, since the error may have several minima. It evaluates two per decade for up to 200
// rows, and one for more rows, where a ridge costs more. Then it evaluates ridges near the best, and the ridge with the largest
// evidence. No ridge is below least. The results are in ascending order of the ridge.
func Curve(ctx context.Context, p ridges, least float64) ([]Evaluation, error) {
	lo, hi := math.Log(p.scaleOfRidges()*minRelativeRidge), math.Log(p.scaleOfRidges()*maxRelativeRidge)
	lo = min(max(lo, math.Log(least)), hi) // -Inf for 0
	steps := max(1, int(math.Ceil((hi-lo)/math.Ln10-1e-9)))
	h := (hi - lo) / float64(steps)
	every := 2
	if of, ok := p.(*Problem); ok && len(of.root) <= 200 {
		every = 1
	}
	// In addition there are the ridge of the largest evidence, and three to six near the minimum.
	c := &curve{parts: progress.NewSeries(ctx, 2*steps/every+5), p: p, lo: lo, hi: hi}
	highest, most := math.Inf(-1), 0.0
	for i := 2 * steps; i >= 0; i-- {
		u := lo + float64(i)*h/2
		if v := p.Evidence(math.Exp(u)); v > highest {
			highest, most = v, u
		}
		if i%every == 0 {
			c.evaluate(u)
		}
	}
	if highest > math.Inf(-1) {
		c.evaluate(most)
	}
	c.valley(h * float64(every) / 4)
	return c.seen, c.err
}

// sameRidge is the relative difference up to which two ridges count as equal. Steps are 0.1 or more apart.
const sameRidge = 1e-9

// curve holds the evaluated ridges.
type curve struct {
	parts  *progress.Series // one part per evaluation
	p      ridges
	lo, hi float64
	seen   []Evaluation
	err    error
}

// evaluate evaluates the ridge exp(u), unless it already has, and returns its error.
func (c *curve) evaluate(u float64) float64 {
	if c.err != nil || u < c.lo-1e-9 || u > c.hi+1e-9 {
		return math.Inf(1)
	}
	ridge := math.Exp(u)
	i, _ := slices.BinarySearchFunc(c.seen, ridge, func(a Evaluation, ridge float64) int { return cmp.Compare(a.Ridge, ridge) })
	// Rounding may give the same ridge twice, with slightly different values. Their evidences would also be equal up to rounding,
	// and the unit of the targets would decide which is larger.
	for _, near := range c.seen[max(i-1, 0):min(i+1, len(c.seen))] {
		if math.Abs(near.Ridge-ridge) <= sameRidge*ridge {
			return near.Error
		}
	}
	var l Evaluation
	if l, c.err = c.p.Evaluate(c.parts.Next(), ridge); c.err != nil || !(l.Error < math.Inf(1)) {
		return math.Inf(1)
	}
	c.seen = slices.Insert(c.seen, i, l)
	return l.Error
}

// valley evaluates ridges at distance h on both sides of the smallest error, and at the minimum of the parabola.
func (c *curve) valley(h float64) {
	least, ok := Least(c.seen)
	if !ok {
		return
	}
	u := math.Log(least.Ridge)
	before, here, after := c.evaluate(u-h), least.Error, c.evaluate(u+h)
	if before < here {
		u, before, here, after = u-h, c.evaluate(u-2*h), before, here
	} else if after < here {
		u, before, here, after = u+h, here, after, c.evaluate(u+2*h)
	}
	if curvature := before - 2*here + after; curvature > 0 && !math.IsInf(curvature, 1) {
		c.evaluate(u + h*(before-after)/curvature/2)
	}
}

// Least returns the evaluation with the smallest error. Among equal errors it returns the one with the largest ridge. It returns ok
// = false if there are no evaluations.
func Least(evaluations []Evaluation) (out Evaluation, ok bool) {
	for i := len(evaluations) - 1; i >= 0; i-- {
		if !ok || evaluations[i].Error < out.Error {
			out, ok = evaluations[i], true
		}
	}
	return out, ok
}

func (p *Problem) scaleOfRidges() float64 { return p.scale }

func (p *Linear) scaleOfRidges() float64 { return p.scale }

// Evaluate implements ridges.
func (p *Problem) Evaluate(ctx context.Context, ridge float64) (Evaluation, error) {
	out := Evaluation{Ridge: ridge, Error: math.Inf(1), Evidence: p.Evidence(ridge)}
	s, err := p.Solve(ctx, ridge)
	if err != nil || s == nil {
		return out, err
	}
	squares, weight := make([]float64, len(p.root)), 0.0
	for i, r := range p.root {
		if wrong(p.targets.RawRowView(i), s.Residuals.RawRowView(i), nil) {
			out.Wrong += r * r
		}
		for _, e := range s.Residuals.RawRowView(i) {
			squares[i] += r * r * e * e
		}
		weight += r * r
	}
	out.Wrong /= weight
	out.average(squares, weight)
	return out, nil
}

// average sets the error and its standard error from the weighted squares of the rows.
func (l *Evaluation) average(squares []float64, weight float64) {
	n := float64(len(squares))
	l.Error = floats.Sum(squares) / weight
	spread := 0.0
	for _, s := range squares {
		d := s*n/weight - l.Error
		spread += d * d / n
	}
	l.StandardError = math.Sqrt(spread / n)
}

// Evidence returns the log evidence of a Gaussian process for the contrasts of the targets, at its best variance, summed over the
// targets. For k classes against the rest, k-1 targets count. It is -Inf if rounding makes M indefinite.
func (p *Problem) Evidence(ridge float64) float64 {
	s, ok := p.tri.Shift(ridge)
	if !ok {
		return math.Inf(-1)
	}
	x := mat.DenseCopyOf(p.rotated)
	s.Solve(x)
	n, k := x.Dims()
	var eta, q float64 // Ση, and tr(t'Pt)
	for i := range n {
		eta += p.rotated.At(i, 0) * x.At(i, 0)
	}
	for j := 1; j < k; j++ {
		var own, one float64
		for i := range n {
			own += p.rotated.At(i, j) * x.At(i, j)
			one += p.rotated.At(i, 0) * x.At(i, j)
		}
		q += own - one*one/eta
	}
	return restricted(n, k-1, q, s.LogDet()-p.logs, eta)
}

// restricted returns the log evidence of n rows and k columns of targets, which have n-1 contrasts. For k classes, k-1 columns
// count. The parameter q is Σ α't, det is the log determinant of M, and eta is Ση.
func restricted(n, k int, q, det, eta float64) float64 {
	m := float64(max(1, k-1)) // several columns are classes
	f := float64(n-1) * m
	v := -f/2*(math.Log(2*math.Pi*max(q, 0)/f)+1) - m/2*(det+math.Log(eta))
	if math.IsNaN(v) {
		return math.Inf(-1)
	}
	return v
}

// Evaluate implements ridges.
func (p *Linear) Evaluate(ctx context.Context, ridge float64) (Evaluation, error) {
	out := Evaluation{Ridge: ridge, Error: math.Inf(1), Evidence: p.Evidence(ridge)}
	squares, share, err := p.squares(ctx, ridge)
	if err != nil || squares == nil {
		return out, err
	}
	out.Wrong = share
	out.average(squares, p.weight)
	return out, nil
}

// Evidence is like Problem.Evidence. It computes the weights from the leverages of the intercept.
func (p *Linear) Evidence(ridge float64) float64 {
	s, ok := p.tri.Shift(ridge)
	if !ok {
		return math.Inf(-1)
	}
	x := mat.DenseCopyOf(p.moment)
	s.Solve(x)
	d, k := x.Dims()
	n, _ := p.targets.Dims()
	q := mat.Norm(p.targets, 2)
	q *= q
	for i := range d {
		for j := range k {
			q -= p.moment.At(i, j) * x.At(i, j)
		}
	}
	// (ZZ' + λI)⁻¹ = (I - Z(Z'Z + λI)⁻¹Z')/λ, and n - d factors of its determinant are λ.
	det := s.LogDet() + float64(n-d)*math.Log(ridge)
	for _, l := range p.leverage {
		if l > 0 {
			det -= math.Log(l * p.weight)
		}
	}
	return restricted(n, k, q/ridge, det, p.weight/ridge)
}

// Least evaluates count ridges, a decade apart, of which the first is least times the scale of the ridges. It returns the minimum
// of the parabola through the smallest error and its neighbours in log coordinates, which is a smooth function of the kernel's
// parameters. It costs O(n²) per ridge.
func (p *Problem) Least(ctx context.Context, least float64, count int) (float64, error) {
	errors := make([]float64, count)
	best, group := 0, progress.Open(ctx)
	for i := range errors {
		var err error
		if errors[i], err = p.Error(group.Step(i, count), p.scale*least*math.Pow(10, float64(i))); err != nil {
			return 0, err
		}
		if errors[i] < errors[best] {
			best = i
		}
	}
	if best == 0 || best == count-1 || !(errors[best] > 0) {
		return errors[best], nil
	}
	// Ratios do not depend on the unit of the targets.
	low, high := math.Log(errors[best-1]/errors[best]), math.Log(errors[best+1]/errors[best])
	curvature := low + high
	if !(curvature > 0) || math.IsInf(curvature, 1) {
		return errors[best], nil
	}
	return errors[best] * math.Exp(-(low-high)*(low-high)/(8*curvature)), nil
}
