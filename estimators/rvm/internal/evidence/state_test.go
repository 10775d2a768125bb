package evidence

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"

	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/reference"
	"github.com/kernelearn/kernelearn/internal/distinct"
	"github.com/kernelearn/kernelearn/internal/progress"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/weights"
)

var ctx = context.Background()

// load reads a regression.
func load(t *testing.T, name string) reference.Case { return reference.Load(t, "../..", name) }

func interceptOf(c reference.Case) Intercept {
	return map[string]Intercept{"free": FlatIntercept, "ard": ARDIntercept, "none": NoIntercept}[c.Bias]
}

// problemOf returns the problem of the case, in the units of its targets.
func problemOf(t *testing.T, c reference.Case, budget int64) *regressionProblem {
	d, flat, ard := designOf(c), interceptOf(c) == FlatIntercept, interceptOf(c) == ARDIntercept
	m := d.M
	if ard {
		m++
	}
	b, err := basis.New(ctx, d.Raw, weights.NewCounts(nil, d.N), d.N, m, flat, ard, budget, 2)
	require.NoError(t, err)
	p, _, err := newRegressionProblem(ctx, b, c.Y, flat, 1, 0, 2)
	require.NoError(t, err)
	return p
}

// designOf returns a design with a column for each row.
func designOf(c reference.Case) basis.Design {
	x := golden.Dense(c.X)
	return basis.NewDesign(&distinct.Rows{X: x}, basis.Dictionary{c.Function()}, x, nil)
}

// stateAt returns the model with the given columns. The precisions are for unscaled columns.
func stateAt(t *testing.T, p *regressionProblem, active []int, alpha []float64, beta float64) *state {
	st := newState(p, beta)
	for i, j := range active {
		m, err := p.member(ctx, j)
		require.NoError(t, err)
		st.enter(j, m, alpha[i]/p.b.Norms[j]/p.b.Norms[j])
	}
	require.NoError(t, st.recompute(ctx))
	return st
}

func TestReferenceFixedPoints(t *testing.T) {
	for _, name := range reference.Regressions {
		c := load(t, name)
		for _, budget := range []int64{1 << 30, 0} { // keeps all columns, or none
			p := problemOf(t, c, budget)
			st := stateAt(t, p, c.Fixed.Active, c.Fixed.Alpha, c.Fixed.Beta)
			assert.InEpsilon(t, c.Fixed.Evidence, st.lev, 1e-9, name)
			weights, variances := make([]float64, len(st.mu)), make([]float64, len(st.mu))
			for i, j := range st.active {
				weights[i] = st.mu[i] / p.b.Norms[j]
				variances[i] = st.diag[i] / p.b.Norms[j] / p.b.Norms[j]
			}
			assert.LessOrEqual(t, golden.MaxError(weights, c.Fixed.Weights), 1e-9, name)
			assert.LessOrEqual(t, golden.MaxError(variances, c.Fixed.CovDiag), 1e-9, name)
		}
	}
}

// A solution is in the units of the targets and of the unscaled columns.
func TestUnscale(t *testing.T) {
	const scale = 3
	for _, name := range reference.Regressions {
		c := load(t, name)
		st := stateAt(t, problemOf(t, c, 1<<30), c.Fixed.Active, c.Fixed.Alpha, c.Fixed.Beta)
		k := Regression{Design: designOf(c), Counts: weights.NewCounts(nil, len(c.Y)), Targets: c.Y, Intercept: interceptOf(c)}
		s, err := k.unscale(ctx, st, scale, 0, true, 0)
		require.NoError(t, err)
		assert.True(t, slices.IsSorted(s.Indices))
		assert.InEpsilon(t, scale*scale/c.Fixed.Beta, s.Noise, 1e-12)
		assert.InEpsilon(t, c.Fixed.Evidence-st.dof*math.Log(scale), s.Evidence, 1e-9)
		for i, j := range s.Indices {
			a := slices.Index(c.Fixed.Active, j)
			assert.InEpsilon(t, scale*c.Fixed.Weights[a], s.Coefficients[i], 1e-9)
			assert.InEpsilon(t, c.Fixed.Alpha[a]/scale/scale, s.Alphas[i], 1e-9)
			assert.InEpsilon(t, scale*scale*c.Fixed.CovDiag[a], s.Covariance.At(i, i), 1e-9)
		}
	}
}

// The optimum of the reference is also an optimum here: its gradient is 0.
func TestReferenceOptimaAreStationary(t *testing.T) {
	for _, name := range reference.Regressions {
		c := load(t, name)
		p := problemOf(t, c, 1<<30)
		st := stateAt(t, p, c.Optimum.Relevance, c.Optimum.Alpha, c.Optimum.Beta)
		assert.InDelta(t, c.Optimum.Evidence, st.lev, 1e-6, name)
		weights := make([]float64, len(st.mu))
		for i, j := range st.active {
			weights[i] = st.mu[i] / p.b.Norms[j]
		}
		assert.LessOrEqual(t, golden.MaxError(weights, c.Optimum.Weights), 1e-6, name)
		gradient := func() float64 {
			at, ok := st.evaluate(ctx, st.alpha, st.beta, true)
			require.True(t, ok)
			g, _, err := st.derivatives(ctx, at, true)
			require.NoError(t, err)
			return largest(g)
		}
		// With the digits in the file, the gradient is at most 3e-6. The polish reduces it.
		assert.LessOrEqual(t, gradient(), 1e-5, name)
		require.NoError(t, st.polish(ctx, polishFinal))
		assert.LessOrEqual(t, gradient(), 1e-6, name)
	}
}

// The gradient and the Hessian agree with finite differences of the evidence, at a point that is not an optimum.
func TestDerivatives(t *testing.T) {
	for _, name := range reference.Regressions {
		c := load(t, name)
		st := stateAt(t, problemOf(t, c, 1<<30), c.Fixed.Active, c.Fixed.Alpha, c.Fixed.Beta)
		at := func(u []float64) *point {
			m := len(st.alpha)
			alpha := make([]float64, m)
			for i := range alpha {
				alpha[i] = st.alpha[i] * math.Exp(u[i])
			}
			p, ok := st.evaluate(ctx, alpha, st.beta*math.Exp(u[m]), true)
			require.True(t, ok)
			return p
		}
		size := len(st.alpha) + 1
		zero := make([]float64, size)
		g, h, err := st.derivatives(ctx, at(zero), true)
		require.NoError(t, err)
		const step = 1e-4
		for i := range size {
			up, down := slices.Clone(zero), slices.Clone(zero)
			up[i], down[i] = step, -step
			pu, pd := at(up), at(down)
			assert.InDelta(t, (pu.lev-pd.lev)/(2*step), g[i], 1e-5*max(1, math.Abs(g[i])), "%s: gradient %d", name, i)
			gu, _, err := st.derivatives(ctx, pu, true)
			require.NoError(t, err)
			gd, _, err := st.derivatives(ctx, pd, true)
			require.NoError(t, err)
			for j := range size {
				want := -(gu[j] - gd[j]) / (2 * step)
				assert.InDelta(t, want, h.At(i, j), 1e-5*max(1, math.Abs(want)), "%s: Hessian %d,%d", name, i, j)
			}
		}
		// With fixed noise, the derivatives with respect to the precisions are the same.
		g2, h2, err := st.derivatives(ctx, at(zero), false)
		require.NoError(t, err)
		assert.Equal(t, g[:size-1], g2)
		assert.True(t, mat.Equal(h.SliceSym(0, size-1), h2))
	}
}

// The state after an update agrees with a new computation, and the evidence changes by the promised gain.
func TestUpdatesAreExact(t *testing.T) {
	for _, name := range reference.Regressions {
		c := load(t, name)
		for what, do := range map[string]func(st *state) action{
			"add": func(st *state) action { return action{add, 7, 0.3, contribution(0.3, st.s[7], st.q[7])} },
			"re-estimate": func(st *state) action {
				s, q := st.inside(2)
				return action{reestimate, 2, 5, contribution(5, s, q) - contribution(st.alpha[2], s, q)}
			},
			"delete": func(st *state) action {
				s, q := st.inside(3)
				return action{remove, 3, math.Inf(1), -contribution(st.alpha[3], s, q)}
			},
		} {
			st := stateAt(t, problemOf(t, c, 1<<30), c.Fixed.Active, c.Fixed.Alpha, c.Fixed.Beta)
			a := do(st)
			before := st.lev
			ok, err := st.apply(ctx, a)
			require.NoError(t, err)
			require.True(t, ok)
			mu, diag, s, q := slices.Clone(st.mu), slices.Clone(st.diag), slices.Clone(st.s), slices.Clone(st.q)
			st.refresh()
			assert.InDelta(t, a.gain, st.lev-before, 1e-9, "%s %s", name, what)
			require.NoError(t, st.recompute(ctx))
			assert.LessOrEqual(t, golden.MaxError(mu, st.mu), 1e-9, "%s %s", name, what)
			assert.LessOrEqual(t, golden.MaxError(diag, st.diag), 1e-9, "%s %s", name, what)
			assert.LessOrEqual(t, golden.MaxError(s, st.s), 1e-9, "%s %s", name, what)
			assert.LessOrEqual(t, golden.MaxError(q, st.q), 1e-9, "%s %s", name, what)
			agree(t, st)
		}
	}
}

// optimum returns the precision that maximises contribution.
func TestOptimum(t *testing.T) {
	for _, c := range [][2]float64{{2, 3}, {0.1, 0.5}, {50, 20}} {
		a := optimum(c[0], c[1])
		for _, f := range []float64{0.9, 1.1} {
			assert.Greater(t, contribution(a, c[0], c[1]), contribution(f*a, c[0], c[1]))
		}
	}
	assert.True(t, math.IsInf(optimum(4, 1), 1))
	assert.Equal(t, 0.0, contribution(math.Inf(1), 4, 1))
}

// An action without its promised gain is reverted, and its column is banned.
func TestAnActionIsTakenBack(t *testing.T) {
	c := load(t, reference.Regressions[0])
	st := stateAt(t, problemOf(t, c, 1<<30), c.Fixed.Active, c.Fixed.Alpha, c.Fixed.Beta)
	s, lev := slices.Clone(st.s), st.lev
	ok, err := st.take(ctx, action{add, 7, 1e12, 1e9})
	require.NoError(t, err)
	assert.False(t, ok)
	assert.True(t, st.banned[7])
	assert.InDelta(t, lev, st.lev, 1e-12)
	assert.LessOrEqual(t, golden.MaxError(st.s, s), 1e-9)
	assert.Equal(t, c.Fixed.Active, st.active)
	agree(t, st)
}

// agree fails unless the products in the table and in the gram matrix of a state equal those of its members.
func agree(t *testing.T, st *state) {
	t.Helper()
	require.Equal(t, len(st.active), st.gram.n)
	require.Equal(t, len(st.active), len(st.table.columns))
	require.Equal(t, len(st.active), len(st.table.of))
	for i, m := range st.members {
		k := st.table.of[st.active[i]]
		require.Equal(t, st.active[i], st.table.columns[k])
		require.Equal(t, m.products, st.table.row(k))
		for j, column := range st.active {
			require.InDelta(t, m.products[column], st.gram.row(i)[j], 1e-14) // a product may differ from its mirror image in another block
		}
	}
}

// During and after a climb the products equal those of the members. After it, S, Q and the evidence agree with a new computation.
func TestAClimbLeavesAStateInOrder(t *testing.T) {
	for _, name := range reference.Regressions {
		c := load(t, name)
		for _, start := range []float64{1, 100} {
			st := startEmpty(problemOf(t, c, 1<<30), start)
			told := ctx
			estimators.BeginFit(&told, func(s estimators.Step) {
				if s.Iteration > 0 { // between two iterations the state is inconsistent
					agree(t, st)
				}
			})
			converged, err := st.climb(ctx, noiseHold, progress.NewSteps(told, 0))
			require.NoError(t, err)
			assert.True(t, converged, name)
			agree(t, st)
			s, q, lev := slices.Clone(st.s), slices.Clone(st.q), st.lev
			require.NoError(t, st.recompute(ctx))
			assert.InDelta(t, lev, st.lev, 1e-12*math.Abs(lev), name)
			assert.LessOrEqual(t, golden.MaxError(s, st.s), 1e-12, name)
			assert.LessOrEqual(t, golden.MaxError(q, st.q), 1e-12, name)
		}
	}
}

// The rounding error of squares is within the requested limit. With a limit of 0, squares uses the columns.
func TestSquares(t *testing.T) {
	for _, name := range reference.Regressions {
		c := load(t, name)
		st := stateAt(t, problemOf(t, c, 1<<30), c.Optimum.Relevance, c.Optimum.Alpha, c.Optimum.Beta)
		exact := st.residual(st.mu)
		assert.Equal(t, exact, st.squares(st.mu, 0), name)
		assert.InDelta(t, exact, st.squares(st.mu, fineEnough/st.beta), fineEnough/st.beta, name)
		assert.InDelta(t, exact, st.squares(st.mu, math.Inf(1)), 1e-9*st.tt, name)
	}
}
