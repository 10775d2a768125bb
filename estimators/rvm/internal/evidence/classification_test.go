package evidence

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/kernelearn/kernelearn/estimators/rvm/internal/basis"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/reference"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/internal/weights"
)

// binaryAt returns the model with the given columns. The precisions are for unscaled columns.
func binaryAt(t *testing.T, c reference.Case, budget int64, active []int, alpha []float64) *Classification {
	return weightedBinaryAt(t, c, nil, budget, active, alpha)
}

func weightedBinaryAt(t *testing.T, c reference.Case, rows []float64, budget int64, active []int, alpha []float64) *Classification {
	d := designOf(c)
	b, err := basis.New(ctx, d.Raw, weights.NewCounts(rows, d.N), d.N, d.M+1, false, true, budget, 2)
	require.NoError(t, err)
	p := &Classification{b: b, t: c.Y, workers: 2, banned: map[int]bool{}}
	for i, j := range active {
		require.NoError(t, p.include(ctx, j, alpha[i]/b.Norms[j]/b.Norms[j]))
	}
	require.NoError(t, p.mode(ctx))
	return p
}

func TestClassReferenceFixedPoint(t *testing.T) {
	c := load(t, reference.Classes)
	for _, budget := range []int64{1 << 30, 0} {
		p := binaryAt(t, c, budget, c.Fixed.Active, c.Fixed.Alpha)
		assert.InEpsilon(t, c.Fixed.Evidence, p.Evidence, 1e-9)
		weights, variances := make([]float64, len(p.w)), make([]float64, len(p.w))
		for i, j := range p.active {
			weights[i] = p.w[i] / p.b.Norms[j]
			variances[i] = p.sigma.At(i, i) / p.b.Norms[j] / p.b.Norms[j]
		}
		assert.LessOrEqual(t, golden.MaxError(weights, c.Fixed.Weights), 1e-9)
		assert.LessOrEqual(t, golden.MaxError(variances, c.Fixed.CovDiag), 1e-9)
		assert.LessOrEqual(t, golden.MaxError(p.gradient(), c.Fixed.Gradient), 1e-8)

		// The scan agrees with the statistics of single columns.
		s, q, err := p.scan(ctx)
		require.NoError(t, err)
		for _, j := range []int{3, 44, 100} {
			column, err := p.b.Column(ctx, j)
			require.NoError(t, err)
			sj, qj := p.statistics(column)
			assert.InDelta(t, sj, s[j], 1e-12)
			assert.InDelta(t, qj, q[j], 1e-12)
		}
	}
}

func TestClassGradient(t *testing.T) {
	c := load(t, reference.Classes)
	weights := make([]float64, len(c.Y))
	for i := range weights {
		weights[i] = 0.3 + float64(i%7)/2
	}
	for _, w := range [][]float64{nil, weights} {
		at := func(alpha []float64) *Classification { return weightedBinaryAt(t, c, w, 1<<30, c.Fixed.Active, alpha) }
		g := at(c.Fixed.Alpha).gradient()
		const step = 1e-4
		for i := range g {
			lev := map[float64]float64{}
			for _, u := range []float64{-step, step} {
				alpha := append([]float64(nil), c.Fixed.Alpha...)
				alpha[i] *= math.Exp(u)
				lev[u] = at(alpha).Evidence
			}
			assert.InDelta(t, (lev[step]-lev[-step])/(2*step), g[i], 1e-6)
		}
	}
}

func TestClassReferenceOptimum(t *testing.T) {
	c := load(t, reference.Classes)
	p := binaryAt(t, c, 1<<30, c.Optimum.Relevance, c.Optimum.Alpha)
	weights := make([]float64, len(p.w))
	for i, j := range p.active {
		weights[i] = p.w[i] / p.b.Norms[j]
		if j < 100 {
			gamma := 1 - p.alpha[i]*p.sigma.At(i, i)
			assert.InDelta(t, 1, p.alpha[i]*p.w[i]*p.w[i]/gamma, 1e-6)
		}
	}
	assert.LessOrEqual(t, golden.MaxError(weights, c.Optimum.Weights), 1e-6)
}

// Steps along the true gradient lead to slightly higher evidence, where the gradient vanishes.
func TestRefine(t *testing.T) {
	c := load(t, reference.Classes)
	p := binaryAt(t, c, 1<<30, append([]int{100}, c.Optimum.Relevance[:3]...), append([]float64{c.Optimum.Alpha[3]}, c.Optimum.Alpha[:3]...))
	assert.Greater(t, largest(p.gradient()[1:]), 0.05)
	require.NoError(t, p.refine(ctx))
	assert.LessOrEqual(t, largest(p.gradient()[1:]), 1e-6)
}
