package solver

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/internal/vecmath"
)

const (
	// leastDecrement determines convergence. A machine has converged if the squared Newton decrement, divided by the sum of the
	// weights, is below leastDecrement times the larger of 1 and the mean loss.
	leastDecrement = 1e-14
	// armijo is the share of the decrease predicted by the slope that a step must achieve. An increase of the loss up to forgiven
	// is attributed to rounding.
	armijo, forgiven = 1e-4, 1e-13
	leastStep        = 1e-6
	// newtonTolerance is the largest tolerance of conjugate gradients in a step.
	newtonTolerance = .1
	// logisticShare converts a ridge for squared errors to one for the logistic loss. Near even odds the loss is (f - 2y)²/8 for
	// targets y = ±1, with the penalty Λ|f|²/2. It is used with groups, which leaveOut does not leave out.
	logisticShare = .25
)

// newton minimises the logistic losses of k machines, Σ w (log(1 + eᶠ) - tf) + ½Λ|u|² with f = z'u + b and t = (1 + y)/2. Each
// machine has its own steps, and all share the passes.
type newton struct {
	*Problem
	ridge float64
	at    *points
	done  []bool
	steps int
	// decrement is the smallest decrement of the last step, divided by the sum of the weights. It is 1 before the first step.
	decrement float64
	// tolerance replaces leastDecrement if it is > 0.
	tolerance float64
}

// points holds coefficients of the machines, and the results of a pass with them.
type points struct {
	u        *mat.Dense // k×M
	b        []float64
	loss     []float64  // with the penalty
	gradient *mat.Dense // gradient of the loss without the penalty with respect to u, k×M
	slope    []float64  // derivative with respect to b: Σ w (p - t)
	mean     *mat.Dense // Σ a k(x, C) over Σ a, with a = w p (1 - p), k×M
	weight   []float64  // Σ a
}

// evaluate does a pass with the given coefficients.
func (p *Problem) evaluate(ctx context.Context, u *mat.Dense, b []float64, ridge float64) (*points, error) {
	k := p.src.K
	beta := mat.DenseCopyOf(u)
	p.Coefficients(beta)
	sums, totals, err := p.kernelPass(ctx, "logistic loss", 0, beta, 2*k, 3*k, func(rows rows.Batch, i int, q, v, totals []float64) {
		w, y := rows.Weight(i), rows.Y.RawRowView(i)
		for j, f := range q {
			f += b[j]
			t := (1 + y[j]) / 2
			v[j], v[k+j] = w*(vecmath.Sigmoid(f)-t), w*curvature(f)
			totals[j] += w * (vecmath.Softplus(f) - t*f)
			totals[k+j] += v[j]
			totals[2*k+j] += v[k+j]
		}
	})
	if err != nil {
		return nil, err
	}
	out := &points{u: u, b: b, loss: totals[:k], slope: totals[k : 2*k], weight: totals[2*k:]}
	out.gradient, out.mean = mat.DenseCopyOf(sums.Slice(0, k, 0, p.M)), mat.DenseCopyOf(sums.Slice(k, 2*k, 0, p.M))
	p.Whiten(out.gradient)
	for j := range k {
		row := u.RawRowView(j)
		out.loss[j] += ridge / 2 * linalg.Dot(row, row)
		if out.weight[j] > 0 {
			floats.Scale(1/out.weight[j], out.mean.RawRowView(j))
		}
	}
	return out, nil
}

// curvature returns p(1-p) at log odds f, without cancellation.
func curvature(f float64) float64 { return vecmath.Sigmoid(f) * vecmath.Sigmoid(-f) }

// byNewton minimises the logistic losses. The argument sample holds the rows of the preconditioners, and from holds a solution for the
// first landmarks, or is nil. If leaving is true and the solver is Direct, it also leaves out each row.
func (p *Problem) byNewton(ctx context.Context, ridge float64, sample *rows.Source, from *points, leaving bool) (*Solution, error) {
	nt := &newton{Problem: p, ridge: ridge}
	if err := nt.begin(ctx, from); err != nil {
		return nil, err
	}
	if err := nt.run(ctx, sample); err != nil {
		return nil, err
	}
	out := &Solution{u: nt.at.u, bias: nt.at.b, Ridge: ridge, Iterations: nt.steps, Converged: !slices.Contains(nt.done, false),
		Objective: vecmath.Sum(nt.at.loss), GCV: math.NaN()}
	if !out.Converged {
		out.Warnings = append(out.Warnings, fmt.Sprintf("Newton's method did not converge in %d steps", nt.steps))
	}
	var err error
	if leaving && p.Direct {
		out.Left, err = nt.leaveOut(ctx)
	}
	return out, err
}

// begin evaluates the first coefficients. They are those of from, which may have fewer landmarks: the features of the first landmarks
// are the first features. If from is nil, they are 0, and the constants are the log odds of the classes.
func (nt *newton) begin(ctx context.Context, from *points) (err error) {
	u, b := mat.NewDense(nt.src.K, nt.M, nil), make([]float64, nt.src.K)
	switch {
	case from != nil:
		u.Copy(from.u)
		copy(b, from.b)
	case !nt.NoIntercept:
		for j, mean := range nt.src.Mean {
			b[j] = math.Log((1 + mean) / (1 - mean)) // the log odds of ±1
		}
	}
	nt.at, err = nt.evaluate(ctx, u, b, nt.ridge)
	return err
}

// run does steps until all machines have converged.
func (nt *newton) run(ctx context.Context, sample *rows.Source) error {
	nt.done, nt.decrement, nt.steps = make([]bool, nt.src.K), 1, 0
	for ; nt.steps < nt.Iterations && slices.Contains(nt.done, false); nt.steps++ {
		if err := nt.step(ctx, sample); err != nil {
			return err
		}
	}
	return nil
}

// step does one step for the machines that have not converged.
func (nt *newton) step(ctx context.Context, sample *rows.Source) error {
	right, active := nt.rightSides()
	var du *mat.Dense
	var err error
	if nt.Direct {
		du, err = nt.solveNormals(ctx, right, active)
	} else {
		du, err = nt.solveGradients(ctx, right, active, sample)
	}
	if err != nil {
		return err
	}
	n := nt.src.Weight
	db, decrements := make([]float64, nt.src.K), make([]float64, nt.src.K)
	nt.decrement = math.Inf(1)
	for row, j := range active {
		d := du.RawRowView(row)
		if !nt.NoIntercept && nt.at.weight[j] > 0 {
			db[j] = -nt.at.slope[j]/nt.at.weight[j] - linalg.Dot(nt.centreOf(j), d)
		}
		// The decrement is the decrease that the slope along the step predicts.
		u := nt.at.u.RawRowView(j)
		decrements[j] = -(linalg.Dot(nt.at.gradient.RawRowView(j), d) + nt.ridge*linalg.Dot(u, d) + nt.at.slope[j]*db[j])
		nt.decrement = min(nt.decrement, max(decrements[j], 0)/n)
		nt.done[j] = decrements[j] < cmp.Or(nt.tolerance, leastDecrement)*max(n, nt.at.loss[j])
	}
	nt.say(nt.decrement, fmt.Sprintf("Newton step %d: squared decrement %.1e", nt.steps+1, nt.decrement))
	return nt.search(ctx, du, db, decrements, active)
}

// centreOf returns the mean of the features of a machine, weighted by a.
func (nt *newton) centreOf(j int) []float64 {
	out := slices.Clone(nt.at.mean.RawRowView(j))
	nt.Whiten(mat.NewDense(1, nt.M, out))
	return out
}

// rightSides returns the right-hand sides for the machines that have not converged: minus the gradients, after the step of b is
// eliminated.
func (nt *newton) rightSides() (right *mat.Dense, active []int) {
	for j, done := range nt.done {
		if !done {
			active = append(active, j)
		}
	}
	right = mat.NewDense(len(active), nt.M, nil)
	for row, j := range active {
		r := right.RawRowView(row)
		linalg.Axpy(-1, nt.at.gradient.RawRowView(j), r)
		linalg.Axpy(-nt.ridge, nt.at.u.RawRowView(j), r)
		if nt.NoIntercept {
			continue
		}
		linalg.Axpy(nt.at.slope[j], nt.centreOf(j), r)
	}
	return right, active
}

// search halves the steps of the machines whose loss does not decrease enough.
func (nt *newton) search(ctx context.Context, du *mat.Dense, db, decrements []float64, active []int) error {
	sizes := make([]float64, nt.src.K)
	for _, j := range active {
		sizes[j] = 1
	}
	for {
		u, b := mat.DenseCopyOf(nt.at.u), slices.Clone(nt.at.b)
		for row, j := range active {
			linalg.Axpy(sizes[j], du.RawRowView(row), u.RawRowView(j))
			b[j] += sizes[j] * db[j]
		}
		next, err := nt.evaluate(ctx, u, b, nt.ridge)
		if err != nil {
			return err
		}
		again := false
		for _, j := range active {
			enough := nt.at.loss[j] - armijo*sizes[j]*decrements[j] + forgiven*math.Abs(nt.at.loss[j])
			if next.loss[j] <= enough || sizes[j] == 0 {
				continue
			}
			if sizes[j] /= 2; sizes[j] < leastStep { // any further decrease is below rounding
				sizes[j], nt.done[j] = 0, true
			}
			again = true
		}
		if !again {
			nt.at = next
			return nil
		}
	}
}

// solveNormals computes and solves the normal equations of each machine.
func (nt *newton) solveNormals(ctx context.Context, right *mat.Dense, active []int) (*mat.Dense, error) {
	factors, err := nt.normalFactors(ctx, active)
	if err != nil {
		return nil, err
	}
	out := mat.DenseCopyOf(right)
	for at, factor := range factors {
		if err := solveRows(ctx, factor, rows.Window(out, at, at+1)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// normalFactors returns the factor of Z~'AZ~ + ΛI for each of the given machines, computed in one pass.
func (nt *newton) normalFactors(ctx context.Context, active []int) ([]*linalg.Cholesky, error) {
	p := nt.Problem
	beta := mat.DenseCopyOf(nt.at.u)
	p.Coefficients(beta)
	height := min(panelBlocks*rows.WideRows, p.src.N)
	panel, scaled, roots := mat.NewDense(height, p.M, nil), mat.NewDense(height, p.M, nil), mat.NewDense(height, len(active), nil)
	grams := make([]*mat.SymDense, len(active))
	for i := range grams {
		grams[i] = mat.NewSymDense(p.M, nil)
	}
	work := func(slot int, b rows.Batch) error {
		first := slot * rows.WideRows
		z := rows.Window(panel, first, first+b.Rows())
		if err := p.KernelRows(ctx, z, b); err != nil {
			return err
		}
		for i := range b.Rows() {
			for at, j := range active {
				f := nt.at.b[j] + linalg.Dot(z.RawRowView(i), beta.RawRowView(j))
				roots.Set(first+i, at, math.Sqrt(b.Weight(i)*curvature(f)))
			}
		}
		p.Whiten(z)
		return nil
	}
	err := p.pass(ctx, "Newton's equations", nt.decrement, rows.WideRows, panelBlocks, work, func(b rows.Batch) error {
		for at := range active {
			own := rows.Window(scaled, 0, b.Rows())
			for i := range b.Rows() {
				floats.ScaleTo(own.RawRowView(i), roots.At(i, at), panel.RawRowView(i))
			}
			if err := addProduct(ctx, p.Workers, grams[at], own); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]*linalg.Cholesky, len(active))
	for at, j := range active {
		if !p.NoIntercept {
			grams[at].SymRankOne(grams[at], -nt.at.weight[j], mat.NewVecDense(p.M, nt.centreOf(j)))
		}
		if out[at], err = shifted(p.nextContext(ctx), "Newton's equations", grams[at], nt.ridge); err != nil {
			return nil, err
		}
		grams[at] = nil // the factors replace the matrices, so that the memory is that of Bytes
	}
	return out, nil
}
