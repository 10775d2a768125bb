package smoother

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// Features is ridge regression on features z. With z~ the features minus their weighted mean, S = (Z~'WZ~ + ridge)⁻¹, and residuals
// e of the fit,
//
//	h = w(1/Σw + z~'Sz~),  a = we/ridge,  c = w(1-h)/ridge
//	b[i] = w[i](1/Σw + z~[i]'Sz~),  s = ridge(1/w + 1/Σw + z~'Sz~)
//
// and without the constant z~ = z and 1/Σw = 0.
type Features struct {
	rows         *mat.Dense // Z~ in the coordinates of the factor, U⁻ᵀZ~' (p×n)
	factor       *linalg.Cholesky
	coefficients *mat.Dense // u, p×k
	means        []float64  // means of the features
	bias         []float64
	spread       float64 // 1/Σw
	ridge        float64
	weights      []float64
	a            *mat.Dense
	c            []float64
}

// NewFeatures solves for targets (n×k). It overwrites and keeps z (n×p). It stores np + p² numbers. It costs O(np²). It returns
// ErrNotPSD or ctx's error.
func NewFeatures(ctx context.Context, z, targets *mat.Dense, own []float64, ridge float64, constant bool) (*Features, error) {
	n, p := z.Dims()
	_, outputs := targets.Dims()
	m := &Features{
		means: make([]float64, p), bias: make([]float64, outputs), ridge: ridge, weights: own,
		a: mat.DenseCopyOf(targets), c: make([]float64, n),
	}
	if constant {
		total := 0.0
		for i := range n {
			total += weights.Weight(own, i)
		}
		m.spread = 1 / total
		// The second pass removes the rounding errors of a large mean.
		for range 2 {
			m.subtractMeans(z, m.means)
			m.subtractMeans(m.a, m.bias)
		}
	}
	scaled := mat.DenseCopyOf(z)
	for i := range n {
		floats.Scale(math.Sqrt(weights.Weight(own, i)), scaled.RawRowView(i))
	}
	gram := mat.NewSymDense(p, nil)
	if err := fast.SymOuterKContext(ctx, gram, 1, scaled.T()); err != nil {
		return nil, err
	}
	for j := range p {
		gram.SetSym(j, j, gram.At(j, j)+ridge)
	}
	var err error
	if m.factor, err = linalg.NewCholesky(ctx, "Z'WZ + ridge", gram); err != nil {
		return nil, err
	}
	return m, m.solve(ctx, z)
}

// solve sets the coefficients and the results for the rows. Initially m.a holds the centred targets. It returns ctx's error.
func (m *Features) solve(ctx context.Context, z *mat.Dense) (err error) {
	n, p := z.Dims()
	_, outputs := m.a.Dims()
	weighted := mat.DenseCopyOf(m.a)
	for i := range n {
		floats.Scale(weights.Weight(m.weights, i), weighted.RawRowView(i))
	}
	m.coefficients = mat.NewDense(p, outputs, nil)
	if err := fast.MulContext(ctx, m.coefficients, z.T(), weighted); err != nil {
		return err
	}
	if err := m.factor.Solve(ctx, m.coefficients); err != nil {
		return err
	}
	var fitted mat.Dense
	if err := fast.MulContext(ctx, &fitted, z, m.coefficients); err != nil {
		return err
	}
	if m.rows, err = m.turned(ctx, z); err != nil {
		return err
	}
	leverage := columnSquares(m.rows)
	for i := range n {
		w := weights.Weight(m.weights, i)
		row := m.a.RawRowView(i)
		floats.Sub(row, fitted.RawRowView(i))
		floats.Scale(w/m.ridge, row)
		m.c[i] = w * rest(1-w*(m.spread+leverage[i]), 1) / m.ridge
	}
	return nil
}

// turned returns U⁻ᵀz' for the rows z of a matrix, where S⁻¹ = U'U. It returns ctx's error.
func (m *Features) turned(ctx context.Context, z *mat.Dense) (*mat.Dense, error) {
	out := mat.DenseCopyOf(z.T())
	return out, fast.TrsmContext(ctx, blas.Left, blas.Trans, 1, m.factor.Upper(), out.RawMatrix())
}

func (m *Features) subtractMeans(x *mat.Dense, means []float64) {
	n, columns := x.Dims()
	mean := make([]float64, columns)
	for i := range n {
		floats.AddScaled(mean, weights.Weight(m.weights, i)*m.spread, x.RawRowView(i))
	}
	for i := range n {
		floats.Sub(x.RawRowView(i), mean)
	}
	floats.Add(means, mean)
}

func columnSquares(b *mat.Dense) []float64 {
	r, c := b.Dims()
	out := make([]float64, c)
	for i := range r {
		for j, v := range b.RawRowView(i) {
			out[j] += v * v
		}
	}
	return out
}

// Rows implements estimators.Smoother.
func (m *Features) Rows() (a *mat.Dense, c []float64) { return m.a, m.c }

// Linear returns the means of the features, the coefficients (p×k) of the centred features, and the constants. They must not be
// changed.
func (m *Features) Linear() (means []float64, coefficients *mat.Dense, bias []float64) {
	return m.means, m.coefficients, m.bias
}

// Outputs returns the outputs for new rows of features z (m×p), which it overwrites. It returns ctx's error.
func (m *Features) Outputs(ctx context.Context, z *mat.Dense) (*mat.Dense, error) {
	r, _ := z.Dims()
	f := mat.NewDense(r, len(m.bias), nil)
	for i := range r {
		floats.Sub(z.RawRowView(i), m.means)
	}
	if err := fast.MulContext(ctx, f, z, m.coefficients); err != nil {
		return nil, err
	}
	for i := range r {
		floats.Add(f.RawRowView(i), m.bias)
	}
	return f, nil
}

// Influence computes f, b and s of estimators.Smoother for new rows, given their features z (m×p), which it overwrites. It returns
// ctx's error.
func (m *Features) Influence(ctx context.Context, z *mat.Dense) (f, b *mat.Dense, s []float64, err error) {
	r, _ := z.Dims()
	if f, err = m.Outputs(ctx, z); err != nil {
		return nil, nil, nil, err
	}
	turned, err := m.turned(ctx, z)
	if err != nil {
		return nil, nil, nil, err
	}
	b, s = mat.NewDense(r, len(m.c), nil), make([]float64, r)
	if err := fast.MulContext(ctx, b, turned.T(), m.rows); err != nil {
		return nil, nil, nil, err
	}
	squares := columnSquares(turned)
	for i := range r {
		row := b.RawRowView(i)
		for j := range row {
			row[j] = weights.Weight(m.weights, j) * (row[j] + m.spread)
		}
		s[i] = m.ridge * (1 + m.spread + squares[i])
	}
	return f, b, s, nil
}
