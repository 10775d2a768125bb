package lssvm

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/kernels"
)

// combined returns the arguments of PredictCombinationMatrix for combinations of the function's values at rows. Their weights are
// the rows of weights (r×q).
func combined(t *testing.T, k kernels.Kernel, weights, rows, fitted *mat.Dense) (cross *mat.Dense, prior, sums []float64) {
	values, err := kernels.Cross(ctx, k, rows, fitted, nil)
	require.NoError(t, err)
	own, err := kernels.Matrix(ctx, k, rows, nil)
	require.NoError(t, err)
	cross = &mat.Dense{}
	cross.Mul(weights, values)
	var both mat.Dense
	both.Product(weights, own, weights.T())
	n, _ := weights.Dims()
	for i := range n {
		prior, sums = append(prior, both.At(i, i)), append(sums, mat.Sum(weights.Slice(i, i+1, 0, weights.RawMatrix().Cols)))
	}
	return cross, prior, sums
}

// The combinations agree with the joint posterior covariance of a Gaussian process whose constant has a wide prior.
func TestCombinationsAreAGaussianProcess(t *testing.T) {
	x, y := sinc(40, 0.2, 3)
	weightsOfRows := make([]float64, 40)
	for i := range weightsOfRows {
		weightsOfRows[i] = 0.5 + float64(i%3)
	}
	at, _ := sinc(4, 0, 4)
	weights := mat.NewDense(3, 4, []float64{
		0.25, 0.25, 0.25, 0.25, // an average
		1, -1, 0, 0, // a difference
		0, 0, 2, 1.5,
	})
	for name, fit := range map[string]func(r *Regressor) error{
		"unweighted": func(r *Regressor) error { return r.Fit(ctx, x, y) },
		"weighted":   func(r *Regressor) error { return r.FitWeighted(ctx, x, y, weightsOfRows) },
	} {
		t.Run(name, func(t *testing.T) {
			r := &Regressor{Kernel: kernels.RBF{Gamma: 0.4}, Ridge: 0.05}
			require.NoError(t, fit(r))
			cross, prior, sums := combined(t, r.Kernel, weights, at, r.Rows())
			mean, variance, err := r.PredictCombinationMatrix(ctx, cross, prior, sums)
			require.NoError(t, err)

			f, err := r.Predict(at)
			require.NoError(t, err)
			var want mat.VecDense
			want.MulVec(weights, mat.NewVecDense(4, f))
			assert.InDeltaSlice(t, want.RawVector().Data, mean, 1e-10)

			const wide = 1e6
			add := func(m *mat.Dense) *mat.Dense {
				m.Apply(func(_, _ int, v float64) float64 { return v + wide }, m)
				return m
			}
			k := func(a, b *mat.Dense) *mat.Dense {
				m, err := kernels.Cross(ctx, r.Kernel, a, b, nil)
				require.NoError(t, err)
				return add(m)
			}
			m := k(x, x)
			for i := range 40 {
				w := 1.0
				if name == "weighted" {
					w = weightsOfRows[i]
				}
				m.Set(i, i, m.At(i, i)+0.05/w)
			}
			left, err := r.m.leaveOneOut(ctx)
			require.NoError(t, err)
			var solved, covariance, both mat.Dense
			require.NoError(t, ignoreCondition(solved.Solve(m, k(x, at))))
			covariance.Mul(k(at, x), &solved)
			covariance.Sub(k(at, at), &covariance)
			both.Product(weights, &covariance, weights.T())
			for i, v := range variance {
				assert.InEpsilon(t, left.scales[0]*both.At(i, i), v, 1e-3)
			}
		})
	}
}

// A combination of one row equals the prediction at that row. Its variance is that of the prediction without the noise.
func TestCombinationOfOneRow(t *testing.T) {
	x, y := sinc(30, 0.1, 1)
	r := &Regressor{Kernel: kernels.Matern{Nu: 1.5, Length: 2}}
	require.NoError(t, r.Fit(ctx, x, y))
	at, _ := sinc(5, 0, 2)
	one := mat.NewDense(5, 5, nil)
	for i := range 5 {
		one.Set(i, i, 1)
	}
	cross, prior, sums := combined(t, r.Kernel, one, at, x)
	mean, variance, err := r.PredictCombinationMatrix(ctx, cross, prior, sums)
	require.NoError(t, err)
	wantMean, wantVariance, err := r.PredictVariance(at)
	require.NoError(t, err)
	assert.InDeltaSlice(t, wantMean, mean, 1e-10)
	noise := r.m.left.scales[0] * r.ChosenRidge()
	for i, v := range variance {
		assert.InEpsilon(t, wantVariance[i], v+noise, 1e-9)
	}
}

func TestCombinationErrors(t *testing.T) {
	r := &Regressor{}
	assert.Nil(t, r.Rows())
	_, _, err := r.PredictCombinationMatrix(ctx, mat.NewDense(1, 1, nil), []float64{1}, []float64{1})
	assert.ErrorIs(t, err, fault.ErrNotFitted)
	x, y := sinc(10, 0.1, 1)
	require.NoError(t, r.Fit(ctx, x, y))
	rows := r.Rows()
	rows.Set(0, 0, 99)
	assert.NotEqual(t, 99.0, r.Rows().At(0, 0), "a copy")
	k := mat.NewDense(2, 10, nil)
	two := []float64{1, 1}
	_, _, err = r.PredictCombinationMatrix(ctx, mat.NewDense(2, 9, nil), two, two)
	assert.ErrorIs(t, err, fault.ErrShape)
	_, _, err = r.PredictCombinationMatrix(ctx, k, two[:1], two)
	assert.ErrorIs(t, err, fault.ErrShape)
	_, _, err = r.PredictCombinationMatrix(ctx, k, two, two[:1])
	assert.ErrorIs(t, err, fault.ErrShape)
	_, _, err = r.PredictCombinationMatrix(ctx, k, []float64{1, math.Inf(1)}, two)
	assert.ErrorIs(t, err, fault.ErrNotFinite)
	_, _, err = r.PredictCombinationMatrix(ctx, k, two, []float64{math.NaN(), 1})
	assert.ErrorIs(t, err, fault.ErrNotFinite)
}
