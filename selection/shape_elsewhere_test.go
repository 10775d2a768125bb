package selection

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
)

// waveOf returns rows with a wave in the first column, and their targets and labels. One common length cannot detect the wave.
func waveOf(n, d int, seed uint64) (*mat.Dense, []float64, []int) {
	rng := rand.New(rand.NewPCG(seed, 9))
	x, y, labels := mat.NewDense(n, d, nil), make([]float64, n), make([]int, n)
	for i := range n {
		for j := range d {
			x.Set(i, j, rng.NormFloat64())
		}
		if y[i] = math.Cos(4*x.At(i, 0)) + .3*rng.NormFloat64(); y[i] > 0 {
			labels[i] = 1
		}
	}
	return x, y, labels
}

// elsewhereOf returns the trace rows of climbs from other starting points.
func elsewhereOf(r *search.Result) (out []search.TraceRow) {
	for _, row := range allRows(r) {
		if row.Basis == search.OnStarts {
			out = append(out, row)
		}
	}
	return out
}

func TestZeroValueFindsWaves(t *testing.T) {
	x, y, labels := waveOf(200, 12, 1)
	tx, ty, tlabels := waveOf(500, 12, 2)
	r := &Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.Less(t, nmseOf(t, r, tx, ty), .3)
	one := shaped(t, &shape.Search{NoRestarts: true}, x, y)
	assert.Greater(t, nmseOf(t, one, tx, ty), .9, "from one start")
	assert.Empty(t, elsewhereOf(one.Result()))

	c := &Classifier{}
	require.NoError(t, c.Fit(ctx, x, labels))
	got, err := c.Predict(tx)
	require.NoError(t, err)
	accuracy, err := metrics.Accuracy(tlabels, got, nil)
	require.NoError(t, err)
	assert.Greater(t, accuracy, .8)
}

// A starting point found elsewhere is in a row of the trace, and a search can be resumed from this row.
func TestElsewhereIsInTheTrace(t *testing.T) {
	x, y, _ := waveOf(200, 12, 3)
	r := shaped(t, &shape.Search{}, x, y)
	rows := elsewhereOf(r.Result())
	require.NotEmpty(t, rows)
	assert.Len(t, rows[0].Elsewhere, 13)
	assert.Contains(t, rows[0].Decision(), "other starts on 200 rows: one is clearly better")
	assert.Positive(t, rows[0].Matrices)
	x2, y2 := problemOf(60, 2, .1, 4)
	rows = elsewhereOf(shaped(t, &shape.Search{}, x2, y2).Result())
	require.Len(t, rows, 1)
	assert.Nil(t, rows[0].Elsewhere)
	assert.Contains(t, rows[0].Decision(), "none is clearly better")

	data, err := json.Marshal(r.Result().Trace)
	require.NoError(t, err)
	for _, upTo := range []int{len(r.Result().Trace), len(r.Result().Trace) - 3, 12} {
		var known []search.TraceRow
		require.NoError(t, json.Unmarshal(data, &known))
		again := &Regressor{Space: over(defaultFamily), Search: &shape.Search{}, Resume: known[:upTo]}
		require.NoError(t, again.Fit(ctx, x, y))
		assert.Equal(t, withoutSeconds(t, r.Result()), withoutSeconds(t, again.Result()), "from %d rows", upTo)
	}
}
