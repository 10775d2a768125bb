package selection

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/internal/scalings"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// slopes returns rows with a category and a number, and their targets. The slope in the number differs between levels with a high
// mean and levels with a low mean.
func slopes(n, levels int, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 6))
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	for i := range y {
		level, a := rng.IntN(levels), rng.NormFloat64()
		x.SetRow(i, []float64{float64(level * 31 % levels), a})
		effect := float64(level)/float64(levels)*4 - 2
		y[i] = effect + effect*a + .3*rng.NormFloat64()
	}
	return x, y
}

// shares returns the shares of the models by the names of their columns.
func shares(r *search.Result) map[string]float64 {
	out := map[string]float64{}
	for _, o := range append(slices.Clone(r.Others), r) {
		out[o.Columns] += o.Share
	}
	return out
}

// With few rows per level, encoded means reveal which levels are similar, and their model gets a large share. If a category has few
// levels, no encoded model is fitted.
func TestEncodedCategories(t *testing.T) {
	x, y := slopes(300, 60, 1)
	xNew, yNew := slopes(1000, 60, 2)
	r := &Regressor{Categories: []int{0}}
	require.NoError(t, r.Fit(ctx, x, y))
	of := shares(r.Result())
	require.Contains(t, of, scalings.NameWithMeans)
	assert.Greater(t, of[scalings.NameWithMeans], .3)
	got := nmse(t, r, xNew, yNew)

	assert.Less(t, got, .2)

	// A file stores the means.
	data, err := r.MarshalBinary()
	require.NoError(t, err)
	read := &Regressor{Categories: []int{0}}
	require.NoError(t, read.UnmarshalBinary(data))
	assert.InDelta(t, got, nmse(t, read, xNew, yNew), 1e-15)
	assert.ErrorIs(t, (&Regressor{}).UnmarshalBinary(data), estimators.ErrBadModel)

	few, y := slopes(200, 5, 1)
	r = &Regressor{Categories: []int{0}}
	require.NoError(t, r.Fit(ctx, few, y))
	assert.NotContains(t, shares(r.Result()), scalings.NameWithMeans)
}

// A category with few rows per level, and without information, does not increase the error much. The means of so few rows are
// random.
func TestEncodedNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 1))
	draw := func(n int) (*mat.Dense, []float64, []int) {
		x, y, labels := mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n)
		for i := range y {
			a := rng.NormFloat64()
			x.SetRow(i, []float64{a, float64(rng.IntN(n / 3))})
			y[i] = math.Sin(2*a) + .3*rng.NormFloat64()
			if y[i] > 0 {
				labels[i] = 1
			}
		}
		return x, y, labels
	}
	x, y, labels := draw(150)
	xNew, yNew, labelsNew := draw(600)
	r, without := &Regressor{Categories: []int{1}}, &Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	alone := func(m *mat.Dense) *mat.Dense { return mat.DenseCopyOf(m.Slice(0, m.RawMatrix().Rows, 0, 1)) }
	require.NoError(t, without.Fit(ctx, alone(x), y))
	assert.Less(t, nmse(t, r, xNew, yNew), 1.15*nmse(t, without, alone(xNew), yNew))

	c := &Classifier{Categories: []int{1}}
	require.NoError(t, c.Fit(ctx, x, labels))
	got, err := c.Predict(xNew)
	require.NoError(t, err)
	wrong := 0
	for i, label := range got {
		if label != labelsNew[i] {
			wrong++
		}
	}
	assert.Less(t, wrong, 120)
}

// Preprocess, and the steps of pipelines in a Space, may learn from targets. In each fold they use the targets of its training
// rows.
func TestPreprocessLearnsFromTargets(t *testing.T) {
	x, y := slopes(200, 30, 3)
	labels := make([]int, len(y))
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	steps := []transformers.Transformer{&columnwise.TargetEncoder{Columns: []int{0}}, &scalers.StandardScaler{}}
	for _, s := range []search.Strategy{nil, &entropy.Search{}, &entropy.Search{Score: entropy.CrossValidation}} {
		r := &Regressor{Preprocess: steps, Search: s}
		require.NoError(t, r.Fit(ctx, x, y))
		assert.Less(t, nmse(t, r, x, y), .6)
		c := &Classifier{Preprocess: steps, Search: s}
		require.NoError(t, c.Fit(ctx, x, labels))
		got, err := c.Predict(x)
		require.NoError(t, err)
		right := 0
		for i := range got {
			if got[i] == labels[i] {
				right++
			}
		}
		assert.Greater(t, right, 140)
	}
}
