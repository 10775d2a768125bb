package solver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/internal/parallel"
)

// groupErrors returns, for each candidate, the sum of the weighted squared residuals of left-out groups of rows.
func (p *Problem) groupErrors(ctx context.Context, c *candidates, src *rows.Source) ([]float64, error) {
	count := len(c.shifts)
	total := make([]float64, count)
	sums := make([][]float64, len(src.Groups))
	err := p.overGroups(ctx, src, func(at int, b rows.Batch) error {
		return p.block(b.Rows(), func(z *mat.Dense) error {
			if err := p.Features(ctx, z, b, p.centre); err != nil {
				return err
			}
			sums[at] = p.errorsOfGroup(c, b, z)
			return ctx.Err()
		})
	})
	if err != nil {
		return nil, err
	}
	for _, s := range sums {
		floats.Add(total, s)
	}
	return total, nil
}

// overGroups calls f with the rows of each group, on all workers. It returns ErrTooLarge if the features of a group exceed
// MaxBytes, the error of f, or the error of ctx.
func (p *Problem) overGroups(ctx context.Context, src *rows.Source, f func(at int, b rows.Batch) error) error {
	for _, g := range src.Groups {
		rows := float64(g[1] - g[0])
		if err := p.CheckBytes(fmt.Sprintf("the features of a group of %.0f rows", rows),
			8*4*rows*float64(p.M)*float64(p.Workers)); err != nil {
			return err
		}
	}
	return parallel.ForEach(ctx, p.Workers, len(src.Groups), func(at int) error {
		return f(at, src.Whole.Slice(src.Groups[at][0], src.Groups[at][1]))
	})
}

// errorsOfGroup is like groupErrors, for one group with features z.
func (p *Problem) errorsOfGroup(c *candidates, b rows.Batch, z *mat.Dense) []float64 {
	k, rows := p.src.K, b.Rows()
	turned := mat.NewDense(p.M, rows, nil)
	fast.Gemm(blas.Trans, blas.Trans, 1, c.q.RawMatrix(), z.RawMatrix(), 0, turned.RawMatrix())
	fitted := mat.NewDense(rows, len(c.shifts)*k, nil)
	fast.Gemm(blas.Trans, blas.NoTrans, 1, turned.RawMatrix(), c.coefficients.RawMatrix(), 0, fitted.RawMatrix())
	out := make([]float64, len(c.shifts))
	for i, s := range c.shifts {
		if c.bad[i] {
			continue
		}
		e := p.residuals(b, fitted.Slice(0, rows, i*k, (i+1)*k).(*mat.Dense))
		scale := c.scale
		if c.factors != nil {
			scale *= c.factors[i]
		}
		columns := mat.DenseCopyOf(turned)
		p.weighColumns(columns, b, scale)
		f := loo.FeatureGroups{
			Columns: columns, Intercept: p.interceptOf(b), Solve: s.Solve,
			Matrix: func() *mat.SymDense { return c.tri.Matrix(c.ridges[i]) },
		}
		if _, ok := p.leaveGroup(f, e, c.factors != nil); !ok {
			out[i] = math.Inf(1)
			continue
		}
		for a := range rows {
			row := e.RawRowView(a)
			out[i] += linalg.Dot(row, row)
		}
	}
	return out
}

// residuals returns the residuals of the rows in a batch, times √w.
func (p *Problem) residuals(b rows.Batch, fitted *mat.Dense) *mat.Dense {
	out := mat.NewDense(b.Rows(), p.src.K, nil)
	for a := range b.Rows() {
		root, row := math.Sqrt(b.Weight(a)), out.RawRowView(a)
		for j, y := range b.Y.RawRowView(a) {
			row[j] = root * (y - p.offset[j] - fitted.At(a, j))
		}
	}
	return out
}

// weighColumns multiplies each column, which holds the features of a row with weight w, by √(w scale).
func (p *Problem) weighColumns(columns *mat.Dense, b rows.Batch, scale float64) {
	roots := make([]float64, b.Rows())
	for a := range roots {
		roots[a] = math.Sqrt(b.Weight(a) * scale)
	}
	for i := range p.M {
		floats.Mul(columns.RawRowView(i), roots)
	}
}

// interceptOf returns the contribution of the intercept to the leverages of the rows.
func (p *Problem) interceptOf(b rows.Batch) []float64 {
	out := make([]float64, b.Rows())
	if p.NoIntercept {
		return out
	}
	for a := range out {
		out[a] = b.Weight(a) / p.src.Weight
	}
	return out
}

// leaveGroup replaces the residuals e of all rows of f by the residuals of the machine without these rows. If outside is true, the
// rows are not among the rows of f's matrix. Their leverages L are then converted to the leverages H among all rows: 1 - H = (1 +
// L)⁻¹. It returns, for each row, the share of 1 - H that a single row would have. If only rounding remains of 1 - H, ok is false.
func (p *Problem) leaveGroup(f loo.FeatureGroups, e *mat.Dense, outside bool) (shares []float64, ok bool) {
	rows, k := e.Dims()
	if !outside {
		all := make([]int, rows)
		for a := range all {
			all[a] = a
		}
		return f.Leave(e, all)
	}
	moment := mat.NewDense(p.M, k, nil)
	fast.Mul(moment, f.Columns, e)
	f.Solve(moment)
	more := new(mat.Dense)
	fast.Mul(more, f.Columns.T(), moment)
	common := make([]float64, k)
	for a, v := range f.Intercept {
		floats.AddScaled(common, math.Sqrt(v), e.RawRowView(a))
	}
	solved := mat.DenseCopyOf(f.Columns)
	f.Solve(solved)
	shares = make([]float64, rows)
	for i := range p.M {
		for a, v := range f.Columns.RawRowView(i) {
			shares[a] += v * solved.At(i, a)
		}
	}
	for a, v := range f.Intercept {
		row := e.RawRowView(a)
		floats.Add(row, more.RawRowView(a))
		floats.AddScaled(row, math.Sqrt(v), common)
		shares[a] = 1 / (1 + shares[a] + v)
	}
	return shares, true
}

// leaveGroupsOut is like leaveOut, for groups of rows.
func (p *Problem) leaveGroupsOut(ctx context.Context, u *mat.Dense, chol *linalg.Cholesky, src *rows.Source, outside float64,
	kept *sampledRows, out *LeftOut) error {
	factor := chol.Upper()
	type sums struct{ objective, rss, trace float64 }
	of := make([]sums, len(src.Groups))
	scale := 1.0
	if outside > 0 {
		scale = outside
	}
	err := p.overGroups(ctx, src, func(at int, b rows.Batch) error {
		return p.block(b.Rows(), func(z *mat.Dense) error {
			if err := p.Features(ctx, z, b, nil); err != nil {
				return err
			}
			rows := b.Rows()
			unseen := make([]float64, rows)
			p.Unseen(unseen, b, z)
			p.less(z)
			fitted := mat.NewDense(rows, p.src.K, nil)
			fast.Gemm(blas.NoTrans, blas.Trans, 1, z.RawMatrix(), u.RawMatrix(), 0, fitted.RawMatrix())
			fast.Trsm(blas.Right, blas.NoTrans, 1, factor, z.RawMatrix())
			e := p.residuals(b, fitted)
			s := &of[at]
			for a := range rows {
				row := e.RawRowView(a)
				s.rss += linalg.Dot(row, row)
				s.trace += 1 - p.rest(b.Weight(a), scale*linalg.Dot(z.RawRowView(a), z.RawRowView(a)), outside > 0)
			}
			columns := mat.DenseCopyOf(z.T())
			p.weighColumns(columns, b, scale)
			f := loo.FeatureGroups{Columns: columns, Intercept: p.interceptOf(b), Solve: func(*mat.Dense) {},
				Matrix: func() *mat.SymDense { return loo.Identity(p.M) }}
			shares, ok := p.leaveGroup(f, e, outside > 0)
			for a := range rows {
				row, share := e.RawRowView(a), 0.0
				if ok {
					s.objective += linalg.Dot(row, row)
					floats.Scale(1/math.Sqrt(b.Weight(a)), row)
					share = shares[a]
				} else {
					clear(row)
				}
				kept.put(b, a, row, share, unseen[a])
			}
			return nil
		})
	})
	for _, s := range of {
		out.Objective += s.objective / src.Weight
		out.rss += s.rss
		out.trace += s.trace
	}
	return err
}
