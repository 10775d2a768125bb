package solver

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/kernels"
)

// The ridge that is chosen with the first landmarks equals the ridge of a machine with only these landmarks. At that ridge, the
// leave-one-out residuals of the machine with all landmarks agree with those from a reduction of its own normal equations.
func TestRidgeOfFirstLandmarks(t *testing.T) {
	const n, all, few = 300, 60, 20
	rng := rand.New(rand.NewPCG(1, 1))
	x, y, w := mat.NewDense(n, 3, nil), mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y.SetRow(i, []float64{math.Sin(2*row[0]) + .3*rng.NormFloat64(), row[1] * row[2]})
		w[i] = .5 + rng.Float64()
	}
	src := rows.InMemory(x, y, w)
	for _, noIntercept := range []bool{false, true} {
		s := Settings{NoIntercept: noIntercept}.WithDefaults()
		on := func(m int) (*Problem, *normal) {
			b, err := s.NewBasis(ctx, kernels.Matern{Nu: 1.5, Length: 1}, rows.Window(x, 0, m))
			require.NoError(t, err)
			p := NewProblem(s, b, src)
			equations, err := p.normals(ctx)
			require.NoError(t, err)
			return p, equations
		}
		p, equations := on(all)
		first, err := p.first(ctx, few)
		require.NoError(t, err)
		alone, ownEquations := on(few)
		got, want := mat.NewDense(n, few, nil), mat.NewDense(n, few, nil)
		require.NoError(t, first.Features(ctx, got, src.Whole, first.centre))
		require.NoError(t, alone.Features(ctx, want, src.Whole, alone.centre))
		assert.True(t, mat.EqualApprox(want, got, 1e-10))

		var chosen, expected Solution
		require.NoError(t, first.bestRidge(ctx, equations, &chosen, p.named(ctx, "ridges")))
		require.NoError(t, alone.bestRidge(ctx, ownEquations, &expected, alone.named(ctx, "ridges")))
		assert.InEpsilon(t, expected.Ridge, chosen.Ridge, 1e-6)
		assert.Equal(t, 2, p.Passes)

		turned, err := rotate(ctx, mat.NewSymDense(all, append([]float64(nil), equations.g.RawSymmetric().Data...)))
		require.NoError(t, err)
		candidates := newCandidates(turned, equations.r, []float64{chosen.Ridge})
		errors, err := p.errorsOf(ctx, candidates, src, p.named(ctx, "ridges"))
		require.NoError(t, err)
		effective, err := candidates.effective(ctx, candidates.ridges)
		require.NoError(t, err)
		p.Ridge = chosen.Ridge
		solved, err := p.byNormals(ctx)
		require.NoError(t, err)
		assert.InEpsilon(t, errors[0], solved.Objective, 1e-9)
		assert.InEpsilon(t, effective[0], solved.EffectiveDimension, 1e-9)
	}
}
