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
	"github.com/kernelearn/kernelearn/internal/progress"
)

// These are the bounds of the ridges for leave-one-out, relative to the mean of k(c, c) times Σw.
const (
	leastRidge, largestRidge = 1e-10, 1e1
	ridgesPerDecade          = 2
	// leastRest is the smallest 1 - h that is not considered rounding.
	leastRest = 1e-9
)

// ridgeGrid returns ridges from least to largest, with perDecade ridges in each decade.
func ridgeGrid(least, largest float64, perDecade float64) []float64 {
	n := int(math.Round(perDecade*math.Log10(largest/least))) + 1
	out := make([]float64, max(n, 1))
	for i := range out {
		out[i] = least * math.Pow(10, float64(i)/perDecade)
	}
	return out
}

// rotated holds a matrix A = QTQ' with T tridiagonal. Systems for all ridges are solved in the coordinates of Q. Eigenvectors would
// be equivalent but take longer.
type rotated struct {
	tri *linalg.Tridiagonal
	q   *mat.Dense // M×M
}

// rotate reduces a matrix to tridiagonal form, and overwrites it. It returns the error of ctx.
func rotate(ctx context.Context, a *mat.SymDense) (*rotated, error) {
	tri, q, err := linalg.TridiagonalizeWithQ(ctx, a, nil)
	return &rotated{tri: tri, q: q}, err
}

// turn returns the columns Q'b for the rows b' of a matrix.
func (r *rotated) turn(b *mat.Dense) *mat.Dense {
	k, m := b.Dims()
	out := mat.NewDense(m, k, nil)
	fast.Gemm(blas.Trans, blas.Trans, 1, r.q.RawMatrix(), b.RawMatrix(), 0, out.RawMatrix())
	return out
}

// candidates holds models for several ridges, in the coordinates of one rotation.
type candidates struct {
	*rotated
	ridges       []float64        // in the units of A
	shifts       []linalg.Shifted // of A + ridge
	bad          []bool           // A + ridge is indefinite
	coefficients *mat.Dense       // Q'u for the targets of each ridge, M×(ridges·k)
	scale        float64          // factor of z'(A + ridge)⁻¹z in the leverage of a row with weight 1
	factors      []float64        // outsideFactor for each ridge, if the rows are not among the rows of A; nil otherwise
}

// outsideFactor returns the factor that corrects the leverage of a row outside a sample. A ridge λ on the sample corresponds to a
// ridge λ/(1 - d/sample) on all rows, where d is the effective dimension. The value z'(B + λ)⁻¹z is too large by the inverse of
// that factor (random matrices; El Karoui and Kösters 2011). If d is a tenth of the sample, it is too large by a tenth.
func outsideFactor(effective float64, sample int) float64 {
	return max(0, 1-effective/float64(sample))
}

// effective returns the effective dimension for each ridge, which is the trace of A(A + ridge)⁻¹.
func (c *candidates) effective(ctx context.Context, ridges []float64) ([]float64, error) {
	values, err := c.tri.Values(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(ridges))
	for _, v := range values {
		for i, ridge := range ridges {
			out[i] += max(v, 0) / (max(v, 0) + ridge)
		}
	}
	return out, nil
}

// newCandidates solves (A + ridge)u = right for each ridge, where right is k×M.
func newCandidates(r *rotated, right *mat.Dense, ridges []float64) *candidates {
	k, m := right.Dims()
	turned := r.turn(right)
	c := &candidates{rotated: r, ridges: ridges, scale: 1, shifts: make([]linalg.Shifted, len(ridges)), bad: make([]bool, len(ridges)),
		coefficients: mat.NewDense(m, len(ridges)*k, nil)}
	for i, ridge := range ridges {
		var ok bool
		if c.shifts[i], ok = r.tri.Shift(ridge); !ok {
			c.bad[i] = true
			continue
		}
		own := c.coefficients.Slice(0, m, i*k, (i+1)*k).(*mat.Dense)
		own.Copy(turned)
		c.shifts[i].Solve(own)
	}
	return c
}

// passing is a pass over some rows: Problem.pass or Source.Pass.
type passing func(work func(slot int, b rows.Batch) error, done func(b rows.Batch) error) error

// passing returns a pass over the rows of src that is not reported to Observe as a step.
func (p *Problem) passing(ctx context.Context, src *rows.Source) passing {
	return func(work func(int, rows.Batch) error, done func(rows.Batch) error) error {
		loop := progress.NewLoop(p.nextContext(ctx))
		defer loop.End()
		return src.Pass(ctx, p.Workers, rows.WideRows, panelBlocks, counted(loop, src.N, work), func(b rows.Batch) error {
			if err := done(b); err != nil {
				return err
			}
			loop.Report(float64(b.First+b.Rows()) / float64(src.N))
			return nil
		})
	}
}

// named returns a pass over all rows that is reported with a name.
func (p *Problem) named(ctx context.Context, name string) passing {
	return func(work func(int, rows.Batch) error, done func(rows.Batch) error) error {
		return p.pass(ctx, name, 0, rows.WideRows, panelBlocks, work, done)
	}
}

// errorsOf returns the mean weighted squared leave-one-out residual of each candidate, summed over the targets. The mean is over
// the rows of src, in the given pass. It is infinite if the system is indefinite, or if a row determines its own prediction.
func (p *Problem) errorsOf(ctx context.Context, c *candidates, src *rows.Source, pass passing) ([]float64, error) {
	count := len(c.shifts)
	sums, total := make([][]float64, panelBlocks), make([]float64, count)
	work := func(slot int, b rows.Batch) error {
		return p.block(b.Rows(), func(z *mat.Dense) error {
			if err := p.Features(ctx, z, b, p.centre); err != nil {
				return err
			}
			return p.block(b.Rows(), func(memory *mat.Dense) error {
				sums[slot] = p.blockErrors(c, src, b, z, mat.NewDense(p.M, b.Rows(), memory.RawMatrix().Data))
				return ctx.Err()
			})
		})
	}
	done := func(b rows.Batch) error {
		for _, s := range sums[:rows.BlockCount(b.Rows(), rows.WideRows)] {
			floats.Add(total, s)
		}
		return nil
	}
	if err := pass(work, done); err != nil {
		return nil, err
	}
	together, err := p.groupErrors(ctx, c, src)
	if err != nil {
		return nil, err
	}
	floats.Add(total, together)
	for i := range total {
		if total[i] /= src.Weight; c.bad[i] || total[i] != total[i] {
			total[i] = math.Inf(1)
		}
	}
	return total, nil
}

// blockErrors returns, for each candidate, the sum of the weighted squared leave-one-out residuals of a block with features z. The
// argument turned is memory for Q'z in columns.
func (p *Problem) blockErrors(c *candidates, src *rows.Source, b rows.Batch, z, turned *mat.Dense) []float64 {
	k := p.src.K
	fast.Gemm(blas.Trans, blas.Trans, 1, c.q.RawMatrix(), z.RawMatrix(), 0, turned.RawMatrix())
	fitted := mat.NewDense(b.Rows(), len(c.shifts)*k, nil)
	fast.Gemm(blas.Trans, blas.NoTrans, 1, turned.RawMatrix(), c.coefficients.RawMatrix(), 0, fitted.RawMatrix())
	out, quad := make([]float64, len(c.shifts)), make([]float64, b.Rows())
	outside := c.factors != nil
	for i, s := range c.shifts {
		if c.bad[i] {
			continue
		}
		// There is one worker, and the caller checks the context.
		_ = s.QuadColumns(context.Background(), 1, quad, turned)
		for row, q := range quad {
			if src.Grouped(b.First + row) {
				continue
			}
			w := b.Weight(row)
			if outside {
				q *= c.factors[i]
			}
			rest := p.rest(w, c.scale*q, outside)
			if !(rest > leastRest) {
				out[i] = math.Inf(1)
				break
			}
			for j, y := range b.Y.RawRowView(row) {
				e := (y - p.offset[j] - fitted.At(row, i*k+j)) / rest
				out[i] += w * e * e
			}
		}
	}
	return out
}

// leverage returns h for a row with weight w, where quad is z'(G+Λ)⁻¹z.
func (p *Problem) leverage(w, quad float64) float64 {
	if p.NoIntercept {
		return w * quad
	}
	return w * (quad + 1/p.src.Weight)
}

// rest returns 1 - h, the factor by which a row's own target reduces its residual. If outside is true, the row is not among the
// rows of G, and the factor is 1/(1 + l), where l is h computed from quad.
func (p *Problem) rest(w, quad float64, outside bool) float64 {
	h := p.leverage(w, quad)
	if outside {
		return 1 / (1 + h)
	}
	return 1 - h
}

// chosen returns the ridge with the smallest error, interpolated on the grid with a parabola in logarithms. The result edge is -1
// for the smallest ridge and 1 for the largest. If no error is finite, ok is false.
func chosen(ridges, errors []float64) (ridge float64, edge int, ok bool) {
	best := floats.MinIdx(errors)
	switch least := errors[best]; {
	case math.IsInf(least, 1):
		return 0, 0, false
	case least == 0: // for example for a constant target; the largest ridge is chosen
		return ridges[len(ridges)-1], 0, true
	case best == 0 && len(ridges) > 1:
		return ridges[0], -1, true
	case best == len(ridges)-1:
		return ridges[best], 1, true
	}
	// Ratios of errors do not depend on the units of the targets.
	low, high := math.Log(errors[best-1]/errors[best]), math.Log(errors[best+1]/errors[best])
	shift := 0.0
	if second := low + high; second > 0 && !math.IsInf(second, 1) {
		shift = (low - high) / (2 * second)
	}
	step := math.Log(ridges[best+1] / ridges[best])
	return ridges[best] * math.Exp(shift*step), 0, true
}

// LeftOut holds leave-one-out results for rows that are at regular distances in the source.
type LeftOut struct {
	Residuals *mat.Dense // r×k; nil for none
	Targets   *mat.Dense // r×k
	rest      []float64  // 1 - h
	unseen    []float64  // part of k(x, x) that the features do not explain, relative to the mean of k(c, c)
	Weights   []float64  // nil: all 1

	Objective float64 // the weighted mean squared residual over all rows, summed over the targets
	rss       float64 // Σ w e², summed over the targets
	trace     float64 // Σ h
}

// keptRows is the largest number of rows in a LeftOut.
const keptRows = 50000

// leaveOut computes the LeftOut from coefficients u (k×M) and the factor of G + ΛI, in one pass over a source. If the source does
// not contain the rows of G, outside is the outsideFactor. Otherwise outside is 0.
func (p *Problem) leaveOut(ctx context.Context, u *mat.Dense, chol *linalg.Cholesky, src *rows.Source, outside float64,
	pass passing) (*LeftOut, error) {
	kept := newKept(src, p.keep)
	out := &LeftOut{}
	type sums struct{ objective, rss, trace float64 }
	slots := make([]sums, panelBlocks)
	factor := chol.Upper()
	work := func(slot int, b rows.Batch) error {
		return p.block(b.Rows(), func(z *mat.Dense) error {
			if err := p.Features(ctx, z, b, nil); err != nil {
				return err
			}
			unseen, s := make([]float64, b.Rows()), sums{}
			p.Unseen(unseen, b, z)
			p.less(z)
			fitted := mat.NewDense(b.Rows(), p.src.K, nil)
			fast.Gemm(blas.NoTrans, blas.Trans, 1, z.RawMatrix(), u.RawMatrix(), 0, fitted.RawMatrix())
			fast.Trsm(blas.Right, blas.NoTrans, 1, factor, z.RawMatrix())
			for i := range b.Rows() {
				if src.Grouped(b.First + i) {
					continue
				}
				w, row := b.Weight(i), fitted.RawRowView(i)
				quad := linalg.Dot(z.RawRowView(i), z.RawRowView(i))
				if outside > 0 {
					quad *= outside
				}
				rest := p.rest(w, quad, outside > 0)
				s.trace += 1 - rest
				for j, y := range b.Y.RawRowView(i) {
					e := y - p.offset[j] - row[j]
					s.rss += w * e * e
					if row[j] = 0; rest > 0 {
						row[j] = e / rest
					}
					s.objective += w * row[j] * row[j]
				}
				kept.put(b, i, row, rest, unseen[i])
			}
			slots[slot] = s
			return nil
		})
	}
	err := pass(work, func(b rows.Batch) error {
		for _, s := range slots[:rows.BlockCount(b.Rows(), rows.WideRows)] {
			out.Objective += s.objective / src.Weight
			out.rss += s.rss
			out.trace += s.trace
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if err := p.leaveGroupsOut(ctx, u, chol, src, outside, kept, out); err != nil {
		return nil, err
	}
	kept.copyTo(out)
	return out, nil
}

// less subtracts the centre from the rows of z.
func (p *Problem) less(z *mat.Dense) {
	if p.centre == nil {
		return
	}
	r, _ := z.Dims()
	for i := range r {
		floats.Sub(z.RawRowView(i), p.centre)
	}
}
