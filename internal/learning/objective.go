// Package learning provides objectives for the parameters of a kernel, with exact gradients, and a quasi-Newton method that
// maximises them.
//
// With C = K + λ diag(1/w), η = C⁻¹1 and s = 1'η, P = C⁻¹ - ηη'/s is a block of the inverse of the bordered matrix of a machine
// with a free constant. A = PY are its coefficients, and a[i]/P[i,i] its leave-one-out residuals. Every objective F has an explicit
// symmetric matrix W = dF/dC, so that dF/dθ = Σ W[i,k] dK[i,k]/dθ for each parameter θ of the kernel. A gradient costs a Cholesky
// factor and an inverse, regardless of the number of parameters (Rasmussen and Williams, Gaussian Processes for Machine Learning,
// 2006, 5.8 to 5.13; Cawley and Talbot, JMLR 8, 2007, 841).
package learning

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Kind is an objective. All objectives are maximised.
type Kind int

// The objectives.
const (
	// Restricted is the log evidence of the contrasts of the targets, which do not depend on the constant, at the best variance.
	Restricted Kind = iota
	// Full is the log evidence at the best constant and variance.
	Full
	// LeaveOneOut is minus the mean weighted squared leave-one-out residual.
	LeaveOneOut
	// Density is the log predictive density of each row given the others.
	Density
	// Given is the log evidence at the best constant and a given variance.
	Given
	// ZeroMean is Full without a constant.
	ZeroMean
	// Logistic is minus the mean of ln(1 + exp(-t y f)) over rows, where y = ±1 is the target and f the leave-one-out prediction.
	// The slope t is learnt too.
	Logistic
	// Laplace is the approximate log evidence of a classifier, for targets y = ±1; see laplace.
	Laplace
)

// extra reports whether an objective has a parameter in addition to those of the kernel and the ridge: the variance of Given, or
// the slope of Logistic.
func (k Kind) extra() bool { return k == Given || k == Logistic }

// Targets are the targets of a block.
type Targets struct {
	Y       *mat.Dense // n×m
	Weights []float64  // row weights; nil: 1 each
	// Outputs is the number of independent columns: m, or m-1 if the columns are the indicators of m classes.
	Outputs int
}

// value is an objective at a kernel matrix, with its derivatives.
type value struct {
	F      float64
	W      *mat.SymDense // dF/dC; nil unless requested
	Lambda float64       // dF/dlnλ
	Extra  float64       // derivative of F with respect to the log of the extra parameter
}

// state holds the quantities from which all objectives are computed.
type state struct {
	Targets
	n      int
	factor *linalg.Cholesky
	eta    []float64
	sum    float64    // s; 0 without a constant
	a      *mat.Dense // n×m
	q      float64    // tr(Y'PY)
}

// noise returns 1/w for a row.
func (t Targets) noise(i int) float64 {
	if t.Weights == nil {
		return 1
	}
	return 1 / t.Weights[i]
}

// newState factors c = K + λ diag(1/w) in place. It returns ok = false if c is not positive definite, and ctx's error.
func newState(ctx context.Context, c *mat.SymDense, t Targets, constant bool) (*state, bool, error) {
	factor, err := linalg.NewCholesky(ctx, "", c)
	if ok, err := definite(err); !ok || factor.Jitter() > 0 {
		return nil, false, err
	}
	n, m := t.Y.Dims()
	s := &state{Targets: t, n: n, factor: factor, eta: make([]float64, n), a: mat.DenseCopyOf(t.Y)}
	if err := factor.Solve(ctx, s.a); err != nil {
		return nil, false, err
	}
	if constant {
		for i := range s.eta {
			s.eta[i] = 1
		}
		factor.SolveVec(s.eta)
		s.sum = floats.Sum(s.eta)
		for k := range m {
			b := 0.0
			for i := range n {
				b += s.a.At(i, k)
			}
			b /= s.sum
			for i, e := range s.eta {
				s.a.Set(i, k, s.a.At(i, k)-b*e)
			}
		}
	}
	for i := range n {
		s.q += floats.Dot(s.a.RawRowView(i), t.Y.RawRowView(i))
	}
	return s, s.q > float64(n*m)/math.MaxFloat64 && !math.IsInf(s.q, 0), nil // then n·m/q is finite, too
}

// evaluate returns an objective at a kernel matrix c that includes its ridge, and its derivatives if gradient is set. It overwrites
// c. It returns ok = false if c is not positive definite, and ctx's error.
func evaluate(ctx context.Context, kind Kind, c *mat.SymDense, t Targets, lambda, extra float64,
	gradient bool) (v value, ok bool, err error) {
	first, rest := ctx, ctx
	if gradient { // the inverse takes twice as long as the factor
		first, rest = progress.Two(ctx, 1, 2)
	}
	s, ok, err := newState(first, c, t, kind != ZeroMean)
	if err != nil || !ok {
		return v, false, err
	}
	switch kind {
	case LeaveOneOut, Density, Logistic:
		v, err = s.leftOut(rest, kind, extra, gradient)
	default:
		v, err = s.evidence(rest, kind, extra, gradient)
	}
	if err != nil {
		return v, false, err
	}
	if gradient {
		for i := range s.n {
			v.Lambda += lambda * v.W.At(i, i) * t.noise(i)
		}
	}
	return v, !math.IsNaN(v.F), nil
}

// evidence returns a log evidence, including the constant contribution of the weights to the determinant. It returns ctx's error.
func (s *state) evidence(ctx context.Context, kind Kind, sigma2 float64, gradient bool) (v value, err error) {
	n, m := float64(s.n), float64(s.Outputs)
	det := s.factor.LogDet()
	aa, inv := 0.0, -m/2 // W = aa·AA' + inv·C⁻¹, or with P in place of C⁻¹
	switch kind {
	case Given:
		v.F = -n*m/2*math.Log(2*math.Pi*sigma2) - m*det/2 - s.q/2/sigma2
		v.Extra = -n*m/2 + s.q/2/sigma2
		aa = 1 / sigma2 / 2
	case Restricted:
		f := n - 1
		v.F = -f*m/2*math.Log(2*math.Pi*s.q/f/m) - m*det/2 - m*math.Log(s.sum)/2 - f*m/2
		aa = f * m / s.q / 2
	default:
		v.F = -n*m/2*math.Log(2*math.Pi*s.q/n/m) - m*det/2 - n*m/2
		aa = n * m / s.q / 2
	}
	if !gradient {
		return v, nil
	}
	if v.W, err = s.factor.Inverse(ctx); err != nil {
		return v, err
	}
	if kind == Restricted {
		v.W.SymRankOne(v.W, -1/s.sum, mat.NewVecDense(s.n, s.eta))
	}
	v.W.ScaleSym(inv, v.W)
	_, outputs := s.a.Dims()
	for k := range outputs {
		v.W.SymRankOne(v.W, aa, s.a.ColView(k))
	}
	return v, nil
}

// leftOut returns an objective of the leave-one-out residuals. It returns ctx's error.
func (s *state) leftOut(ctx context.Context, kind Kind, slope float64, gradient bool) (v value, err error) {
	n, _ := s.a.Dims()
	_, outputs := s.a.Dims()
	p, err := s.factor.Inverse(ctx)
	if err != nil {
		return v, err
	}
	if s.sum != 0 {
		p.SymRankOne(p, -1/s.sum, mat.NewVecDense(n, s.eta))
	}
	var r losses
	switch kind {
	case Density:
		r = s.density(p)
	case Logistic:
		r = s.logistic(p, slope)
	default:
		r = s.squares(p)
	}
	v.F, v.Extra = r.f, r.extra
	if !gradient {
		return v, nil
	}
	// W = -P diag(v) P + c (aq' + qa') with q = Pu, computed with one product for each sign of v.
	for _, sign := range []float64{1, -1} {
		var rows []int
		for i := range n {
			if sign*r.v[i] > 0 {
				rows = append(rows, i)
			}
		}
		if len(rows) == 0 {
			continue
		}
		scaled := mat.NewDense(len(rows), n, nil)
		for to, i := range rows {
			root := math.Sqrt(sign * r.v[i])
			row := scaled.RawRowView(to)
			for j := range n {
				row[j] = root * p.At(i, j)
			}
		}
		product, err := linalg.SymmetricProduct(ctx, -sign, scaled)
		if err != nil {
			return v, err
		}
		if v.W == nil {
			v.W = product
		} else {
			v.W.AddSym(v.W, product)
		}
	}
	if v.W == nil {
		v.W = mat.NewSymDense(n, nil)
	}
	q := mat.NewDense(n, outputs, nil)
	fast.Mul(q, p, r.u)
	for k := range outputs {
		v.W.RankTwo(v.W, r.cross, s.a.ColView(k), q.ColView(k))
	}
	return v, nil
}

// losses holds the contributions of a function of the leave-one-out residuals to W.
type losses struct {
	f, cross, extra float64
	u               *mat.Dense
	v               []float64
}

// squares returns minus the weighted mean squared residual, and its contributions to W.
func (s *state) squares(p *mat.SymDense) losses {
	n, outputs := s.a.Dims()
	total := 0.0
	for i := range n {
		total += 1 / s.noise(i)
	}
	out := losses{cross: .5, u: mat.NewDense(n, outputs, nil), v: make([]float64, n)}
	for i := range n {
		for k := range outputs {
			r := s.a.At(i, k) / p.At(i, i)
			w := 1 / s.noise(i) / total
			out.f -= w * r * r
			u := 2 * w * r / p.At(i, i)
			out.u.Set(i, k, u)
			out.v[i] += u * r
		}
	}
	return out
}

// logistic returns minus the weighted mean logistic loss of the leave-one-out predictions, for two classes, and its contributions
// to W.
func (s *state) logistic(p *mat.SymDense, slope float64) losses {
	n, _ := s.a.Dims()
	total := 0.0
	for i := range n {
		total += 1 / s.noise(i)
	}
	out := losses{cross: .5, u: mat.NewDense(n, 1, nil), v: make([]float64, n)}
	for i := range n {
		y, w := s.Y.At(i, 0), 1/s.noise(i)/total
		r := s.a.At(i, 0) / p.At(i, i)
		logit := slope * (y - r)
		derivative := logisticSlope(y, logit)
		out.f -= w * logisticLoss(y, logit)
		out.extra += w * logit * derivative
		u := w * slope * derivative / p.At(i, i)
		out.u.Set(i, 0, u)
		out.v[i] = u * r
	}
	return out
}

// density returns the log predictive density at the variance that maximises it, and its contributions to W.
func (s *state) density(p *mat.SymDense) losses {
	n, outputs := s.a.Dims()
	m := float64(s.Outputs)
	total, logs := 0.0, 0.0
	res := mat.NewDense(n, outputs, nil)
	for i := range n {
		for k := range outputs {
			r := s.a.At(i, k) / p.At(i, i)
			res.Set(i, k, r)
			total += r * s.a.At(i, k)
		}
		logs += math.Log(p.At(i, i))
	}
	c := float64(n) * m
	out := losses{f: -c/2*math.Log(2*math.Pi*total/c) + m*logs/2 - c/2, cross: c / 2 / total, u: res, v: make([]float64, n)}
	for i := range n {
		for k := range outputs {
			r := res.At(i, k)
			out.v[i] += c * r * r / total / 2
		}
		out.v[i] += m / p.At(i, i) / 2
	}
	return out
}
