package loo

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/progress"
)

// Linear is the leave-one-out error of ridge regression on features as a function of the ridge λ. It is like Problem for a linear
// kernel, with d columns in place of n rows.
type Linear struct {
	tri      *linalg.Tridiagonal // of Z'Z = QTQ'
	rotated  *mat.Dense          // Q'Z', d×n
	moment   *mat.Dense          // Q'Z't, d×k
	targets  *mat.Dense          // t, n×k
	leverage []float64
	weight   float64 // Σw
	means    []float64
	groups   [][]int // groups of rows that are left out together
	scale    float64
	workers  int
}

// NewLinear prepares a problem. It overwrites gram = Z'Z (d×d). Z (n×d) and the targets t (n×k) must be centred and multiplied by
// √w. The slice leverage holds the contribution of the intercept to the leverage of each row (w/Σw, or 0 without an intercept). The
// parameter weight is the sum of the weights. The unit of the ridges is scale, the variance of the rows times the mean weight. It
// costs 8d³/3 + 2nd². It returns ctx's error.
func NewLinear(ctx context.Context, gram *mat.SymDense, z, targets *mat.Dense, leverage []float64, weight, scale float64,
	workers int) (*Linear, error) {
	n, d := z.Dims()
	p := &Linear{targets: targets, leverage: leverage, weight: weight, scale: scale, workers: workers}
	if !(p.scale > 0) {
		p.scale = 1
	}
	_, k := targets.Dims()
	p.moment = mat.NewDense(d, k, nil)
	if err := fast.MulContext(progress.Detach(ctx), p.moment, z.T(), targets); err != nil {
		return nil, err
	}
	first, second := progress.Two(ctx, 2*float64(d), float64(n))
	tri, q, err := linalg.TridiagonalizeWithQ(first, gram, p.moment)
	if err != nil {
		return nil, err
	}
	p.tri, p.rotated = tri, mat.NewDense(d, n, nil)
	return p, fast.GemmContext(second, blas.Trans, blas.Trans, 1, q.RawMatrix(), z.RawMatrix(), 0, p.rotated.RawMatrix())
}

// OfClasses declares that the targets are ±1 minus these means, so that Evaluate counts the rows whose prediction is another class. It
// requires the leverages of an intercept.
func (p *Linear) OfClasses(means []float64) { p.means = means }

// Target returns the problem of a single target. It shares the reduction.
func (p *Linear) Target(j int) *Linear {
	out := *p
	out.moment = mat.DenseCopyOf(p.moment.Slice(0, p.moment.RawMatrix().Rows, j, j+1))
	out.targets = mat.DenseCopyOf(p.targets.Slice(0, p.targets.RawMatrix().Rows, j, j+1))
	if p.means != nil {
		out.means = p.means[j : j+1]
	}
	return &out
}

// Error returns the mean weighted squared leave-one-out residual, summed over the targets. It is infinite if rounding makes Z'Z +
// λI indefinite. It costs O(ndk).
func (p *Linear) Error(ctx context.Context, lambda float64) (float64, error) {
	squares, _, err := p.squares(ctx, lambda)
	if err != nil || squares == nil {
		return math.Inf(1), err
	}
	return floats.Sum(squares) / p.weight, nil
}

// squares returns the squared leave-one-out residuals times w, summed over the targets, or nil if there is no solution. It also
// returns the fraction of rows whose prediction is another class (see Evaluate).
func (p *Linear) squares(ctx context.Context, lambda float64) (squares []float64, share float64, err error) {
	s, ok := p.tri.Shift(lambda)
	if !ok {
		return nil, 0, ctx.Err()
	}
	n, k := p.targets.Dims()
	leverage := make([]float64, n)
	if err := s.QuadColumns(ctx, p.workers, leverage, p.rotated); err != nil {
		return nil, 0, err
	}
	coefficients := mat.DenseCopyOf(p.moment)
	s.Solve(coefficients)
	fitted := mat.NewDense(n, k, nil)
	if err := fast.GemmContext(ctx, blas.Trans, blas.NoTrans, 1, p.rotated.RawMatrix(), coefficients.RawMatrix(), 0,
		fitted.RawMatrix()); err != nil {
		return nil, 0, err
	}
	left, together, ok, err := p.leaveGroupsOut(ctx, s, lambda, fitted)
	if err != nil || !ok {
		return nil, 0, err
	}
	residuals, own := make([]float64, k), make([]float64, k)
	out := make([]float64, len(leverage))
	for i, h := range leverage {
		targets := p.targets.RawRowView(i)
		if together != nil && together[i] {
			copy(residuals, left.RawRowView(i))
			for _, e := range residuals {
				out[i] += e * e
			}
		} else {
			rest := 1 - h - p.leverage[i]
			if !(rest > 0) {
				return nil, 0, nil
			}
			for j, t := range targets {
				residuals[j] = (t - fitted.At(i, j)) / rest
				out[i] += residuals[j] * residuals[j]
			}
		}
		if p.means != nil {
			root := math.Sqrt(p.leverage[i] * p.weight)
			for j, t := range targets {
				own[j], residuals[j] = t/root, residuals[j]/root
			}
			if wrong(own, residuals, p.means) {
				share += p.leverage[i]
			}
		}
	}
	return out, share, nil
}

// Search is Problem.Search.
func (p *Linear) Search(ctx context.Context, observe func(evaluation int, ridge, err float64)) (Minimum, error) {
	return search(ctx, p.scale, 0, p.Error, observe)
}

// SearchFrom is Problem.SearchFrom.
func (p *Linear) SearchFrom(ctx context.Context, least float64) (Minimum, error) {
	return search(ctx, p.scale, least, p.Error, nil)
}
