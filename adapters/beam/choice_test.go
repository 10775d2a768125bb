package kernelbeam

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/beam/internal/rowblocks"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/rowsample"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
)

// FitAll, which fits the candidates in shared passes, gives the same models as a separate fit of each candidate.
func TestFitAll(t *testing.T) {
	x, y := linear(3000, 3, 30)
	d := &Data{Files: []string{writeCSV(t, x, y, 4)}, Options: table.Options{Target: "y"}}
	both(t, func(t *testing.T, o Options) {
		got, report, err := FitAll(context.Background(), d, &o, candidates...)
		require.NoError(t, err)
		assert.Equal(t, 3, report.Passes)
		require.Len(t, got, 3)
		best, least := -1, math.Inf(1)
		for i, m := range candidates {
			a, err := stagesInMemory(t, m, x, y).Predict(x)
			require.NoError(t, err)
			b, err := got[i].Predict(x)
			require.NoError(t, err)
			assert.InDeltaSlice(t, a, b, 1e-5, m.Name()) // If features are nearly equal, their coefficients are not determined.
			if v := got[i].Report().Objective; v < least {
				best, least = i, v
			}
		}
		assert.Equal(t, 1, best, "the evidence is largest where the kernel is neither flat nor a spike")
	})
}

// byHand cross-validates in memory, with the same folds as CrossValidate. It calls score with each row and its prediction by the
// model of the other folds.
func byHand[Y float64 | int, E Estimator[Y]](t *testing.T, m *Model[Y, E], x *mat.Dense, y []Y, folds int, seed uint64, hash func(i int) uint64, score func(i int, p Y)) {
	t.Helper()
	n, w := x.Dims()
	for f := range folds {
		in, out := mat.NewDense(n, w, nil), mat.NewDense(n, w, nil)
		var yIn []Y
		var held []int
		for i := range n {
			if fold(hash(i), seed, folds) == f {
				out.SetRow(len(held), x.RawRowView(i))
				held = append(held, i)
			} else {
				in.SetRow(len(yIn), x.RawRowView(i))
				yIn = append(yIn, y[i])
			}
		}
		require.NotEmpty(t, held)
		e := stagesInMemory(t, m, in.Slice(0, len(yIn), 0, w).(*mat.Dense), yIn)
		p, err := e.Predict(out.Slice(0, len(held), 0, w))
		require.NoError(t, err)
		for k, i := range held {
			score(i, p[k])
		}
	}
}

// CrossValidate, which subtracts the statistics of a fold, gives the same scores as fits without the rows of the fold.
func TestCrossValidate(t *testing.T) {
	x, y := linear(1200, 3, 31)
	d := &Data{Files: []string{writeCSV(t, x, y, 3)}, Options: table.Options{Target: "y"}}
	both(t, func(t *testing.T, o Options) {
		o.Seed = 9
		got, report, err := CrossValidate(context.Background(), d, &o, 4, candidates...)
		require.NoError(t, err)
		assert.Equal(t, 4, report.Passes)
		require.Len(t, got, 3)
		for k, m := range candidates {
			assert.Equal(t, m.Name(), got[k].Name)
			require.Len(t, got[k].Folds, 4)
			squares, absolutes := 0.0, 0.0
			hash := func(i int) uint64 {
				return (&rowblocks.Block{Width: 3, X: x.RawRowView(i), Y: y[i : i+1]}).Hash(0)
			}
			byHand(t, m, x, y, 4, 9, hash, func(i int, p float64) {
				squares += (y[i] - p) * (y[i] - p)
				absolutes += math.Abs(y[i] - p)
			})
			assert.InEpsilon(t, squares/1200, got[k].All.MSE, 1e-6)
			assert.InEpsilon(t, math.Sqrt(squares/1200), got[k].All.RMSE(), 1e-6)
			assert.InEpsilon(t, absolutes/1200, got[k].All.MAE, 1e-6)
			assert.Equal(t, 1200, got[k].All.Rows)
			mean, spread := 0.0, 0.0
			for _, v := range y {
				mean += v / 1200
			}
			for _, v := range y {
				spread += (v - mean) * (v - mean) / 1200
			}
			assert.InEpsilon(t, squares/1200/spread, got[k].All.NMSE(), 1e-6)
		}
		assert.Less(t, got[1].All.MSE, got[0].All.MSE)
		assert.Less(t, got[1].All.MSE, got[2].All.MSE)
	})
}

// Cross-validation of a classifier counts the predicted classes for each true class.
func TestCrossValidateClasses(t *testing.T) {
	x, y := linear(900, 2, 32)
	labels := signs(y)
	text := csvText(x, asFloats(labels), 0, 900)
	path := t.TempDir() + "/rows.csv"
	writeFile(t, path, text)
	got, _, err := CrossValidate(context.Background(), &Data{Files: []string{path}, Options: table.Options{Target: "y"}}, &Options{Seed: 4}, 3, classes)
	require.NoError(t, err)
	confusion := map[int]map[int]float64{0: {}, 1: {}}
	hash := func(i int) uint64 {
		return (&rowblocks.Block{Width: 2, X: x.RawRowView(i), Labels: labels[i : i+1]}).Hash(0)
	}
	byHand(t, classes, x, labels, 3, 4, hash, func(i, p int) { confusion[labels[i]][p]++ })
	assert.Equal(t, confusion, got[0].All.Confusion)
	right := [2]float64{confusion[0][0], confusion[1][1]}
	assert.InDelta(t, (right[0]+right[1])/900, got[0].All.Accuracy(), 1e-12)
	all := [2]float64{right[0] + confusion[0][1], right[1] + confusion[1][0]}
	assert.InDelta(t, math.Sqrt(right[0]/all[0]*right[1]/all[1]), got[0].All.GMean(), 1e-12)
	assert.Greater(t, got[0].All.Accuracy(), .8)
}

func asFloats(labels []int) []float64 {
	out := make([]float64, len(labels))
	for i, l := range labels {
		out[i] = float64(l)
	}
	return out
}

// A sample is the same for any division of the rows, and the entropy of a kernel can be computed on it.
func TestSample(t *testing.T) {
	x, y := linear(2000, 3, 33)
	all := &rowsample.Sample{Seed: 5, Limit: 150}
	all.Merge(all.Pick((&rowblocks.Block{Width: 3, X: x.RawMatrix().Data, Y: y, Places: make([]rowblocks.Place, 2000)}).WithTargets()))
	want := all.Rows()
	for _, glob := range []string{writeCSV(t, x, y, 1), writeCSV(t, x, y, 7), writeParquet(t, x, y, 2)} {
		both(t, func(t *testing.T, o Options) {
			o.Seed, o.RangeBytes = 5, 9000
			got, targets, report, err := Sample(context.Background(), &Data{Files: []string{glob}, Options: table.Options{Target: "y"}}, &o, 150, false)
			require.NoError(t, err)
			assert.Equal(t, 2000, report.Rows)
			assert.True(t, mat.Equal(want.Slice(0, 150, 0, 3), got))
			assert.Equal(t, mat.Col(nil, 3, want), targets)
			k, err := kernels.Matrix(context.Background(), kernels.RBF{Gamma: .05}, got, nil)
			require.NoError(t, err)
			e, err := measures.Entropy(context.Background(), k)
			require.NoError(t, err)
			assert.Greater(t, e.Entropy, .1)
		})
	}
	glob := writeCSV(t, x, y, 1)
	_, _, _, err := Sample(context.Background(), &Data{Files: []string{glob}, Options: table.Options{Target: "y"}}, nil, 0, false)
	assert.ErrorIs(t, err, estimators.ErrParam)
	few, _, _, err := Sample(context.Background(), &Data{Files: []string{glob}, Options: table.Options{Target: "y"}}, nil, 5000, false)
	require.NoError(t, err)
	n, _ := few.Dims()
	assert.Equal(t, 2000, n)
}

// Folds have about the same number of rows, and change with the seed.
func TestFolds(t *testing.T) {
	counts, moved := make([]int, 5), 0
	for i := range 10_000 {
		h := (&rowblocks.Block{Width: 1, X: []float64{float64(i)}}).Hash(0)
		f := fold(h, 1, 5)
		counts[f]++
		if fold(h, 2, 5) != f {
			moved++
		}
	}
	for f, n := range counts {
		assert.InDelta(t, 2000, n, 160, fmt.Sprint("fold ", f)) // four standard deviations
	}
	assert.InDelta(t, 8000, moved, 160)
	_, _, err := CrossValidate(context.Background(), &Data{}, nil, 1, scaledRidge)
	assert.ErrorIs(t, err, estimators.ErrParam)
}
