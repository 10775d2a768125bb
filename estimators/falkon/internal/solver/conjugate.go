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
)

// conjugate holds the state of conjugate gradients for several columns. Each column belongs to a target and a ridge. The method
// solves (Z~'WZ~/n + λI) u = Z~'W(y - ȳ)/n, preconditioned by B + λI. Matrices have a row for each column of the method, and are
// named as in the formulas.
type conjugate struct {
	columns   []column
	u, r, d   *mat.Dense // columns×M: the solutions, residuals, directions
	iteration int
	rate      float64 // expected factor by which the error falls per iteration
}

// column is one system.
type column struct {
	Target    int
	Lambda    float64   // λ = Λ/n
	Rho       float64   // r'(B + λI)⁻¹r
	Start     float64   // squared norm of the solution minus the first squared error
	Gains     []float64 // the decrease of the squared error in each iteration
	Converged bool
}

// newConjugate returns the state that starts at 0, with the right-hand sides for the targets (k×M) and each of the ridges. The
// argument sample is the number of rows of the preconditioner.
func newConjugate(right *mat.Dense, lambdas []float64, sample int) *conjugate {
	k, m := right.Dims()
	c := &conjugate{rate: math.Sqrt(float64(m) / float64(max(sample, 2*m))), u: mat.NewDense(k*len(lambdas), m, nil),
		r: mat.NewDense(k*len(lambdas), m, nil), d: mat.NewDense(k*len(lambdas), m, nil)}
	for _, lambda := range lambdas {
		for j := range k {
			c.r.SetRow(len(c.columns), right.RawRowView(j))
			c.columns = append(c.columns, column{Target: j, Lambda: lambda})
		}
	}
	return c
}

// startAt starts at the rows of u instead of 0, and overwrites u and hu, which is (Hu)'.
func (c *conjugate) startAt(u, hu *mat.Dense) {
	c.r.Sub(c.r, hu)
	for i := range c.columns {
		// The solution u* for the right-hand side b satisfies u*'Hu* = u'b + u'r + r'H⁻¹r.
		own := u.RawRowView(i)
		c.columns[i].Start = 2*linalg.Dot(own, c.r.RawRowView(i)) + linalg.Dot(own, hu.RawRowView(i))
	}
	c.u = u
}

// mostRate is the largest factor of the squared error per iteration that an estimate assumes.
const mostRate = .99

// energy estimates the relative error in the norm of the system. The gain of an iteration is the decrease of the squared error
// (Hestenes and Stiefel 1952; Meurant and Tichý 2013). The gains of further iterations are assumed to decrease by a constant
// factor, which is the largest of the last factors and the expected rate.
func (c *column) energy(rate float64) float64 {
	n := len(c.Gains)
	if n < 2 {
		if c.Converged { // no error was left
			return 0
		}
		return 1
	}
	last := c.Gains[n-1]
	fall := max(rate*rate, last/c.Gains[n-2])
	if n > 2 {
		fall = max(fall, math.Sqrt(last/c.Gains[n-3]))
	}
	fall = min(fall, mostRate)
	left := last * fall / (1 - fall)
	return min(1, math.Sqrt(left/(c.Start+floats.Sum(c.Gains)+left)))
}

// energy returns the largest energy of all columns.
func (c *conjugate) energy() float64 {
	out := 0.0
	for i := range c.columns {
		out = max(out, c.columns[i].energy(c.rate))
	}
	return out
}

// active returns the indices of the columns that have not converged.
func (c *conjugate) active() (out []int) {
	for i, col := range c.columns {
		if !col.Converged {
			out = append(out, i)
		}
	}
	return out
}

// keep keeps the columns of the ridge lambda and removes all others.
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

// preconditioner solves systems with B + λI.
type preconditioner interface {
	// solve overwrites the rows b' of a matrix, which belong to these columns, with ((B + λI)⁻¹b)'.
	solve(b *mat.Dense, of []column)
}

// oneRidge holds a Cholesky factor of B + λI.
type oneRidge struct{ *linalg.Cholesky }

func (o oneRidge) solve(b *mat.Dense, _ []column) {
	// This costs M² operations for each target. The iteration checks its context before and after.
	_ = solveRows(context.Background(), o.Cholesky, b)
}

// anyRidge holds B in coordinates in which solving for a ridge costs O(M).
type anyRidge struct{ *rotated }

func (a anyRidge) solve(b *mat.Dense, of []column) {
	turned := a.turn(b)
	for i, col := range of {
		// B is a sum of squares. Only rounding, far below λ, could make it indefinite.
		shift, _ := a.tri.Shift(col.Lambda)
		own := mat.NewDense(a.n(), 1, mat.Col(nil, i, turned))
		shift.Solve(own)
		turned.SetCol(i, own.RawMatrix().Data)
	}
	fast.Gemm(blas.Trans, blas.Trans, 1, turned.RawMatrix(), a.q.RawMatrix(), 0, b.RawMatrix())
}

func (r *rotated) n() int { return r.q.RawMatrix().Rows }

// operator sets the rows d' of a matrix, which belong to the columns of, to (Hd)'.
type operator func(ctx context.Context, d *mat.Dense, of []column) error

// begin sets the first directions.
func (c *conjugate) begin(b preconditioner) {
	c.d.Copy(c.r)
	b.solve(c.d, c.columns)
	for i := range c.columns {
		col := &c.columns[i]
		col.Rho = linalg.Dot(c.r.RawRowView(i), c.d.RawRowView(i))
		col.Converged = !(col.Rho > 0)
	}
}

// pick returns the columns with the given indices.
func (c *conjugate) pick(rows []int) []column {
	out := make([]column, len(rows))
	for at, i := range rows {
		out[at] = c.columns[i]
	}
	return out
}

// step does one iteration for the columns that have not converged to the tolerance. If it returns an error, the state is unchanged.
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
		dHd := linalg.Dot(c.d.RawRowView(i), hd.RawRowView(at))
		alpha := col.Rho / dHd
		if !(dHd > 0) || alpha-alpha != 0 { // the remaining error is only rounding
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
		if col.Converged = col.Converged || !(rho > 0) || col.energy(c.rate) < tolerance; col.Converged {
			continue
		}
		d := c.d.RawRowView(i)
		floats.Scale(beta, d)
		floats.Add(d, z.RawRowView(at))
	}
	return nil
}

// firstPass returns k̄ and the right-hand sides Z~'W(y - ȳ)/n, k×M. If start is not nil, it holds initial rows u', and firstPass
// also returns (Z~'WZ~u/n)'. If the centre is already set, it is the centre of a sample, which is near the centre of all rows.
func (p *Problem) firstPass(ctx context.Context, start *mat.Dense) (kernelMean []float64, right, product *mat.Dense, err error) {
	k, c := p.src.K, 0
	var s *mat.Dense
	var shift []float64
	if start != nil {
		c, _ = start.Dims()
		s, shift = mat.DenseCopyOf(start), make([]float64, c)
		p.Coefficients(s)
		if p.centre != nil {
			for j := range shift {
				shift[j] = linalg.Dot(p.centre, start.RawRowView(j))
			}
		}
	}
	sums, totals, err := p.kernelPass(ctx, "right sides", 1, s, c+k+1, c, func(b rows.Batch, i int, q, v, totals []float64) {
		w := b.Weight(i)
		for j, f := range q {
			v[j] = w * (f - shift[j])
			totals[j] += v[j]
		}
		for j, y := range b.Y.RawRowView(i) {
			v[c+j] = w * (y - p.offset[j])
		}
		v[c+k] = w
	})
	if err != nil {
		return nil, nil, nil, err
	}
	if !p.NoIntercept {
		kernelMean = sums.RawRowView(c + k)
		floats.Scale(1/p.src.Weight, kernelMean)
		for j, t := range totals {
			linalg.Axpy(-t, kernelMean, sums.RawRowView(j))
		}
	}
	both := mat.DenseCopyOf(rows.Window(sums, 0, c+k))
	p.Whiten(both)
	both.Scale(1/float64(p.src.N), both)
	if c > 0 {
		product = rows.Window(both, 0, c)
	}
	return kernelMean, rows.Window(both, c, c+k), product, nil
}

// setCentre computes z̄ from k̄.
func (p *Problem) setCentre(kernelMean []float64) {
	if kernelMean == nil {
		return
	}
	p.centre = append([]float64(nil), kernelMean...)
	p.Whiten(mat.NewDense(1, p.M, p.centre))
}

// hessian returns the operator for the squared loss.
func (p *Problem) hessian(kernelMean []float64, energy func() float64) operator {
	return func(ctx context.Context, d *mat.Dense, of []column) error {
		c := len(of)
		s, shift := mat.DenseCopyOf(d), make([]float64, c)
		p.Coefficients(s)
		if kernelMean != nil {
			for j := range shift {
				shift[j] = linalg.Dot(kernelMean, s.RawRowView(j))
			}
		}
		sums, totals, err := p.kernelPass(ctx, "conjugate gradients", energy(), s, c, c, func(b rows.Batch, i int, q, v, totals []float64) {
			w := b.Weight(i)
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

// addRidges sets the rows d' of a matrix to (T⁻ᵀp/n + λd)', where the rows p' of sums are sums over the rows. It overwrites sums.
func (p *Problem) addRidges(d, sums *mat.Dense, of []column) {
	p.Whiten(sums)
	for j, col := range of {
		row := d.RawRowView(j)
		floats.Scale(col.Lambda, row)
		linalg.Axpy(1/float64(p.src.N), sums.RawRowView(j), row)
	}
}
