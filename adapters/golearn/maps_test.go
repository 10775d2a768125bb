package golearn_test

import (
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/sjwhitworth/golearn/base"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// ringRows returns rows on two noisy rings, one inside the other, which a linear model cannot separate.
func ringRows(n int, seed uint64) (x *mat.Dense, labels []string) {
	rng := rand.New(rand.NewPCG(seed, 1))
	x, labels = mat.NewDense(n, 2, nil), make([]string, n)
	for i := range n {
		radius := 1 + 0.1*rng.NormFloat64()
		labels[i] = "inner"
		if i%2 == 1 {
			radius += 1
			labels[i] = "outer"
		}
		angle := 2 * math.Pi * rng.Float64()
		x.SetRow(i, []float64{100 * radius * math.Cos(angle), radius * math.Sin(angle)})
	}
	return x, labels
}

func rings(t *testing.T, n int, seed uint64) base.FixedDataGrid {
	x, labels := ringRows(n, seed)
	g, err := grids.LabelledGrid(x, nil, "ring", labels)
	require.NoError(t, err)
	return g
}

// radii returns a grid whose target is the squared radius.
func radii(t *testing.T, n int, seed uint64) (base.FixedDataGrid, []float64) {
	x, _ := ringRows(n, seed)
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Pow(x.At(i, 0)/100, 2) + math.Pow(x.At(i, 1), 2)
	}
	g, err := grids.TargetGrid(x, nil, "squared radius", y)
	require.NoError(t, err)
	return g, y
}

// mapped returns a pipeline of a scaler, the feature map m and a final linear model.
func mapped(final base.Classifier, m transformers.Transformer) *golearn.Pipeline {
	return &golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{}), golearn.Transform(m)}, Final: final}
}

type predictor interface {
	Predict(base.FixedDataGrid) (base.FixedDataGrid, error)
}

// unexplained returns the share of the variance of y that a regression does not explain.
func unexplained(t *testing.T, p predictor, grid base.FixedDataGrid, y []float64) float64 {
	out, err := p.Predict(grid)
	require.NoError(t, err)
	got, err := grids.Targets(out)
	require.NoError(t, err)
	mean, left, all := 0.0, 0.0, 0.0
	for _, v := range y {
		mean += v / float64(len(y))
	}
	for i, v := range y {
		left += (v - got[i]) * (v - got[i])
		all += (v - mean) * (v - mean)
	}
	return left / all
}

func TestMapsInAPipeline(t *testing.T) {
	train, _ := radii(t, 200, 1)
	test, y := radii(t, 100, 2)
	plain := &golearn.Regressor{Estimator: &ridge.Regressor{}}
	require.NoError(t, plain.Fit(train))
	assert.Greater(t, unexplained(t, plain, test, y), 0.9)
	for name, m := range map[string]transformers.Transformer{
		"Nystroem": &featuremap.Nystroem{Components: 60}, "RandomFourier": &featuremap.RandomFourier{Components: 100},
		"LocallyStationaryFourier": &featuremap.LocallyStationaryFourier{Components: 100},
	} {
		p := mapped(&golearn.Regressor{Estimator: &ridge.Regressor{}}, m)
		require.NoError(t, p.Fit(train), name)
		left := unexplained(t, p, test, y)
		assert.Less(t, left, 0.01, name)
		path := filepath.Join(t.TempDir(), "model")
		require.NoError(t, p.Save(path), name)
		again := mapped(&golearn.Regressor{Estimator: &ridge.Regressor{}}, m)
		require.NoError(t, again.Load(path), name)
		assert.Equal(t, left, unexplained(t, again, test, y), name)
	}
}

// A PowerTransformer in a pipeline finds that a column needs a logarithm, and improves the predictions.
func TestPowersInAPipeline(t *testing.T) {
	grid := func(n int, seed uint64) (base.FixedDataGrid, []float64) {
		rng := rand.New(rand.NewPCG(seed, 2))
		x, y := mat.NewDense(n, 2, nil), make([]float64, n)
		for i := range n {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			x.SetRow(i, []float64{1000 * math.Exp(2*a), -120 + 0.5*b})
			y[i] = a + b
		}
		g, err := grids.TargetGrid(x, []string{"income", "longitude"}, "sum", y)
		require.NoError(t, err)
		return g, y
	}
	train, _ := grid(200, 1)
	test, y := grid(100, 2)
	of := func(tr transformers.Transformer) *golearn.Pipeline {
		return &golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(tr)}, Final: &golearn.Regressor{Estimator: &ridge.Regressor{}}}
	}
	linear, power := of(&scalers.StandardScaler{}), of(&columnwise.PowerTransformer{Clip: true})
	require.NoError(t, linear.Fit(train))
	require.NoError(t, power.Fit(train))
	assert.Greater(t, unexplained(t, linear, test, y), 0.2)
	left := unexplained(t, power, test, y)
	assert.Less(t, left, 0.02)
	path := filepath.Join(t.TempDir(), "model")
	require.NoError(t, power.Save(path))
	again := of(&columnwise.PowerTransformer{})
	require.NoError(t, again.Load(path))
	assert.Equal(t, left, unexplained(t, again, test, y), "the file contains all that Transform needs")
}
