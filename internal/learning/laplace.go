package learning

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

const (
	laplaceSteps     = 50
	laplaceTolerance = 1e-8 // gain of a full Newton step per row: the gain of the next step is about its square
	longestStep      = 8.0
)

// laplace returns Laplace's approximation of the log evidence of a Gaussian process classifier with the logistic link at a kernel
// matrix k. If gradient is set, it also returns the derivatives. Targets are ±1, or means of the targets of equal rows. The result
// is the sum over the columns of targets. The prior of the log odds is (K + 11')/λ, in which the constant has the variance of a
// kernel with unit diagonal. Weights multiply the log likelihoods of rows. It returns ok = false if Newton's method does not
// converge, and ctx's error.
//
// The cost is about seven Cholesky factors per column, and an inverse for the derivatives (Rasmussen and Williams, algorithms 3.1
// and 5.1).
func laplace(ctx context.Context, k *mat.SymDense, t Targets, lambda float64, gradient bool) (v value, ok bool, err error) {
	n, _ := t.Y.Dims()
	prior := mat.NewSymDense(n, nil)
	to, from := prior.RawSymmetric().Data, k.RawSymmetric()
	for i := range n {
		for j := i; j < n; j++ {
			to[i*n+j] = (from.Data[i*from.Stride+j] + 1) / lambda
		}
	}
	_, columns := t.Y.Dims()
	memory := mat.NewSymDense(n, nil)
	for c := range columns {
		m := &mode{
			y: mat.Col(nil, c, t.Y), weights: t.Weights, prior: prior, memory: memory,
			f: make([]float64, n), a: make([]float64, n), slope: make([]float64, n), root: make([]float64, n),
		}
		if ok, err = m.climb(ctx); err != nil || !ok {
			return v, false, err
		}
		v.F += m.height - m.factor.LogDet()/2
		if !gradient {
			continue
		}
		w, err := m.derivatives(ctx)
		if err != nil {
			return v, false, err
		}
		if v.W == nil {
			v.W = w
		} else {
			v.W.AddSym(v.W, w)
		}
	}
	if gradient {
		w, p := v.W.RawSymmetric().Data, prior.RawSymmetric().Data
		for i := range n {
			v.Lambda -= w[i*n+i] * p[i*n+i]
			for j := i + 1; j < n; j++ {
				v.Lambda -= 2 * w[i*n+j] * p[i*n+j]
			}
		}
		v.W.ScaleSym(1/lambda, v.W)
	}
	return v, !math.IsNaN(v.F) && !math.IsInf(v.F, 0), nil
}

// mode is the maximum of the posterior of the log odds f = prior·a.
type mode struct {
	y, weights []float64
	prior      *mat.SymDense
	f, a       []float64
	height     float64   // the log posterior without its determinant
	slope      []float64 // derivative of the log likelihood with respect to f
	root       []float64 // square root of minus its second derivative
	memory     *mat.SymDense
	factor     *linalg.Cholesky
}

// update updates the fields that depend on a and f.
func (m *mode) update() {
	m.height = -floats.Dot(m.a, m.f) / 2
	for i, f := range m.f {
		y, w := m.y[i], 1.0
		if m.weights != nil {
			w = m.weights[i]
		}
		p := 1 / (1 + math.Exp(-f))
		m.height -= w * logisticLoss(y, f)
		m.slope[i] = w * logisticSlope(y, f)
		m.root[i] = math.Sqrt(w * p * (1 - p))
	}
}

// logisticLoss returns minus the log likelihood of log odds f for a target y, which is ±1 or a mean of such targets.
func logisticLoss(y, f float64) float64 {
	if y == 1 || y == -1 {
		return softplus(-y * f)
	}
	return (1+y)/2*softplus(-f) + (1-y)/2*softplus(f)
}

// logisticSlope returns the derivative of the log likelihood with respect to f.
func logisticSlope(y, f float64) float64 {
	if y == 1 || y == -1 {
		return y / (1 + math.Exp(y*f))
	}
	return (1+y)/2 - 1/(1+math.Exp(-f))
}

// softplus returns ln(1 + exp(x)).
func softplus(x float64) float64 {
	if x > 0 {
		return x + math.Log1p(math.Exp(-x))
	}
	return math.Log1p(math.Exp(x))
}

// factorise factors B = I + W½ prior W½, whose eigenvalues are at least 1, in reused memory. It returns ctx's error.
func (m *mode) factorise(ctx context.Context) (ok bool, err error) {
	n := len(m.f)
	to, from := m.memory.RawSymmetric().Data, m.prior.RawSymmetric().Data
	for i, r := range m.root {
		row := to[i*n : i*n+n]
		for j := i; j < n; j++ {
			row[j] = r * m.root[j] * from[i*n+j]
		}
		row[i]++
	}
	m.factor, ok, err = linalg.TryCholesky(ctx, m.memory)
	return ok, err
}

// definite interprets the error of a factorisation. It reports whether the matrix was definite, and returns errors that have
// another cause.
func definite(err error) (bool, error) {
	if errors.Is(err, fault.ErrNotPSD) {
		return false, nil
	}
	return err == nil, err
}

// climb takes Newton steps to the mode. From 0, log odds grow by about one per step. Therefore steps are lengthened while the
// posterior still rises, and halved when they overshoot. It returns ctx's error.
func (m *mode) climb(ctx context.Context) (bool, error) {
	n := len(m.f)
	a, f := make([]float64, n), make([]float64, n)
	toA, toF := make([]float64, n), make([]float64, n)
	m.update()
	for range laplaceSteps {
		if ok, err := m.factorise(ctx); err != nil || !ok {
			return false, err
		}
		// a = b - W½ B⁻¹ W½ prior b with b = Wf + slope.
		copy(a, m.a)
		copy(f, m.f)
		for i, r := range m.root {
			toA[i] = r*r*m.f[i] + m.slope[i]
		}
		m.applyInverse(toA)
		mat.NewVecDense(n, toF).MulVec(m.prior, mat.NewVecDense(n, toA))
		floats.Sub(toA, a)
		floats.Sub(toF, f)
		was := m.height
		step := m.step(toA, toF)
		for ; step > 1e-6; step /= 2 {
			floats.AddScaledTo(m.a, a, step, toA)
			floats.AddScaledTo(m.f, f, step, toF)
			if m.update(); m.height >= was-1e-12*math.Abs(was) {
				break
			}
		}
		if math.IsNaN(m.height) || step <= 1e-6 {
			return false, nil
		}
		if step == 1 && m.height-was <= laplaceTolerance*float64(n) {
			return m.factorise(ctx)
		}
	}
	return false, nil
}

// step returns the step length along a direction of a and f that maximises the posterior, or 1 if the maximum is not clearly
// higher. The posterior is concave, so it takes Newton steps in one variable.
func (m *mode) step(toA, toF []float64) float64 {
	// The prior's contribution to the derivatives.
	first, second := -floats.Dot(m.a, toF), -floats.Dot(toA, toF)
	s := 1.0
	for range 20 {
		slope, curve := first+s*second, second
		for i, to := range toF {
			f, w := m.f[i]+s*to, 1.0
			if m.weights != nil {
				w = m.weights[i]
			}
			p := 1 / (1 + math.Exp(-f))
			slope += w * logisticSlope(m.y[i], f) * to
			curve -= w * p * (1 - p) * to * to
		}
		next := min(max(s-slope/curve, 1), longestStep)
		if !(curve < 0) || math.Abs(next-s) < 1e-2 {
			break
		}
		s = next
	}
	if s < 1.1 {
		return 1 // near the mode full steps converge quadratically
	}
	return s
}

// applyInverse sets b to b - W½ B⁻¹ W½ prior b, which equals (I + W prior)⁻¹ b.
func (m *mode) applyInverse(b []float64) {
	n := len(b)
	c := make([]float64, n)
	mat.NewVecDense(n, c).MulVec(m.prior, mat.NewVecDense(n, b))
	floats.Mul(c, m.root)
	m.factor.SolveVec(c)
	for i, r := range m.root {
		b[i] -= r * c[i]
	}
}

// derivatives returns the derivatives of the evidence with respect to the entries of the prior: those of the determinant and the
// likelihood at a fixed mode, and those through the mode. It returns ctx's error.
func (m *mode) derivatives(ctx context.Context) (*mat.SymDense, error) {
	n := len(m.f)
	r, err := m.factor.Inverse(ctx)
	if err != nil {
		return nil, err
	}
	// The derivatives of the determinant with respect to f are minus half the posterior variances times the derivatives of W. The
	// variances times W are 1 minus the diagonal of B⁻¹.
	u := make([]float64, n)
	for i, f := range m.f {
		u[i] = (r.At(i, i) - 1) / 2 * (1 - 2/(1+math.Exp(-f)))
	}
	// R = W½ B⁻¹ W½.
	raw := r.RawSymmetric().Data
	for i, a := range m.root {
		for j := i; j < n; j++ {
			raw[i*n+j] *= a * m.root[j]
		}
	}
	m.applyInverse(u)
	out := r
	out.ScaleSym(-.5, r)
	out.SymRankOne(out, .5, mat.NewVecDense(n, m.slope))
	out.RankTwo(out, .5, mat.NewVecDense(n, u), mat.NewVecDense(n, m.slope))
	return out, nil
}
