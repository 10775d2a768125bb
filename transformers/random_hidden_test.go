package transformers

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/golden"
)

func TestHiddenReference(t *testing.T) {
	for name, activation := range map[string]Activation{
		"eem_sig_small.json": Sigmoid, "eem_nsig_small.json": NormalizedSigmoid, "eem_rbf_small.json": RandomRBF, "eem_tanh_gauss.json": Tanh,
	} {
		var c struct {
			X, W, H, Xt, Ht [][]float64
			B               []float64
		}
		golden.Load(t, name, &c)
		r := &RandomHidden{fitted: &hiddenModel{Activation: activation, W: codec.FromDense(golden.Dense(c.W)), B: c.B}}
		h, err := r.Transform(golden.Dense(c.X))
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(golden.Dense(c.H), h, 1e-9), name)
		h, err = r.Transform(golden.Dense(c.Xt))
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(golden.Dense(c.Ht), h, 1e-9), name)
	}
}

func TestHiddenLayersAreNested(t *testing.T) {
	x := golden.Dense([][]float64{{0, 1}, {1, 1}, {2, 0}, {1, 3}, {4, 4}, {2, 2}})
	for a := DataRBF; a <= Tanh; a++ {
		large := fitTransform(t, &RandomHidden{Units: 6, Activation: a, Seed: 4}, x)
		small := fitTransform(t, &RandomHidden{Units: 4, Activation: a, Seed: 4}, x)
		assert.True(t, mat.Equal(large.Slice(0, 6, 0, 4), small), "%v", a)
		other := fitTransform(t, &RandomHidden{Units: 4, Activation: a, Seed: 5}, x)
		assert.False(t, mat.Equal(other, small), "%v", a)
	}
}

// The units are drawn as the activation says.
func TestHiddenDraws(t *testing.T) {
	x := mat.NewDense(400, 2, nil)
	x.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(3*i+j)) * float64(1+j) }, x)
	r := &RandomHidden{Units: 300}
	fitTransform(t, r, x)
	w, b := r.Weights()
	median := 0.0
	for i := range 300 {
		found := false
		for k := 0; k < 400 && !found; k++ {
			found = mat.Equal(w.RowView(i), x.RowView(k))
		}
		assert.True(t, found, "unit %d sits on a row", i)
		median += math.Log10(b[i]) / 300
	}
	least, most := b[0], b[0]
	for _, v := range b {
		least, most = min(least, v), max(most, v)
	}
	assert.InDelta(t, 2, math.Log10(most/least), 0.1, "two decades of widths")

	r = &RandomHidden{Units: 5000, Activation: Tanh}
	fitTransform(t, r, x)
	w, b = r.Weights()
	squares, biases := 0.0, 0.0
	for i, v := range b {
		biases += v * v / 5000
		squares += w.At(i, 0) * w.At(i, 0) / 5000
	}
	assert.InDelta(t, 4.5, squares, 0.3, "9/d")
	assert.InDelta(t, 1, biases, 0.1)

	r = &RandomHidden{Units: 2000, Activation: Sigmoid}
	fitTransform(t, r, x)
	w, b = r.Weights()
	assert.True(t, mat.Min(w) >= 0 && mat.Max(w) <= 1)
	assert.InDelta(t, 0.5, mat.Sum(w)/4000, 0.02)
	assert.InDelta(t, 0.5, mat.Sum(mat.NewVecDense(2000, b))/2000, 0.03)
}

func TestHiddenDefaultsAndErrors(t *testing.T) {
	r := &RandomHidden{}
	w, b := r.Weights()
	assert.Nil(t, w)
	assert.Nil(t, b)
	z := fitTransform(t, r, mat.NewDense(3, 2, []float64{0, 1, 1, 1, 2, 0}))
	_, h := z.Dims()
	assert.Equal(t, 3, h, "as many units as rows")
	z = fitTransform(t, &RandomHidden{Activation: Tanh}, mat.NewDense(3, 2, []float64{0, 1, 1, 1, 2, 0}))
	_, h = z.Dims()
	assert.Equal(t, DefaultUnits, h)
	fitTransform(t, r, mat.NewDense(3, 2, nil)) // all rows the same

	assert.EqualError(t, (&RandomHidden{Units: -1}).Fit(context.Background(), table), "transformers: RandomHidden: Units = -1, want >= 1, or 0 for the default")
	assert.ErrorIs(t, (&RandomHidden{Activation: 9}).Fit(context.Background(), table), ErrParam)
	assert.Equal(t, "DataRBF Sigmoid NormalizedSigmoid RandomRBF Tanh Activation(7)",
		DataRBF.String()+" "+Sigmoid.String()+" "+NormalizedSigmoid.String()+" "+RandomRBF.String()+" "+Tanh.String()+" "+Activation(7).String())
}
