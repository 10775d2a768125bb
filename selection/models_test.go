package selection_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// The prediction is the weighted mean of the models. This also holds after a round trip through a file.
func TestModelsMakeThePrediction(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	x, y := mat.NewDense(60, 2, nil), make([]float64, 60)
	for i := range y {
		x.SetRow(i, []float64{math.Exp(rng.NormFloat64()), rng.Float64()})
		y[i] = math.Log(x.At(i, 0)) + x.At(i, 1) + 0.3*rng.NormFloat64()
	}
	scaled := &selection.Regressor{Preprocess: []transformers.Transformer{&scalers.StandardScaler{}}, Search: &entropy.Search{}}
	for name, r := range map[string]*selection.Regressor{"ways": {}, "one": scaled} {
		t.Run(name, func(t *testing.T) {
			assert.Nil(t, r.Models())
			require.NoError(t, r.Fit(context.Background(), x, y))
			read := estimators.Clone(r)
			data, err := r.MarshalBinary()
			require.NoError(t, err)
			require.NoError(t, read.UnmarshalBinary(data))
			want, err := r.Predict(x)
			require.NoError(t, err)
			for _, models := range [][]selection.Model[estimators.Regressor]{r.Models(), read.Models()} {
				got, shares := make([]float64, 60), 0.0
				for _, m := range models {
					z, err := m.Transform(x)
					require.NoError(t, err)
					p, err := m.Estimator.Predict(z)
					require.NoError(t, err)
					floats.AddScaled(got, m.Share, p)
					shares += m.Share
				}
				assert.InDelta(t, 1, shares, 1e-12)
				assert.InDeltaSlice(t, want, got, 1e-9)
			}
		})
	}
	_, err := scaled.Models()[0].Transform(mat.NewDense(1, 5, nil))
	assert.ErrorIs(t, err, estimators.ErrShape)

	labels := make([]int, 60)
	for i, v := range y {
		if v > 0.5 {
			labels[i] = 1
		}
	}
	c := &selection.Classifier{}
	assert.Nil(t, c.Models())
	require.NoError(t, c.Fit(context.Background(), x, labels))
	want, err := c.PredictProba(x)
	require.NoError(t, err)
	got := mat.NewDense(60, 2, nil)
	for _, m := range c.Models() {
		z, err := m.Transform(x)
		require.NoError(t, err)
		p, err := m.Estimator.(estimators.ProbaPredictor).PredictProba(z)
		require.NoError(t, err)
		p.Scale(m.Share, p)
		got.Add(got, p)
	}
	assert.True(t, mat.EqualApprox(want, got, 1e-9))
}
