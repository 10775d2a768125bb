package loo

import (
	"context"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Sums is ridge regression on features for which only sums over the rows are known. It computes the evidence as a function of the
// ridge λ.
type Sums struct {
	tri    *linalg.Tridiagonal // reduction of Z'Z
	values []float64           // eigenvalues of Z'Z
	moment *mat.Dense          // Q'Z't
	square float64             // t't
	n      int
	weight float64 // Σw with an intercept, otherwise 0
	scale  float64
}

// NewSums prepares a problem. It overwrites gram = Z'Z (d×d). The sums moment = Z't and square = t't are over n rows, centred and
// multiplied by √w. The parameter weight is the sum of the weights with an intercept, and 0 without. It costs 4d³/3. It returns
// ctx's error.
func NewSums(ctx context.Context, gram *mat.SymDense, moment []float64, square float64, n int, weight float64) (*Sums, error) {
	p := &Sums{square: square, n: n, weight: weight, scale: mat.Trace(gram) / float64(n)}
	if !(p.scale > 0) {
		p.scale = 1
	}
	p.moment = mat.NewDense(len(moment), 1, append([]float64(nil), moment...))
	var err error
	parts := progress.Parts(ctx, 10, 1, 1)
	if p.tri, err = linalg.Tridiagonalize(parts[0], gram); err != nil {
		return nil, err
	}
	if err := p.tri.Rotate(parts[1], p.moment); err != nil {
		return nil, err
	}
	if p.values, err = p.tri.Values(parts[2]); err != nil {
		return nil, err
	}
	return p, nil
}

// leastResidual is the fraction of t't below which a sum of squared residuals is only rounding.
const leastResidual = 1e-13

// Error returns minus the log evidence of a ridge. It equals that of Linear up to a constant that depends on the weights. It is
// infinite if rounding makes Z'Z + λI indefinite. It costs O(d).
func (p *Sums) Error(ctx context.Context, lambda float64) (float64, error) {
	s, ok := p.tri.Shift(lambda)
	if err := ctx.Err(); err != nil || !ok {
		return math.Inf(1), err
	}
	if p.square == 0 { // all ridges are equally good
		return 0, nil
	}
	// t'(ZZ' + λI)⁻¹t = (t't - m'(Z'Z + λI)⁻¹m)/λ
	q := max(p.square-p.explained(s), leastResidual*p.square)
	det := s.LogDet() + float64(p.n-len(p.values))*math.Log(lambda)
	if p.weight > 0 {
		return -restricted(p.n, 1, q/lambda, det, p.weight/lambda), nil
	}
	return -restricted(p.n+1, 1, q/lambda, det, 1), nil
}

// explained returns m'(Z'Z + λI)⁻¹m.
func (p *Sums) explained(s linalg.Shifted) float64 {
	b, out := p.solution(s), 0.0
	for i := range p.values {
		out += b.At(i, 0) * p.moment.At(i, 0)
	}
	return out
}

func (p *Sums) solution(s linalg.Shifted) *mat.Dense {
	b := mat.DenseCopyOf(p.moment)
	s.Solve(b)
	return b
}

// Residual returns the sum of weighted squared residuals at a ridge, and their degrees of freedom n - tr(H). It returns ok = false
// if these are 0.
func (p *Sums) Residual(lambda float64) (squares, free float64, ok bool) {
	s, ok := p.tri.Shift(lambda)
	if !ok {
		return 0, 0, false
	}
	// t't - b'm - λ b'b
	squares = p.square - p.explained(s)
	b := p.solution(s)
	for i := range p.values {
		squares -= lambda * b.At(i, 0) * b.At(i, 0)
	}
	free = float64(p.n)
	if p.weight > 0 {
		free--
	}
	for _, v := range p.values {
		free -= max(v, 0) / (max(v, 0) + lambda)
	}
	return max(squares, 0), free, free > 0
}

// Search returns the ridge with the largest evidence. If observe is not nil, it is called after each ridge.
func (p *Sums) Search(ctx context.Context, observe func(evaluation int, ridge, err float64)) (Minimum, error) {
	return search(ctx, p.scale, 0, p.Error, observe)
}
