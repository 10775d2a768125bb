package falkon

import (
	"context"
	"math"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fast"
	"github.com/kernelearn/kernelearn/internal/linalg"
)

// conjugate is the method of conjugate gradients on several columns, each of a target and a
// ridge: (Z~'WZ~/n + λI) u = Z~'W(y - ȳ)/n, preconditioned by B + λI. Matrices have a row for
// each column of the method, and its letters.
type conjugate struct {
	columns   []column
	u, r, d   *mat.Dense // columns×M: the solutions, residuals, directions
	iteration int
}

// column is one system.
type column struct {
	Target    int
	Lambda    float64 // λ = Λ/n
	Rho       float64 // r'(B + λI)⁻¹r
	Gains     []float64
	Converged bool
}

// newConjugate begins at 0 with the right sides of the targets (k×M) for each of the ridges.
func newConjugate(right *mat.Dense, lambdas []float64) *conjugate {
	k, m := right.Dims()
	c := &conjugate{u: mat.NewDense(k*len(lambdas), m, nil), r: mat.NewDense(k*len(lambdas), m, nil), d: mat.NewDense(k*len(lambdas), m, nil)}
	for _, lambda := range lambdas {
		for j := range k {
			c.r.SetRow(len(c.columns), right.RawRowView(j))
			c.columns = append(c.columns, column{Target: j, Lambda: lambda})
		}
	}
	return c
}

// energy estimates the relative error in the norm of the system, by the gains of the last four
// iterations (Hestenes and Stiefel 1952; Meurant and Tichý 2013).
func (c *column) energy() float64 {
	const delay = 4
	switch {
	case len(c.Gains) > delay:
	case c.Converged: // nothing was left
		return 0
	default:
		return 1
	}
	last := floats.Sum(c.Gains[len(c.Gains)-delay:])
	return math.Sqrt(last / floats.Sum(c.Gains))
}

// energy is the largest of all columns.
func (c *conjugate) energy() float64 {
	out := 0.0
	for i := range c.columns {
		out = max(out, c.columns[i].energy())
	}
	return out
}

// active returns the columns that have not converged.
func (c *conjugate) active() (out []int) {
	for i, col := range c.columns {
		if !col.Converged {
			out = append(out, i)
		}
	}
	return out
}

// keep leaves the columns of one ridge alone.
func (c *conjugate) keep(lambda float64) {
	var rows []int
	var columns []column
	for i, col := range c.columns {
		if col.Lambda == lambda {
			rows, columns = append(rows, i), append(columns, col)
		}
	}
	c.columns, c.u, c.r, c.d = columns, linalg.Rows(c.u, rows), linalg.Rows(c.r, rows), linalg.Rows(c.d, rows)
}

// preconditioner solves with B + λI.
type preconditioner interface {
	// solve overwrites the rows b' of a matrix, of these columns, with ((B + λI)⁻¹b)'.
	solve(b *mat.Dense, of []column)
}

// oneRidge has a factor of B + λI.
type oneRidge struct{ *linalg.Cholesky }

func (o oneRidge) solve(b *mat.Dense, _ []column) {
	// M² steps for each target, before and after which the iteration looks at its context.
	_ = solveRows(context.Background(), o.Cholesky, b)
}

// anyRidge has B in the coordinates in which a ridge costs O(M).
type anyRidge struct{ *rotated }

func (a anyRidge) solve(b *mat.Dense, of []column) {
	turned := a.turn(b)
	for i, col := range of {
		// B is a sum of squares: only rounding could make it indefinite, far below λ.
		shift, _ := a.tri.Shift(col.Lambda)
		own := mat.NewDense(a.n(), 1, mat.Col(nil, i, turned))
		shift.Solve(own)
		turned.SetCol(i, own.RawMatrix().Data)
	}
	fast.Gemm(blas.Trans, blas.Trans, 1, turned.RawMatrix(), a.q.RawMatrix(), 0, b.RawMatrix())
}

func (r *rotated) n() int { return r.q.RawMatrix().Rows }

// operator sets the rows d' of a matrix, of these columns, to (Hd)'.
type operator func(ctx context.Context, d *mat.Dense, of []column) error

// begin takes the first directions.
func (c *conjugate) begin(b preconditioner) {
	c.d.Copy(c.r)
	b.solve(c.d, c.columns)
	for i := range c.columns {
		col := &c.columns[i]
		col.Rho = linalg.Dot(c.r.RawRowView(i), c.d.RawRowView(i))
		col.Converged = !(col.Rho > 0)
	}
}

// pick returns some of the columns.
func (c *conjugate) pick(rows []int) []column {
	out := make([]column, len(rows))
	for at, i := range rows {
		out[at] = c.columns[i]
	}
	return out
}

// step is one iteration of the columns that have not converged to the tolerance. An error
// leaves the state as it was.
func (c *conjugate) step(ctx context.Context, h operator, b preconditioner, tolerance float64) error {
	rows := c.active()
	of := c.pick(rows)
	hd := linalg.Rows(c.d, rows)
	if err := h(ctx, hd, of); err != nil {
		return err
	}
	c.iteration++
	z := mat.NewDense(len(rows), c.u.RawMatrix().Cols, nil)
	for at, i := range rows {
		col := &c.columns[i]
		bend := linalg.Dot(c.d.RawRowView(i), hd.RawRowView(at))
		alpha := col.Rho / bend
		if !(bend > 0) || alpha-alpha != 0 { // there is nothing left but rounding
			col.Converged = true
			continue
		}
		linalg.Axpy(alpha, c.d.RawRowView(i), c.u.RawRowView(i))
		linalg.Axpy(-alpha, hd.RawRowView(at), c.r.RawRowView(i))
		col.Gains = append(col.Gains, alpha*col.Rho)
		z.SetRow(at, c.r.RawRowView(i))
	}
	b.solve(z, of)
	for at, i := range rows {
		col := &c.columns[i]
		rho := linalg.Dot(c.r.RawRowView(i), z.RawRowView(at))
		beta := rho / col.Rho
		col.Rho = rho
		if col.Converged = col.Converged || !(rho > 0) || col.energy() < tolerance; col.Converged {
			continue
		}
		d := c.d.RawRowView(i)
		floats.Scale(beta, d)
		floats.Add(d, z.RawRowView(at))
	}
	return nil
}

// firstPass takes k̄ and the right sides Z~'W(y - ȳ)/n, k×M.
func (p *problem) firstPass(ctx context.Context) (kernelMean []float64, right *mat.Dense, err error) {
	k := p.src.k
	sums, _, err := p.twice(ctx, "right sides", 1, nil, k+1, 0, func(b batch, i int, _, v, _ []float64) {
		w := b.weight(i)
		for j, y := range b.y.RawRowView(i) {
			v[j] = w * (y - p.offset[j])
		}
		v[k] = w
	})
	if err != nil {
		return nil, nil, err
	}
	right = mat.DenseCopyOf(sums.Slice(0, k, 0, p.m))
	p.whiten(right)
	right.Scale(1/float64(p.src.n), right)
	if p.noIntercept {
		return nil, right, nil
	}
	kernelMean = sums.RawRowView(k)
	floats.Scale(1/p.src.weight, kernelMean)
	return kernelMean, right, nil
}

// setCentre takes z̄ from k̄.
func (p *problem) setCentre(kernelMean []float64) {
	if kernelMean == nil {
		return
	}
	p.centre = append([]float64(nil), kernelMean...)
	p.whiten(mat.NewDense(1, p.m, p.centre))
}

// hessian is the operator of squared errors.
func (p *problem) hessian(kernelMean []float64, energy func() float64) operator {
	return func(ctx context.Context, d *mat.Dense, of []column) error {
		c := len(of)
		s, shift := mat.DenseCopyOf(d), make([]float64, c)
		p.coefficients(s)
		if kernelMean != nil {
			for j := range shift {
				shift[j] = linalg.Dot(kernelMean, s.RawRowView(j))
			}
		}
		sums, totals, err := p.twice(ctx, "conjugate gradients", energy(), s, c, c, func(b batch, i int, q, v, totals []float64) {
			w := b.weight(i)
			for j, f := range q {
				v[j] = w * (f - shift[j])
				totals[j] += v[j]
			}
		})
		if err != nil {
			return err
		}
		if kernelMean != nil {
			for j, t := range totals {
				linalg.Axpy(-t, kernelMean, sums.RawRowView(j))
			}
		}
		p.addRidges(d, sums, of)
		return nil
	}
}

// addRidges sets the rows d' of a matrix to (T⁻ᵀp/n + λd)', of sums p' over the rows, which it
// overwrites.
func (p *problem) addRidges(d, sums *mat.Dense, of []column) {
	p.whiten(sums)
	for j, col := range of {
		row := d.RawRowView(j)
		floats.Scale(col.Lambda, row)
		linalg.Axpy(1/float64(p.src.n), sums.RawRowView(j), row)
	}
}
