// Package smoother provides the machines of package estimators that are linear in their targets, on a kernel matrix and on
// features.
package smoother

import (
	"context"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/vecmath"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Kernel is the machine on a kernel matrix K. With C = K + ridge diag(1/w), η = C⁻¹1 and σ = 1'η,
//
//	P = C⁻¹ - ηη'/σ,  a = Py,  c = diag P,  b = Pk + η/σ,  s = k(x,x) + ridge/w - k'C⁻¹k + (1 - k'η)²/σ
//
// and without the constant η = 0 and 1/σ = 0. The quadratic form in s uses the factor of C. With P it would lose twice as many
// digits if s is small compared with k(x,x).
type Kernel struct {
	inverse *mat.SymDense // P
	factor  *linalg.Cholesky
	eta     []float64 // η/σ; nil without the constant
	spread  float64   // 1/σ
	ridge   float64
	a       *mat.Dense
	c       []float64
	bias    []float64
}

// NewKernel solves for targets (n×k). It overwrites and keeps k (n×n). It stores 2n² numbers. It costs n³. It returns ErrNotPSD or
// ctx's error.
func NewKernel(ctx context.Context, k *mat.SymDense, targets *mat.Dense, own []float64, ridge float64, constant bool) (*Kernel, error) {
	n, outputs := targets.Dims()
	for i := range n {
		k.SetSym(i, i, k.At(i, i)+ridge/weights.Weight(own, i))
	}
	chol, err := linalg.NewCholesky(ctx, "K + ridge", k)
	if err != nil {
		return nil, err
	}
	inverse, err := chol.Inverse(ctx)
	if err != nil {
		return nil, err
	}
	m := &Kernel{inverse: inverse, factor: chol, ridge: ridge, a: mat.DenseCopyOf(targets), c: make([]float64, n),
		bias: make([]float64, outputs)}
	for i := range m.c {
		m.c[i] = m.inverse.At(i, i)
	}
	if constant {
		m.centre(chol)
		for i, whole := range m.c {
			m.c[i] = rest(m.inverse.At(i, i), whole)
		}
	}
	return m, chol.Solve(ctx, m.a)
}

// rest returns the remainder of a difference, or 0 if it is only rounding. An example is a row of leverage 1, such as the only row
// with a constant.
func rest(left, whole float64) float64 {
	if left > leastRest*whole {
		return left
	}
	return 0
}

const leastRest = 1e-13

// centre turns C⁻¹ into P, and subtracts the fitted constant from the targets.
func (m *Kernel) centre(chol *linalg.Cholesky) {
	n, outputs := m.a.Dims()
	m.eta = slices.Repeat([]float64{1}, n)
	chol.SolveVec(m.eta)
	m.spread = 1 / vecmath.Sum(m.eta)
	m.inverse.SymRankOne(m.inverse, -m.spread, mat.NewVecDense(n, slices.Clone(m.eta)))
	floats.Scale(m.spread, m.eta)
	for j := range outputs {
		// The second pass removes the rounding errors of a large mean.
		for range 2 {
			part := 0.0
			for i, e := range m.eta {
				part += e * m.a.At(i, j)
			}
			for i := range n {
				m.a.Set(i, j, m.a.At(i, j)-part)
			}
			m.bias[j] += part
		}
	}
}

// Rows implements estimators.Smoother.
func (m *Kernel) Rows() (a *mat.Dense, c []float64) { return m.a, m.c }

// Bias returns the constants of the outputs, which must not be changed.
func (m *Kernel) Bias() []float64 { return m.bias }

// Influence computes the influence of new rows, given their kernel values k (m×n) with the training rows, and diag (m) with
// themselves. It returns ctx's error.
func (m *Kernel) Influence(ctx context.Context, k *mat.Dense, diag []float64) (f, b *mat.Dense, s []float64, err error) {
	r, n := k.Dims()
	b, s = mat.NewDense(r, n, nil), make([]float64, r)
	if err := fast.SymmContext(ctx, blas.Right, 1, m.inverse.RawSymmetric(), k.RawMatrix(), 0, b.RawMatrix()); err != nil {
		return nil, nil, nil, err
	}
	quad, err := m.factor.QuadInverse(ctx, mat.DenseCopyOf(k.T()))
	if err != nil {
		return nil, nil, nil, err
	}
	for i := range s {
		constant := 0.0
		if m.eta != nil {
			floats.Add(b.RawRowView(i), m.eta)
			rest := 1 - floats.Dot(k.RawRowView(i), m.eta)/m.spread
			constant = rest * rest * m.spread
		}
		// The variance of the function is not negative, except for rounding.
		s[i] = max(0, diag[i]-quad[i]) + m.ridge + constant
	}
	f, err = m.Outputs(ctx, k)
	return f, b, s, err
}

// Outputs returns the outputs for new rows, given their kernel values k (m×n). It returns ctx's error.
func (m *Kernel) Outputs(ctx context.Context, k *mat.Dense) (*mat.Dense, error) {
	r, _ := k.Dims()
	f := mat.NewDense(r, len(m.bias), nil)
	if err := fast.MulContext(ctx, f, k, m.a); err != nil {
		return nil, err
	}
	for i := range r {
		floats.Add(f.RawRowView(i), m.bias)
	}
	return f, nil
}
