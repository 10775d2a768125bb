package falkon

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// byNormals solves by the normal equations, and leaves out each row exactly.
func (p *landmarkProblem) byNormals(ctx context.Context) (*solution, error) {
	equations, err := p.normals(ctx)
	if err != nil {
		return nil, err
	}
	out := &solution{ridge: p.ridge, iterations: 1, converged: true, gcv: math.NaN()}
	if out.ridge == 0 {
		if err := p.bestRidge(ctx, equations, out); err != nil {
			return nil, err
		}
	}
	if out.factor, err = shifted(p.nextContext(ctx), "the normal equations", equations.g, out.ridge); err != nil {
		return nil, err
	}
	out.u = mat.DenseCopyOf(equations.r)
	if err := solveRows(ctx, out.factor, out.u); err != nil {
		return nil, err
	}
	if out.left, err = p.leaveOut(ctx, out.u, out.factor, p.src, 0, p.named(ctx, "leave-one-out")); err != nil {
		return nil, err
	}
	out.objective = out.left.objective
	n := float64(p.src.N)
	if rest := n - out.left.trace; rest > leastRest*n {
		out.gcv = n * out.left.rss / (rest * rest)
	}
	if out.effective = out.left.trace; !p.noIntercept {
		out.effective--
	}
	return out, nil
}

// bestRidge chooses the ridge of the least leave-one-out error.
func (p *landmarkProblem) bestRidge(ctx context.Context, equations *normal, out *solution) error {
	unit := p.scale() * p.src.Weight
	grid := ridgeGrid(leastRidge*unit, largestRidge*unit, ridgesPerDecade)
	out.iterations = len(grid)
	g := mat.NewSymDense(p.m, nil)
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
	if out.ridge, edge, ok = chosen(grid, errors); !ok {
		out.ridge = unit // as of one row, which leaves none when it is left out
	}
	side := map[int]string{-1: "smallest", 1: "largest"}[edge]
	if edge != 0 {
		out.warnings = append(out.warnings, fmt.Sprintf("the ridge of the least leave-one-out error, %.3g, is the %s that was looked at", out.ridge, side))
	}
	return nil
}
