package estimatortest_test

import (
	"context"
	"encoding"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/streaming"
)

// If a column is constant in all training rows, its effect is unknown. For new rows with another value in it, machines with default
// settings predict the same as without the column, with the same intervals. They do not predict from a prior that is many times
// wider than the spread of the targets.
func TestConstantColumns(t *testing.T) {
	for _, noise := range []float64{0, .1} {
		rng := rand.New(rand.NewPCG(1, 2))
		const n = 80
		plain, with, y, labels := mat.NewDense(n, 2, nil), mat.NewDense(n, 3, nil), make([]float64, n), make([]int, n)
		for i := range y {
			a, b := rng.NormFloat64(), rng.NormFloat64()
			plain.SetRow(i, []float64{a, b})
			with.SetRow(i, []float64{a, 5, b})
			y[i] = a + .3*b*b + noise*rng.NormFloat64()
			if math.Sin(2*a)+2*noise*rng.NormFloat64() > 0 {
				labels[i] = 1
			}
		}
		rows, changed := mat.NewDense(3, 2, []float64{.3, .2, -1, .5, 0, 0}), mat.NewDense(3, 3, []float64{.3, 5000, .2, -1, 5.1, .5, 0, -1e6, 0})
		for name, build := range map[string]func() estimators.Regressor{
			"lssvm":              func() estimators.Regressor { return &lssvm.Regressor{} },
			"lssvm, ridge given": func() estimators.Regressor { return &lssvm.Regressor{Ridge: .01} },
			"falkon":             func() estimators.Regressor { return &falkon.Regressor{} },
			"rvm":                func() estimators.Regressor { return &rvm.Regressor{} },
			"gabasr":             func() estimators.Regressor { return &gabasr.Regressor{} },
		} {
			less, more := build(), build()
			require.NoError(t, less.Fit(context.Background(), plain, y), name)
			require.NoError(t, more.Fit(context.Background(), with, y), name)
			want, err := less.Predict(rows)
			require.NoError(t, err, name)
			data, err := more.(encoding.BinaryMarshaler).MarshalBinary()
			require.NoError(t, err, name)
			more = build() // read from a file
			require.NoError(t, more.(encoding.BinaryUnmarshaler).UnmarshalBinary(data), name)
			got, err := more.Predict(changed)
			require.NoError(t, err, name)
			if name == "gabasr" { // its random numbers depend on the number of columns
				assert.InDeltaSlice(t, want, got, .1, name)
				continue
			}
			assert.InDeltaSlice(t, want, got, 1e-6, "%s, noise %v", name, noise)
			low, high, err := less.(estimators.IntervalPredictor).PredictInterval(rows, .95)
			require.NoError(t, err, name)
			l, h, err := more.(estimators.IntervalPredictor).PredictInterval(changed, .95)
			require.NoError(t, err, name)
			assert.InDeltaSlice(t, low, l, 1e-6, "%s, noise %v", name, noise)
			assert.InDeltaSlice(t, high, h, 1e-6, "%s, noise %v", name, noise)
		}
		for name, build := range map[string]func() estimators.Classifier{
			"lssvm":  func() estimators.Classifier { return &lssvm.Classifier{} },
			"falkon": func() estimators.Classifier { return &falkon.Classifier{} },
			"rvm":    func() estimators.Classifier { return &rvm.Classifier{} },
		} {
			less, more := build(), build()
			require.NoError(t, less.Fit(context.Background(), plain, labels), name)
			require.NoError(t, more.Fit(context.Background(), with, labels), name)
			want, err := less.(estimators.ProbaPredictor).PredictProba(rows)
			require.NoError(t, err, name)
			data, err := more.(encoding.BinaryMarshaler).MarshalBinary()
			require.NoError(t, err, name)
			more = build()
			require.NoError(t, more.(encoding.BinaryUnmarshaler).UnmarshalBinary(data), name)
			got, err := more.(estimators.ProbaPredictor).PredictProba(changed)
			require.NoError(t, err, name)
			assert.InDeltaSlice(t, want.RawMatrix().Data, got.RawMatrix().Data, 1e-5, "%s, noise %v", name, noise)
		}
	}
}

// A column that is constant in the first block of a stream but changes in a later block is not treated as constant.
func TestColumnsThatChangeLate(t *testing.T) {
	const n = 4000
	x, y := mat.NewDense(n, 2, nil), make([]float64, n)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range y {
		late := 0.0
		if i >= 3*n/4 {
			late = rng.NormFloat64()
		}
		x.SetRow(i, []float64{rng.NormFloat64(), late})
		y[i] = x.At(i, 0) + 3*late
	}
	blocks := func(yield func(streaming.Block[float64], error) bool) {
		for from := 0; from < n; from += 500 {
			if !yield(streaming.Block[float64]{X: x.Slice(from, from+500, 0, 2).(*mat.Dense), Y: y[from : from+500]}, nil) {
				return
			}
		}
	}
	model := &falkon.Regressor{Components: 200}
	require.NoError(t, model.FitBlocks(context.Background(), blocks))
	got, err := model.Predict(mat.NewDense(2, 2, []float64{.5, 1, .5, -1}))
	require.NoError(t, err)
	assert.InDeltaSlice(t, []float64{3.5, -2.5}, got, .1)
}
