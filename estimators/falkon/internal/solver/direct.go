package solver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// byNormals solves by the normal equations, and leaves out each row exactly.
func (p *Problem) byNormals(ctx context.Context) (*Solution, error) {
	equations, err := p.normals(ctx)
	if err != nil {
		return nil, err
	}
	out := &Solution{Ridge: p.Ridge, Iterations: 1, Converged: true, GCV: math.NaN()}
	if out.Ridge == 0 {
		if err := p.bestRidge(ctx, equations, out); err != nil {
			return nil, err
		}
	}
	if out.factor, err = shifted(p.nextContext(ctx), "the normal equations", equations.g, out.Ridge); err != nil {
		return nil, err
	}
	out.u = mat.DenseCopyOf(equations.r)
	if err := solveRows(ctx, out.factor, out.u); err != nil {
		return nil, err
	}
	if out.Left, err = p.leaveOut(ctx, out.u, out.factor, p.src, 0, p.named(ctx, "leave-one-out")); err != nil {
		return nil, err
	}
	out.Objective = out.Left.Objective
	n := float64(p.src.N)
	if rest := n - out.Left.trace; rest > leastRest*n {
		out.GCV = n * out.Left.rss / (rest * rest)
	}
	if out.EffectiveDimension = out.Left.trace; !p.NoIntercept {
		out.EffectiveDimension--
	}
	return out, nil
}

// bestRidge chooses the ridge of the least leave-one-out error.
func (p *Problem) bestRidge(ctx context.Context, equations *normal, out *Solution) error {
	unit := p.Scale() * p.src.Weight
	grid := ridgeGrid(leastRidge*unit, largestRidge*unit, ridgesPerDecade)
	out.Iterations = len(grid)
	g := mat.NewSymDense(p.M, nil)
	g.CopySym(equations.g)
	turned, err := rotate(p.nextContext(ctx), g)
	if err != nil {
		return err
	}
	errors, err := p.errorsOf(ctx, newCandidates(turned, equations.r, grid), p.src, p.named(ctx, "ridges"))
	if err != nil {
		return err
	}
	var edge int
	var ok bool
	if out.Ridge, edge, ok = chosen(grid, errors); !ok {
		out.Ridge = unit // as of one row, which leaves none when it is left out
	}
	side := map[int]string{-1: "smallest", 1: "largest"}[edge]
	if edge != 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the ridge of the least leave-one-out error, %.3g, is the %s that was looked at",
			out.Ridge, side))
	}
	return nil
}
