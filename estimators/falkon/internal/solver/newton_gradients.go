package solver

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// factors holds the preconditioners of the active machines.
type factors []*linalg.Cholesky

func (f factors) solve(b *mat.Dense, of []column) {
	for row, col := range of {
		f[col.Target].SolveVec(b.RawRowView(row))
	}
}

// solveGradients solves for a Newton step with conjugate gradients, in passes that the machines share. The tolerance decreases with
// the decrement, so that the last steps converge quadratically.
func (nt *newton) solveGradients(ctx context.Context, right *mat.Dense, active []int, sample *rows.Source) (*mat.Dense, error) {
	n := float64(nt.src.N)
	lambda := nt.ridge / n
	by := make(factors, len(active))
	for at, j := range active {
		var err error
		if by[at], err = nt.curved(ctx, j, lambda, sample); err != nil {
			return nil, err
		}
	}
	scaled := mat.DenseCopyOf(right)
	scaled.Scale(1/n, scaled)
	c := newConjugate(scaled, []float64{lambda}, sample.N)
	c.begin(by)
	tolerance := min(newtonTolerance, math.Sqrt(math.Sqrt(nt.decrement)))
	h := nt.hessian(active)
	for c.iteration < nt.Iterations && len(c.active()) > 0 {
		if err := c.step(ctx, h, by, tolerance); err != nil {
			return nil, err
		}
	}
	return c.u, nil
}

// curved returns the preconditioner of a machine: B + λI computed from the sample, with the weights a and the centre of all rows.
func (nt *newton) curved(ctx context.Context, j int, lambda float64, sample *rows.Source) (*linalg.Cholesky, error) {
	p := nt.Problem
	beta := mat.NewDense(1, p.M, append([]float64(nil), nt.at.u.RawRowView(j)...))
	p.Coefficients(beta)
	var centre []float64
	if !p.NoIntercept {
		centre = nt.centreOf(j)
	}
	panel := mat.NewDense(min(panelBlocks*rows.WideRows, sample.N), p.M, nil)
	g := mat.NewSymDense(p.M, nil)
	work := func(slot int, b rows.Batch) error {
		first := slot * rows.WideRows
		z := rows.Window(panel, first, first+b.Rows())
		if err := p.KernelRows(ctx, z, b); err != nil {
			return err
		}
		roots := make([]float64, b.Rows())
		for i := range roots {
			f := nt.at.b[j] + linalg.Dot(z.RawRowView(i), beta.RawRowView(0))
			roots[i] = math.Sqrt(b.Weight(i) * curvature(f))
		}
		p.Whiten(z)
		for i, root := range roots {
			row := z.RawRowView(i)
			if centre != nil {
				floats.Sub(row, centre)
			}
			floats.Scale(root, row)
		}
		return nil
	}
	done := func(b rows.Batch) error { return addProduct(ctx, p.Workers, g, rows.Window(panel, 0, b.Rows())) }
	if err := p.passing(ctx, sample)(work, done); err != nil {
		return nil, err
	}
	scaleSym(g, 1/float64(sample.N))
	return shifted(p.nextContext(ctx), "the preconditioner", g, lambda)
}

// hessian returns the operator for the logistic losses at the current point. In each block, the weights a are computed again from
// the kernel values.
func (nt *newton) hessian(active []int) operator {
	p := nt.Problem
	all := mat.DenseCopyOf(nt.at.u)
	p.Coefficients(all)
	return func(ctx context.Context, d *mat.Dense, of []column) error {
		c := len(of)
		s := mat.NewDense(2*c, p.M, nil) // coefficients of the directions, followed by those of the machines
		directions := s.Slice(0, c, 0, p.M).(*mat.Dense)
		directions.Copy(d)
		p.Coefficients(directions)
		shift := make([]float64, c)
		for i, col := range of {
			j := active[col.Target]
			s.SetRow(c+i, all.RawRowView(j))
			if !p.NoIntercept {
				shift[i] = linalg.Dot(nt.at.mean.RawRowView(j), directions.RawRowView(i))
			}
		}
		sums, totals, err := p.kernelPass(ctx, "conjugate gradients", nt.decrement, s, c, c,
			func(b rows.Batch, row int, q, v, totals []float64) {
				w := b.Weight(row)
				for i, col := range of {
					v[i] = w * curvature(q[c+i]+nt.at.b[active[col.Target]]) * (q[i] - shift[i])
					totals[i] += v[i]
				}
			})
		if err != nil {
			return err
		}
		if !p.NoIntercept {
			for i, col := range of {
				linalg.Axpy(-totals[i], nt.at.mean.RawRowView(active[col.Target]), sums.RawRowView(i))
			}
		}
		p.addRidges(d, sums, of)
		return nil
	}
}
