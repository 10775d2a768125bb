package solver

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// The ridges of the logistic loss, relative to the mean of k(c, c) times the mean weight, from the largest down, and the numbers of
// rows and landmarks with which they are compared. The search ends after worseRidges ridges in turn that are worse than the best one.
const (
	largestLogistic, ridgeFactor, logisticRidges = 16, 4, 14
	worseRidges                                  = 2
	logisticRows, logisticLandmarks              = 1000, 500
	roughDecrement                               = 1e-5
)

// logisticRidge returns the ridge with the smallest leave-one-out loss, and the solution for the best ridge that was tried. The fit for
// each ridge begins with the solution for the last one.
func (p *Problem) logisticRidge(ctx context.Context, sample *rows.Source) (float64, *points, error) {
	few, err := p.first(ctx, min(logisticLandmarks, p.M))
	if err != nil {
		return 0, nil, err
	}
	if few.Direct, few.parts = true, nil; p.src.N > logisticRows {
		few.src = sample.Head(logisticRows)
	}
	unit := p.Scale() * few.src.Weight / float64(few.src.N)
	nt := &newton{Problem: few, tolerance: roughDecrement}
	var ridges, losses []float64
	var from *points // the solution with the smallest loss
	for best := 0; len(ridges) < logisticRidges && len(ridges)-best <= worseRidges; best = floats.MinIdx(losses) {
		nt.ridge = unit * largestLogistic / math.Pow(ridgeFactor, float64(len(ridges)))
		if err := nt.begin(ctx, nt.at); err != nil {
			return 0, nil, err
		}
		if err := nt.run(ctx, nil); err != nil {
			return 0, nil, err
		}
		left, err := nt.leaveOut(ctx)
		if err != nil {
			return 0, nil, err
		}
		if ridges, losses = append(ridges, nt.ridge), append(losses, left.Objective); floats.MinIdx(losses) == len(losses)-1 {
			from = nt.at
		}
	}
	if ridge, _, ok := chosen(ridges, losses); ok {
		return ridge, from, nil
	}
	return unit, nil, nil
}

// leaveOut computes scores without each row, in one pass. One step of Newton's method begins at the solution of all rows, with the
// curvature of the other rows:
//
//	f - S w(t - p)/(1 - aS),   S = 1/Σa + z~'(Z~'AZ~ + ΛI)⁻¹z~,   a = w p(1 - p)
//
// This is the approximation of G. Cawley and N. Talbot, Efficient approximate leave-one-out cross-validation for kernel logistic
// regression, Machine Learning 71, 2008. Equal rows, which are one row here, are left out together. The Objective is the mean
// logistic loss, summed over the machines.
func (nt *newton) leaveOut(ctx context.Context) (*LeftOut, error) {
	p, k := nt.Problem, nt.src.K
	all := make([]int, k)
	for j := range all {
		all[j] = j
	}
	factors, err := nt.normalFactors(ctx, all)
	if err != nil {
		return nil, err
	}
	centres, constant := mat.NewDense(k, p.M, nil), make([]float64, k)
	for j := range k {
		if !p.NoIntercept && nt.at.weight[j] > 0 {
			centres.SetRow(j, nt.centreOf(j))
			constant[j] = 1 / nt.at.weight[j]
		}
	}
	kept, out := newKept(p.src, p.keep), &LeftOut{}
	losses := make([]float64, panelBlocks)
	work := func(slot int, b rows.Batch) error {
		return p.block(b.Rows(), func(z *mat.Dense) error {
			if err := p.Features(ctx, z, b, nil); err != nil {
				return err
			}
			return p.block(b.Rows(), func(own *mat.Dense) error {
				losses[slot] = 0
				left := mat.NewDense(b.Rows(), k, nil)
				for j := range k {
					for i := range b.Rows() {
						floats.SubTo(own.RawRowView(i), z.RawRowView(i), centres.RawRowView(j))
					}
					fast.Trsm(blas.Right, blas.NoTrans, 1, factors[j].Upper(), own.RawMatrix())
					for i := range b.Rows() {
						w, y := b.Weight(i), b.Y.At(i, j)
						t, f := (1+y)/2, nt.at.b[j]+linalg.Dot(z.RawRowView(i), nt.at.u.RawRowView(j))
						variance := constant[j] + linalg.Dot(own.RawRowView(i), own.RawRowView(i))
						f -= variance * w * (t - vecmath.Sigmoid(f)) / max(1-w*curvature(f)*variance, leastRest)
						losses[slot] += w * (vecmath.Softplus(f) - t*f)
						left.Set(i, j, y-f)
					}
				}
				for i := range b.Rows() {
					kept.put(b, i, left.RawRowView(i), 1, 0)
				}
				return ctx.Err()
			})
		})
	}
	err = p.named(ctx, "leave-one-out")(work, func(b rows.Batch) error {
		for _, l := range losses[:rows.BlockCount(b.Rows(), rows.WideRows)] {
			out.Objective += l / p.src.Weight
		}
		return nil
	})
	kept.copyTo(out)
	return out, err
}
