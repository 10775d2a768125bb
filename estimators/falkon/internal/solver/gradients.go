package solver

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

// Solution holds the result of a solver.
type Solution struct {
	u                  *mat.Dense // k×M
	bias               []float64  // set for the logistic loss; nil if the means determine it
	Ridge              float64
	factor             *linalg.Cholesky // of G + ΛI, or of its approximation
	Left               *LeftOut
	Iterations         int
	Converged          bool
	Objective          float64
	Energy             float64 // estimated error of conjugate gradients after the last iteration
	GCV                float64 // NaN if not computed
	EffectiveDimension float64 // effective dimension, without the intercept
	Warnings           []string
}

const (
	// earlyEnergy is the error at which the ridges are compared. A more accurate solution would change the score of a ridge by only
	// one part in ten thousand.
	earlyEnergy = 1e-2
	// mostRidges is the largest number of ridges that are solved at a time, since this number is multiplied at once. With several
	// targets there are at most mostColumns columns, but at least leastRidges ridges.
	mostRidges, leastRidges, mostColumns = 8, 4, 40
)

// byGradients solves the problem with conjugate gradients. The argument sample holds the rows of the preconditioner, and outside
// holds other rows.
func (p *Problem) byGradients(ctx context.Context, sample, outside *rows.Source, fingerprint uint64) (*Solution, error) {
	c, kernelMean, err := p.resumed(fingerprint)
	if err != nil {
		return nil, err
	}
	// The preconditioner uses the centre of its own rows, which is known before any pass over all rows.
	sum := make([]float64, p.M)
	b, err := p.products(ctx, sample, nil, sum, p.passing(ctx, sample))
	if err != nil {
		return nil, err
	}
	p.centreBy(b, sample, sum)
	scaleSym(b.g, 1/float64(sample.N))
	b.r.Scale(1/float64(sample.N), b.r)
	by, lambdas, err := p.preconditioner(ctx, b, sample, c != nil)
	if err != nil {
		return nil, err
	}
	if c == nil {
		if c, kernelMean, err = p.start(ctx, b.r, by, lambdas, sample.N); err != nil {
			return nil, err
		}
	}
	p.setCentre(kernelMean)
	out := &Solution{GCV: math.NaN()}
	choose := func() error { return p.choose(ctx, c, by.(anyRidge), sample.N, outside) } // there is nothing to choose if the ridge is set
	if err := p.iterate(ctx, c, by, kernelMean, choose, fingerprint); err != nil {
		return nil, err
	}
	out.Iterations, out.Converged = c.iteration, len(c.active()) == 0
	if !out.Converged {
		out.Warnings = append(out.Warnings,
			fmt.Sprintf("conjugate gradients did not converge in %d iterations: the error is %.1g, the tolerance %.1g", c.iteration,
				c.energy(), p.Tolerance))
	}
	return out, p.finish(ctx, c, b.g, sample.N, outside, out)
}

// start returns conjugate gradients that start at the solutions for the sample, whose right-hand sides are sampled (k×M). The pass
// that computes the right-hand sides for all rows also computes the residuals.
func (p *Problem) start(ctx context.Context, sampled *mat.Dense, by preconditioner, lambdas []float64, sample int) (*conjugate, []float64,
	error) {
	few := newConjugate(sampled, lambdas, sample)
	by.solve(few.r, few.columns)
	kernelMean, right, hu, err := p.firstPass(ctx, few.r)
	if err != nil {
		return nil, nil, err
	}
	c := newConjugate(right, lambdas, sample)
	for i, col := range c.columns {
		linalg.Axpy(col.Lambda, few.r.RawRowView(i), hu.RawRowView(i))
	}
	c.startAt(few.r, hu)
	c.begin(by)
	return c, kernelMean, nil
}

// resumed returns the progress in Resume, or nil if Resume is nil.
func (p *Problem) resumed(fingerprint uint64) (*conjugate, []float64, error) {
	if p.Resume == nil {
		return nil, nil, nil
	}
	s, fits := p.Resume, false
	if s.conjugate != nil && s.fingerprint == fingerprint && s.conjugate.u.RawMatrix().Cols == p.M {
		columns, k := len(s.conjugate.columns), p.src.K
		fits = columns == k || p.Ridge == 0 && columns%k == 0
	}
	if !fits {
		return nil, nil, fault.Param(p.Type, "Resume", fmt.Sprintf("a State after %d iterations", s.Iteration),
			"one of a Fit of the same configuration and rows")
	}
	return s.conjugate.clone(), append([]float64(nil), s.kernelMean...), nil
}

// preconditioner returns the preconditioner, which it computes from the products of the sample, divided by its number of rows. It
// also returns the ridges divided by n.
func (p *Problem) preconditioner(ctx context.Context, b *normal, sample *rows.Source, resumed bool) (preconditioner, []float64, error) {
	if p.Ridge > 0 {
		lambda := p.Ridge / float64(p.src.N)
		chol, err := shifted(p.nextContext(ctx), "the preconditioner", b.g, lambda)
		return oneRidge{chol}, []float64{lambda}, err
	}
	g := mat.NewSymDense(p.M, nil)
	g.CopySym(b.g)
	turned, err := rotate(p.nextContext(ctx), g)
	by := anyRidge{turned}
	if err != nil || resumed {
		return by, nil, err
	}
	lambdas, err := p.bracket(ctx, by, b.r, sample)
	return by, lambdas, err
}

// bracketRows is the smallest number of sample rows whose leave-one-out error brackets the ridge. One row for each landmark is
// sufficient, because the bracket is wider than the error of such a small sample.
const bracketRows = 1000

// bracket returns the ridges, divided by n, that are worth comparing. On the sample alone, with the centre of all rows, the
// leave-one-out error of any ridge is cheap. The best ridge λ of the sample is too large for more rows: a constant ridge Λ would be
// λs/n.
func (p *Problem) bracket(ctx context.Context, by anyRidge, right *mat.Dense, sample *rows.Source) ([]float64, error) {
	grid := ridgeGrid(leastRidge*p.Scale()*p.src.Weight/float64(p.src.N), largestRidge*p.Scale()*p.src.Weight/float64(p.src.N),
		ridgesPerDecade)
	c := newCandidates(by.rotated, right, grid)
	c.scale = 1 / float64(sample.N)
	few := sample.Head(max(bracketRows, p.M))
	errors, err := p.errorsOf(ctx, c, few, p.passing(ctx, few))
	if err != nil {
		return nil, err
	}
	best, _, ok := chosen(grid, errors)
	if !ok {
		best = grid[len(grid)/2]
	}
	more := float64(p.src.N) / float64(sample.N)
	count := max(leastRidges, min(mostRidges, mostColumns/p.src.K))
	least, largest := best/more/3, best*3/math.Pow(more, .25)
	return ridgeGrid(least, largest, float64(count-1)/math.Log10(largest/least)), nil
}

// iterate iterates until all columns have converged. It calls choose as soon as the solutions for several ridges can be compared.
func (p *Problem) iterate(ctx context.Context, c *conjugate, by preconditioner, kernelMean []float64, choose func() error,
	fingerprint uint64) error {
	h := p.hessian(kernelMean, c.energy)
	for {
		last := len(c.active()) == 0 || c.iteration >= p.Iterations
		if len(c.columns) > p.src.K && (last || c.energy() < earlyEnergy) {
			if err := choose(); err != nil {
				return err
			}
			continue
		}
		if last {
			return nil
		}
		if err := c.step(ctx, h, by, p.Tolerance); err != nil {
			return err
		}
		p.say(c.energy(), fmt.Sprintf("conjugate gradients, iteration %d: relative error %.1e in the energy norm", c.iteration, c.energy()))
		if p.Checkpoint != nil {
			p.Checkpoint(stateOf(c, kernelMean, fingerprint))
		}
	}
}

// choose keeps only the columns of the ridge with the smallest error on rows outside the sample.
func (p *Problem) choose(ctx context.Context, c *conjugate, by anyRidge, sample int, outside *rows.Source) error {
	k := p.src.K
	var lambdas []float64
	for i := 0; i < len(c.columns); i += k {
		lambdas = append(lambdas, c.columns[i].Lambda)
	}
	scored := newCandidates(by.rotated, mat.NewDense(k, p.M, nil), lambdas)
	scored.coefficients = by.turn(c.u)
	scored.scale = 1 / float64(p.src.N)
	dimensions, err := scored.effective(ctx, lambdas)
	if err != nil {
		return err
	}
	for _, d := range dimensions {
		scored.factors = append(scored.factors, outsideFactor(d, sample))
	}
	errors, err := p.errorsOf(ctx, scored, outside, p.passing(ctx, outside))
	if err != nil {
		return err
	}
	c.keep(lambdas[floats.MinIdx(errors)])
	return nil
}

// finish computes all parts of the model except the coefficients.
func (p *Problem) finish(ctx context.Context, c *conjugate, b *mat.SymDense, sample int, outside *rows.Source, out *Solution) (err error) {
	n := float64(p.src.N)
	out.u = c.u
	if out.Ridge = p.Ridge; out.Ridge == 0 {
		out.Ridge = c.columns[0].Lambda * n
	}
	scaleSym(b, n)
	if out.factor, err = shifted(p.nextContext(ctx), "the normal equations", b, out.Ridge); err != nil {
		return err
	}
	inverse, err := out.factor.DiagInverse(p.nextContext(ctx))
	if err != nil {
		return err
	}
	out.EffectiveDimension = float64(p.M) - out.Ridge*vecmath.Sum(inverse)
	factor := max(outsideFactor(out.EffectiveDimension, sample), leastRest)
	if out.Left, err = p.leaveOut(ctx, out.u, out.factor, outside, factor, p.passing(ctx, outside)); err != nil {
		return err
	}
	out.Objective, out.Energy = out.Left.Objective, c.energy()
	return nil
}

func scaleSym(a *mat.SymDense, by float64) { floats.Scale(by, a.RawSymmetric().Data) }
