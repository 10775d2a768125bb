package inspection

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/selection"
)

// If a model is fitted to logarithms, the effect and its band are on the scale of the targets.
func TestEffectOnTargetsThatAreBent(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(120, 2, nil), make([]float64, 120)
	for i := range y {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		x.SetRow(i, []float64{a, b})
		y[i] = 100 * math.Exp(a+.2*rng.NormFloat64())
	}
	r := &selection.Regressor{Target: selection.LogTarget}
	require.NoError(t, r.Fit(ctx, x, y))
	e, err := RegressorEffect(ctx, r, x, 0, &Options{Points: 5})
	require.NoError(t, err)
	for g, at := range e.At {
		assert.InEpsilon(t, 100*math.Exp(at+.02), e.Mean[g], .15)
		assert.True(t, e.Low == nil || e.Low[g] < e.Mean[g] && e.Mean[g] < e.High[g])
	}
}

// A categorical column has a length that is comparable with those of numeric columns and does not depend on the size of its codes.
func TestLengthsOfCategories(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(150, 3, nil), make([]float64, 150)
	for i := range y {
		a, level, noise := rng.NormFloat64(), rng.IntN(5), rng.NormFloat64()
		x.SetRow(i, []float64{a, 1e6 * float64(level), noise})
		y[i] = a + float64(level*level%5) + .1*rng.NormFloat64()
	}
	r := &selection.Regressor{Categories: []int{1}}
	require.NoError(t, r.Fit(ctx, x, y))
	table, err := newTable("Test", r, x, &Options{})
	require.NoError(t, err)
	lengths, err := table.lengths(r)
	require.NoError(t, err)
	assert.Greater(t, lengths[2], 1.4*lengths[0])
	assert.Greater(t, lengths[2], 1.4*lengths[1])
	assert.InDelta(t, 1, lengths[1]/lengths[0], .9)
}
