package falkon

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon/internal/rows"
	"github.com/kernelearn/kernelearn/internal/loo"
	"github.com/kernelearn/kernelearn/kernels"
)

// waves returns n rows with one column in [0, 1]. The targets are a sine with the given number of periods, plus noise.
func waves(n int, periods, noise float64, seed uint64) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range y {
		v := rng.Float64()
		x.Set(i, 0, v)
		y[i] = math.Sin(2*math.Pi*periods*v) + noise*rng.NormFloat64()
	}
	return x, y
}

// The chosen length fits the targets, for regression and for classification. The error of the machine is near the best error of
// many lengths, and the median distance is far from the chosen length.
func TestWidthFollowsTheTargets(t *testing.T) {
	var lengths []float64
	for _, periods := range []float64{.5, 4, 16} {
		x, y := waves(700, periods, .1, 1)
		at, want := waves(500, periods, 0, 2)
		r := fitted(t, Regressor{Components: 150}, x, y)
		k := r.ChosenKernel().(kernels.Matern)
		assert.Equal(t, 2.5, k.Nu)
		lengths = append(lengths, k.Length)
		best := math.Inf(1)
		for e := -8.; e <= 4; e++ {
			other := fitted(t, Regressor{Components: 150, Kernel: kernels.Matern{Nu: 2.5, Length: math.Pow(2, e)}}, x, y)
			best = min(best, nmse(t, other, at, want))
		}
		assert.Less(t, nmse(t, r, at, want), max(2*best, .002), "%v periods", periods)

		labels := make([]int, len(y))
		for i, v := range y {
			if v > 0 {
				labels[i] = 1
			}
		}
		c := &Classifier{Components: 150}
		require.NoError(t, c.Fit(ctx, x, labels))
		assert.InDelta(t, 0, math.Log2(c.ChosenKernel().(kernels.Matern).Length/k.Length), 2.5, "classes of %v periods", periods)
	}
	assert.Greater(t, lengths[0], 1.2*lengths[1])
	assert.Greater(t, lengths[1], 1.2*lengths[2])
}

// If all rows are landmarks, the error of a length equals that of leaving out each row in turn, and the chosen length minimises it.
func TestWidthIsOfLeaveOneOut(t *testing.T) {
	x, y := waves(40, 2, .2, 1)
	s := (&Regressor{}).settings().withDefaults()
	d, err := s.draw(ctx, rows.InMemory(x, mat.NewDense(40, 1, y), nil), 40)
	require.NoError(t, err)
	w := s.widthsOf(context.Background(), d, 40, fewRows, .5, 9)
	got, err := w.leaveOneOutError(ctx, 1)
	require.NoError(t, err)

	best := math.Inf(1)
	for decade := -10.0; decade <= 1; decade += 0.5 {
		ridge := 40 * math.Pow(10, decade)
		sum := 0.0
		for i := range y {
			others, targets := mat.NewDense(39, 1, nil), make([]float64, 0, 39)
			for j, v := range y {
				if j != i {
					others.Set(len(targets), 0, x.At(j, 0))
					targets = append(targets, v)
				}
			}
			r := fitted(t, Regressor{Kernel: w.kernel(1), Landmarks: others, Ridge: ridge, Solver: Direct}, others, targets)
			p, err := r.Predict(x.Slice(i, i+1, 0, 1))
			require.NoError(t, err)
			sum += (y[i] - p[0]) * (y[i] - p[0])
		}
		best = min(best, sum/40)
	}
	assert.InEpsilon(t, best, got, 1e-4)
}

// If there are more rows, shorter lengths are tried again. A length far from the typical distance is chosen only if it is better by
// the documented amount.
func TestNarrowerOnMoreRows(t *testing.T) {
	x, y, _ := friedman(1200, 4, .1, 1)
	s := (&Regressor{}).settings().withDefaults()
	d, err := s.draw(ctx, rows.InMemory(x, mat.NewDense(1200, 1, y), nil), 600)
	require.NoError(t, err)
	w := s.widthsOf(context.Background(), d, 100, fewRows, .5, 9)
	tried := map[float64]float64{}
	length, err := (&loo.Lengths{Error: func(ctx context.Context, length float64) (err float64, failed error) {
		err, failed = w.leaveOneOutError(ctx, length)
		tried[length] = err
		return err, failed
	}}).Narrow(ctx, 64)
	require.NoError(t, err)
	assert.Less(t, length, 64.)
	require.Contains(t, tried, length/2, "one more was tried")
	assert.Greater(t, 1.01*tried[length/2], tried[length])
}

// If all targets are equal, if all rows are equal, or if there is a single row, the length is the typical distance.
func TestNothingToChooseAWidthBy(t *testing.T) {
	x, y := waves(30, 2, .1, 1)
	median, err := kernels.MedianRBF(ctx, x, 0)
	require.NoError(t, err)
	constant := fitted(t, Regressor{}, x, make([]float64, 30))
	assert.InEpsilon(t, 1/math.Sqrt(median.Gamma), constant.ChosenKernel().(kernels.Matern).Length, 1e-12)
	for _, n := range []int{1, 30} {
		r := fitted(t, Regressor{}, mat.NewDense(n, 2, nil), y[:n])
		assert.InEpsilon(t, math.Sqrt2, r.ChosenKernel().(kernels.Matern).Length, 1e-12)
	}
}

// Files contain the chosen kernel.
func TestChosenWidthInAFile(t *testing.T) {
	x, y := waves(60, 2, .1, 1)
	r := fitted(t, Regressor{}, x, y)
	var read Regressor
	require.NoError(t, read.UnmarshalBinary(marshalled(t, r)))
	assert.Equal(t, r.ChosenKernel(), read.ChosenKernel())
	want, err := r.Predict(x)
	require.NoError(t, err)
	got, err := read.Predict(x)
	require.NoError(t, err)
	assert.Equal(t, want, got)
}
