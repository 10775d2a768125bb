package solver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
)

// byNormals solves the normal equations, and computes exact leave-one-out residuals.
func (p *Problem) byNormals(ctx context.Context) (*Solution, error) {
	equations, err := p.normals(ctx)
	if err != nil {
		return nil, err
	}
	out := &Solution{Ridge: p.Ridge, Iterations: 1, Converged: true, GCV: math.NaN()}
	if out.Ridge == 0 {
		few, err := p.first(ctx, min(ridgeLandmarks, p.M))
		if err != nil {
			return nil, err
		}
		if err := few.bestRidge(ctx, equations, out, p.named(ctx, "ridges")); err != nil {
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

// ridgeLandmarks is the largest number of landmarks with which the normal equations compare ridges. The equations of the first
// landmarks are a block of the equations of all landmarks. With 4000 landmarks and 10 000 rows, a fit takes about half as long as
// if the ridge were chosen with all of them.
const ridgeLandmarks = 2000

// first returns the problem for the first m landmarks, with the centre of their features.
func (p *Problem) first(ctx context.Context, m int) (*Problem, error) {
	out := *p
	if p.centre != nil {
		out.centre = p.centre[:m]
	}
	var err error
	out.Basis, err = p.Basis.First(ctx, m)
	return &out, err
}

// bestRidge chooses the ridge with the smallest leave-one-out error in one pass over the rows. The equations may contain more
// landmarks than p. Their first landmarks are then those of p.
func (p *Problem) bestRidge(ctx context.Context, equations *normal, out *Solution, pass passing) error {
	unit := p.Scale() * p.src.Weight
	grid := ridgeGrid(leastRidge*unit, largestRidge*unit, ridgesPerDecade)
	out.Iterations = len(grid)
	g := mat.NewSymDense(p.M, nil)
	g.CopySym(equations.g)
	turned, err := rotate(p.nextContext(ctx), g)
	if err != nil {
		return err
	}
	right := equations.r.Slice(0, p.src.K, 0, p.M).(*mat.Dense)
	errors, err := p.errorsOf(ctx, newCandidates(turned, right, grid), p.src, pass)
	if err != nil {
		return err
	}
	var edge int
	var ok bool
	if out.Ridge, edge, ok = chosen(grid, errors); !ok {
		out.Ridge = unit // for example with a single row, because no row remains when it is left out
	}
	side := map[int]string{-1: "smallest", 1: "largest"}[edge]
	if edge != 0 {
		out.Warnings = append(out.Warnings, fmt.Sprintf("the ridge with the smallest leave-one-out error, %.3g, is the %s that was tried",
			out.Ridge, side))
	}
	return nil
}
