package gabasr

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr/internal/features"
)

// Means do not depend on the number of kept factors. Variances agree with the definition, in which each sweep uses the φ'A⁻¹φ of
// its holder. If all sweeps keep factors, each uses its own.
func TestCovariances(t *testing.T) {
	x, y, _ := problem(60, 3)
	at := mat.NewDense(3, 2, []float64{0, 0, 1, -1, 3, 3})
	fit := func(covariances int) (*Regressor, []float64, []float64) {
		r := &Regressor{Pairs: 6, Sweeps: 9, BurnIn: 2, Chains: 2, Covariances: covariances, Trend: 1}
		require.NoError(t, r.Fit(ctx, x, y))
		mean, variance, err := r.PredictVariance(at)
		require.NoError(t, err)
		return r, mean, variance
	}
	all, mean, variance := fit(100)
	draws := all.m.machines[0].Draws
	require.Len(t, draws, 14)
	part := all.m.Apply(at)
	means, spreads := features.Predict(all.m.machines[0].Draws, part, all.m.trend.Columns(part), features.Stationary, true, 1)
	// The function of computes the variances from their definition, where by(k) is the sweep whose φ'A⁻¹φ is used for sweep k.
	of := func(by func(k int) int) []float64 {
		out := make([]float64, 3)
		for i := range out {
			centre := (mean[i] - all.m.mean) / all.m.scale
			for k, d := range draws {
				between := means[k][i] - centre
				out[i] += (d.Rate/(d.Shape-1)*(1+spreads[by(k)][i]) + between*between) / 14 * all.m.scale * all.m.scale
			}
		}
		return out
	}
	assert.InEpsilonSlice(t, of(func(k int) int { return k }), variance, 1e-12)
	two, sameMean, twoVariance := fit(2)
	assert.Equal(t, mean, sameMean)
	// In a chain of seven sweeps, the second holds the factor of the first four, and the sixth holds the factor of the others.
	middle := []int{1, 1, 1, 1, 5, 5, 5, 8, 8, 8, 8, 12, 12, 12}
	assert.InEpsilonSlice(t, of(func(k int) int { return middle[k] }), twoVariance, 1e-12)
	for k, d := range two.m.machines[0].Draws {
		assert.Equal(t, k == middle[k], len(d.Factor) > 0)
	}
	large, err := all.MarshalBinary()
	require.NoError(t, err)
	small, err := two.MarshalBinary()
	require.NoError(t, err)
	assert.InDelta(t, 10*15*16/2*8, len(large)-len(small), 200, "ten factors of order 15")
	chosen, _, chosenVariance := fit(0)
	assert.Equal(t, twoVariance, chosenVariance)
	assert.Zero(t, chosen.Covariances, "the setting stays as it is")
}

// Probabilities computed row by row use the same factors as those computed in blocks.
func TestCovariancesOfProbabilities(t *testing.T) {
	x, _, labels := problem(60, 3)
	y := make([]int, 60)
	for i, l := range labels {
		y[i] = int(l)
	}
	c := &Classifier{Pairs: 6, Sweeps: 9, BurnIn: 2, Chains: 2, Covariances: 3, Likelihood: PolyaGamma}
	require.NoError(t, c.Fit(ctx, x, y))
	blocks, err := c.Decision(x)
	require.NoError(t, err)
	for i := range y {
		row, err := c.Decision(mat.NewDense(1, 2, x.RawRowView(i)))
		require.NoError(t, err)
		assert.InDelta(t, blocks.At(i, 1), row.At(0, 1), 1e-9)
	}
	held := 0
	for _, d := range c.m.machines[0].Draws {
		if d.Holder == 0 {
			assert.NotEmpty(t, d.Factor)
			held++
		}
	}
	assert.Equal(t, 6, held)
	normal := &Classifier{Pairs: 6, Sweeps: 9, Chains: 1, Covariances: 3}
	require.NoError(t, normal.Fit(ctx, x, y))
	for _, d := range normal.m.machines[0].Draws {
		assert.Empty(t, d.Factor, "which scores do not need")
	}
}
