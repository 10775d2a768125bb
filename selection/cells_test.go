package selection

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/selection/metrics"
)

// cells returns rows of categories. Each combination of levels has its own label and mean, which cannot be inferred from other
// combinations.
func cells(n, levels int) (x *mat.Dense, labels []int, mean []float64) {
	rng := rand.New(rand.NewPCG(1, 5))
	label, effect := make([]int, levels), make([]float64, levels)
	for k := range label {
		label[k], effect[k] = rng.IntN(2), rng.NormFloat64()
	}
	x, labels, mean = mat.NewDense(n, 1, nil), make([]int, n), make([]float64, n)
	for i := range n {
		k := rng.IntN(levels)
		x.Set(i, 0, float64(k))
		labels[i], mean[i] = label[k], effect[k]
	}
	return x, labels, mean
}

// Rows that consist of a few categories are equal because there are no other combinations of levels. If the labels of equal rows
// agree, they predict the label of the next such row.
func TestRowsOfFewCells(t *testing.T) {
	x, labels, mean := cells(300, 20)
	rng := rand.New(rand.NewPCG(2, 5))
	given, y := make([]int, len(labels)), make([]float64, len(labels))
	for i := range given {
		if given[i] = labels[i]; rng.IntN(10) == 0 {
			given[i] = 1 - labels[i]
		}
		y[i] = mean[i] + .3*rng.NormFloat64()
	}
	for name, learnt := range map[string][]int{"labels that agree": labels, "a tenth of them wrong": given} {
		c := &Classifier{Categories: []int{0}}
		require.NoError(t, c.Fit(ctx, x, learnt))
		got, err := c.Predict(x)
		require.NoError(t, err)
		assert.Equal(t, labels, got, name)
		p, err := c.PredictProba(x)
		require.NoError(t, err)
		loss, err := metrics.LogLoss(learnt, c.Classes(), p, nil)
		require.NoError(t, err)
		assert.Less(t, loss, .4, name)
		data, err := c.MarshalBinary()
		require.NoError(t, err)
		read := &Classifier{Categories: []int{0}}
		require.NoError(t, read.UnmarshalBinary(data))
		again, err := read.PredictProba(x)
		require.NoError(t, err)
		assert.InDeltaSlice(t, p.RawMatrix().Data, again.RawMatrix().Data, 1e-9, name)
	}

	for name, r := range map[string]*Regressor{"categories": {Categories: []int{0}}, "numbers": {}} {
		require.NoError(t, r.Fit(ctx, x, y))
		assert.Less(t, nmse(t, r, x, mean), .01, "%s: the means of the cells", name)
		_, variance, err := r.PredictVariance(x)
		require.NoError(t, err)
		assert.InDelta(t, .09, variance[0], .02, "%s: that of the noise", name)
		assert.InDelta(t, .09/.9, r.Result().LeaveOneOut, .04, "%s: of a row whose cell is known, over the variance of the targets", name)
	}

	// Weights carry no evidence that targets agree: a row of weight three is a single observation.
	few, fewLabels, _ := cells(20, 400)
	weights := make([]float64, 20)
	for i := range weights {
		weights[i] = 3
	}
	c, heavy := &Classifier{Categories: []int{0}}, &Classifier{Categories: []int{0}}
	require.NoError(t, c.Fit(ctx, few, fewLabels))
	require.NoError(t, heavy.FitWeighted(ctx, few, fewLabels, weights))
	p, err := c.PredictProba(few)
	require.NoError(t, err)
	q, err := heavy.PredictProba(few)
	require.NoError(t, err)
	assert.InDeltaSlice(t, p.RawMatrix().Data, q.RawMatrix().Data, 1e-6)
}
