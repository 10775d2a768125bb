package ridge

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/orthogonal"
	"github.com/kernelearn/kernelearn/internal/progress"
)

var errOverflow = overflow(regressorType)

func overflow(typ string) error {
	return fmt.Errorf("%s: x or y is too large, its squares overflow: %w", typ, fault.ErrNotFinite)
}

// ridgeProblem holds rows and targets minus their weighted means, times √w. This eliminates weights and intercept from the system.
type ridgeProblem struct {
	z        *mat.Dense // n×d, or n×n after reduce
	t        *mat.Dense // n×k
	root     []float64  // √w
	leverage []float64  // leverage of the intercept: w/Σw, or 0
	weight   float64    // Σw
	means    []float64  // of the columns
	target   []float64  // means of the targets
	groups   [][]int    // rows that are left out together
	scale    float64    // variance of the rows times the mean weight, the unit of ridges
}

// heuristicRidge returns HeuristicRidge for the number of rows, times their mean weight.
func (p *ridgeProblem) heuristicRidge() float64 {
	n := len(p.root)
	return lssvm.HeuristicRidge(n) * p.weight / float64(n)
}

// rowsPerCheck is the number of rows that are processed between two checks of a context.
const rowsPerCheck = 256

// overRows calls f for each of n rows. It returns the error of ctx.
func overRows(ctx context.Context, n int, f func(i int)) error {
	loop := progress.NewLoop(ctx)
	defer loop.End()
	for i := range n {
		if i%rowsPerCheck == 0 {
			if err := ctx.Err(); err != nil {
				return err
			}
			loop.Report(float64(i) / float64(n))
		}
		f(i)
	}
	return ctx.Err()
}

// centre returns the problem for rows, targets and weights. It returns only the error of ctx.
func centre(ctx context.Context, x, y *mat.Dense, weights []float64, intercept bool) (*ridgeProblem, error) {
	n, d := x.Dims()
	_, k := y.Dims()
	p := &ridgeProblem{
		z: mat.DenseCopyOf(x), t: mat.DenseCopyOf(y), root: make([]float64, n), leverage: make([]float64, n), means: make([]float64, d),
		target: make([]float64, k),
	}
	for _, w := range weights {
		p.weight += w
	}
	for i, w := range weights {
		p.root[i] = math.Sqrt(w)
		if intercept {
			p.leverage[i] = w / p.weight
		}
	}
	parts := progress.Parts(ctx, 4, 2, 1)
	if intercept {
		if err := p.subtractMeans(parts[0], weights); err != nil {
			return nil, err
		}
	}
	variance, err := p.variance(parts[1])
	if err != nil {
		return nil, err
	}
	p.scale = variance * p.weight / float64(n)
	return p, overRows(parts[2], n, func(i int) {
		r := p.root[i]
		floats.Scale(r, p.t.RawRowView(i))
		for j, row := 0, p.z.RawRowView(i); j < d; j++ {
			row[j] *= r
		}
	})
}

// subtractMeans subtracts the means twice. The second pass removes the rounding errors of a large common offset. It returns the
// error of ctx.
func (p *ridgeProblem) subtractMeans(ctx context.Context, weights []float64) error {
	n, d := p.z.Dims()
	parts := progress.Parts(ctx, 1, 1, 1, 1)
	for twice := range 2 {
		mean, target := make([]float64, d), make([]float64, len(p.target))
		err := overRows(parts[2*twice], n, func(i int) {
			share := weights[i] / p.weight
			for j, t := range p.t.RawRowView(i) {
				target[j] += share * t
			}
			for j, v := range p.z.RawRowView(i) {
				mean[j] += share * v
			}
		})
		if err != nil {
			return err
		}
		floats.Add(p.target, target)
		for j, m := range mean {
			p.means[j] += m
		}
		err = overRows(parts[2*twice+1], n, func(i int) {
			floats.Sub(p.t.RawRowView(i), target)
			row := p.z.RawRowView(i)
			for j, m := range mean {
				row[j] -= m
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// variance returns the mean squared distance of the rows from their mean, without weights. This is the mean diagonal element of the
// centred kernel matrix. As in package loo, it is the distance from the mean also without an intercept. It returns the error of
// ctx.
func (p *ridgeProblem) variance(ctx context.Context) (float64, error) {
	n, d := p.z.Dims()
	mean := make([]float64, d)
	first, second := progress.Two(ctx, 1, 1)
	err := overRows(first, n, func(i int) {
		for j, v := range p.z.RawRowView(i) {
			mean[j] += v / float64(n)
		}
	})
	if err != nil {
		return 0, err
	}
	total := 0.0
	err = overRows(second, n, func(i int) {
		for j, v := range p.z.RawRowView(i) {
			total += (v - mean[j]) * (v - mean[j])
		}
	})
	return total / float64(n), err
}

// reduce replaces the rows by their coordinates in a basis of their span if there are more columns than rows. It returns the basis
// (d×n), or nil if it replaces nothing, and the error of ctx.
func (p *ridgeProblem) reduce(ctx context.Context) (*mat.Dense, error) {
	n, d := p.z.Dims()
	if d <= n {
		return nil, ctx.Err()
	}
	basis := mat.DenseCopyOf(p.z.T())
	r, err := orthogonal.ThinQR(ctx, basis)
	if err != nil {
		return nil, err
	}
	p.z = mat.DenseCopyOf(r.T())
	return basis, nil
}

// finite returns an error if squares overflowed.
func (p *ridgeProblem) finite(typ string, gram *mat.SymDense) error {
	total := p.scale + mat.Trace(gram)
	for _, v := range p.t.RawMatrix().Data {
		total += v * v
	}
	if total-total != 0 {
		return overflow(typ)
	}
	return nil
}
