package inspection

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const normal = 1.959963984540054 // the normal quantile of a 95% band

// curvedRows returns rows with two relevant columns and an irrelevant one, and their targets.
func curvedRows(n int, seed uint64) (*mat.Dense, []float64) {
	x := uniform(n, 3, -1, 1, seed)
	noise := uniform(n, 1, -0.3, 0.3, seed+1)
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(3*x.At(i, 0)) + x.At(i, 1)*x.At(i, 1) + noise.At(i, 0)
	}
	return x, y
}

// posterior returns the mean and the covariance of weighted sums of the values of a Gaussian process at rows. It computes them from
// explicit kernel matrices, with a wide prior of the constant.
func posterior(t *testing.T, m *lssvm.Regressor, part kernels.Kernel, constant float64, x *mat.Dense, y []float64, at, weights *mat.Dense) (mean []float64, covariance *mat.Dense) {
	t.Helper()
	const wide = 1e4
	matrix := func(k kernels.Kernel, a, b *mat.Dense, add float64) *mat.Dense {
		n, _ := a.Dims()
		c, _ := b.Dims()
		out := mat.NewDense(n, c, nil)
		for i := range n {
			for j := range c {
				out.Set(i, j, k.Eval(a.RawRowView(i), b.RawRowView(j))+add)
			}
		}
		return out
	}
	full := matrix(m.ChosenKernel(), x, x, wide)
	for i := range y {
		full.Set(i, i, full.At(i, i)+m.ChosenRidge())
	}
	var inverse, cross, solved, both, middle mat.Dense
	require.NoError(t, inverse.Inverse(full))
	cross.Mul(weights, matrix(part, at, x, constant*wide))
	centred := mat.NewDense(len(y), 1, nil)
	centre := stat.Mean(y, nil)
	for i, v := range y {
		centred.Set(i, 0, v-centre)
	}
	solved.Product(&cross, &inverse, centred)
	mean = mat.Col(nil, 0, &solved)
	rows, p := weights.Dims()
	for i := range rows {
		mean[i] += constant * centre * floats.Sum(weights.RawRowView(i)[:p])
	}
	both.Product(weights, matrix(part, at, at, constant*wide), weights.T())
	middle.Product(&cross, &inverse, cross.T())
	both.Sub(&both, &middle)
	both.Scale(scaleOf(t, m, x), &both)
	return mean, &both
}

// scaleOf returns s². It is the difference between two variances of the machine whose prior variances differ by 1.
func scaleOf(t *testing.T, m *lssvm.Regressor, x *mat.Dense) float64 {
	k := mat.NewDense(1, x.RawMatrix().Rows, nil)
	_, a, err := m.PredictVarianceMatrix(k, []float64{1})
	require.NoError(t, err)
	_, b, err := m.PredictVarianceMatrix(k, []float64{2})
	require.NoError(t, err)
	return b[0] - a[0]
}

// movedRows returns a copy of all rows for each value of a column, and the weights of the means over each copy.
func movedRows(x *mat.Dense, column int, values []float64) (at, weights *mat.Dense) {
	n, d := x.Dims()
	at, weights = mat.NewDense(n*len(values), d, nil), mat.NewDense(len(values), n*len(values), nil)
	for g, v := range values {
		for i := range n {
			at.SetRow(g*n+i, x.RawRowView(i))
			at.Set(g*n+i, column, v)
			weights.Set(g, g*n+i, 1/float64(n))
		}
	}
	return at, weights
}

func assertBand(t *testing.T, e Effect, mean []float64, covariance *mat.Dense) {
	t.Helper()
	assert.Equal(t, ExactBand, e.Band)
	assert.InDeltaSlice(t, mean, e.Mean, 1e-4)
	for g := range e.Mean {
		want := normal * math.Sqrt(covariance.At(g, g))
		assert.InEpsilon(t, want, e.High[g]-e.Mean[g], 2e-3)
		assert.InEpsilon(t, want, e.Mean[g]-e.Low[g], 2e-3)
	}
}

// The band agrees with the joint posterior of all rows at all points.
func TestBandIsExact(t *testing.T) {
	x, y := curvedRows(30, 1)
	m := &lssvm.Regressor{Kernel: kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{0.8, 1, 5}}, Ridge: 0.1}
	require.NoError(t, m.Fit(ctx, x, y))
	e, err := RegressorEffect(ctx, m, x, 0, &Options{Points: 4})
	require.NoError(t, err)
	at, weights := movedRows(x, 0, e.At)
	mean, covariance := posterior(t, m, m.Kernel, 1, x, y, at, weights)
	assertBand(t, e, mean, covariance)

	var plain []float64
	for g := range e.At {
		plain = append(plain, stat.Mean(predict(t, m, at.Slice(30*g, 30*(g+1), 0, 3)), nil))
	}
	assert.InDeltaSlice(t, plain, e.Mean, 1e-9)

	piped := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: estimators.Clone(m)}
	require.NoError(t, piped.Fit(ctx, x, y))
	e, err = RegressorEffect(ctx, piped, x, 1, &Options{Points: 3})
	require.NoError(t, err)
	at, weights = movedRows(x, 1, e.At)
	scaler := piped.FittedSteps()[0]
	z, err := scaler.Transform(x)
	require.NoError(t, err)
	atZ, err := scaler.Transform(at)
	require.NoError(t, err)
	final := piped.FittedFinal().(*lssvm.Regressor)
	mean, covariance = posterior(t, final, final.Kernel, 1, z, y, atZ, weights)
	assertBand(t, e, mean, covariance)
}

// For a search that averages models, the band is that of the mixture of the models.
func TestBandOfAMeanOfModels(t *testing.T) {
	x, y := curvedRows(40, 2)
	for i := range 40 {
		x.Set(i, 1, math.Exp(x.At(i, 1)/2))
	}
	r := &selection.Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	models := r.Models()
	require.Greater(t, len(models), 1)
	e, err := RegressorEffect(ctx, r, x, 1, &Options{Points: 3, Level: 0.5})
	require.NoError(t, err)
	assert.Equal(t, ExactBand, e.Band)
	at, _ := movedRows(x, 1, e.At)
	for g := range e.At {
		part := at.Slice(40*g, 40*(g+1), 0, 3)
		mean, variance, means := 0.0, 0.0, make([]float64, len(models))
		for i, m := range models {
			z, err := m.Transform(part)
			require.NoError(t, err)
			zx, err := m.Transform(x)
			require.NoError(t, err)
			weights := mat.NewDense(1, 40, nil)
			for c := range 40 {
				weights.Set(0, c, 1.0/40)
			}
			machine := m.Estimator.(*lssvm.Regressor)
			own, covariance := posterior(t, machine, machine.ChosenKernel(), 1, zx, y, z, weights)
			means[i] = own[0]
			mean += m.Share * own[0]
			variance += m.Share * covariance.At(0, 0)
		}
		for i, m := range models {
			variance += m.Share * (means[i] - mean) * (means[i] - mean)
		}
		assert.InDelta(t, mean, e.Mean[g], 1e-4)
		assert.InEpsilon(t, 0.6744897501960817*math.Sqrt(variance), e.High[g]-mean, 5e-3)
	}
	without, err := RegressorEffect(ctx, r, x, 1, &Options{Points: 3, NoBand: true})
	require.NoError(t, err)
	assert.Nil(t, without.High)
	assert.InDeltaSlice(t, e.Mean, without.Mean, 1e-9)
}

// hidden predicts like a machine, but is a type that inspection does not know.
type hidden struct{ *lssvm.Regressor }

// For other estimators the band is a bound, and exact bands do not exceed it.
func TestBandIsABound(t *testing.T) {
	x, y := curvedRows(40, 3)
	m := &lssvm.Regressor{}
	require.NoError(t, m.Fit(ctx, x, y))
	exact, err := RegressorEffect(ctx, m, x, 0, nil)
	require.NoError(t, err)
	bound, err := RegressorEffect(ctx, hidden{m}, x, 0, nil)
	require.NoError(t, err)
	assert.Equal(t, ExactBand, exact.Band)
	assert.Equal(t, BoundBand, bound.Band)
	for g := range exact.Mean {
		assert.InDelta(t, exact.Mean[g], bound.Mean[g], 1e-7)
		assert.Greater(t, bound.High[g]-bound.Mean[g], exact.High[g]-exact.Mean[g])
	}
	sparse := &rvm.Regressor{}
	require.NoError(t, sparse.Fit(ctx, x, y))
	e, err := RegressorEffect(ctx, sparse, x, 0, nil)
	require.NoError(t, err)
	assert.Equal(t, BoundBand, e.Band)
	assert.Contains(t, e.String(), "(bound)")
	assert.Less(t, e.Mean[2], e.Mean[15])
}

func additive() *lssvm.Regressor {
	return &lssvm.Regressor{Kernel: kernels.Additive{Kernel: kernels.RBF{Gamma: 0.5}, Lengths: []float64{0.7, 1, 2}, Variances: []float64{1, 0.5, 0.25}}, Ridge: 0.1}
}

// A component agrees with the posterior of its term of the kernel, centred over the rows.
func TestComponentIsExact(t *testing.T) {
	x, y := curvedRows(30, 4)
	m := additive()
	require.NoError(t, m.Fit(ctx, x, y))
	total := make([]float64, 30)
	for j := range 3 {
		e, err := Component(ctx, m, x, j, &Options{Points: 30})
		require.NoError(t, err)
		assert.InDelta(t, 0, stat.Mean(e.Mean, e.Share), 1e-9, "over the rows")
		k := m.Kernel.(kernels.Additive)
		term := kernels.Columns{Of: []int{j}, Kernel: kernels.Additive{Kernel: k.Kernel, Lengths: k.Lengths[j : j+1], Variances: k.Variances[j : j+1]}}
		weights := mat.NewDense(30, 30, nil) // each row minus the mean of all rows
		for a := range 30 {
			for b := range 30 {
				weights.Set(a, b, -1.0/30)
			}
			weights.Set(a, a, 1-1.0/30)
		}
		mean, covariance := posterior(t, m, term, 0, x, y, x, weights)
		for i := range 30 {
			g := indexOf(e.At, x.At(i, j))
			assert.InDelta(t, mean[i], e.Mean[g], 1e-4)
			assert.InEpsilon(t, normal*math.Sqrt(covariance.At(i, i)), e.High[g]-e.Mean[g], 2e-3)
			total[i] += e.Mean[g]
		}
		effect, err := RegressorEffect(ctx, m, x, j, &Options{Points: 30})
		require.NoError(t, err)
		for g, v := range effect.Mean {
			assert.InDelta(t, e.Mean[g]-e.Mean[0], v-effect.Mean[0], 1e-9, "the effect is the component and a constant")
		}
	}
	f := predict(t, m, x)
	for i, v := range f {
		assert.InDelta(t, v, total[i]+stat.Mean(f, nil), 1e-9, "all components make the prediction")
	}
}

func indexOf(values []float64, v float64) int {
	for i, at := range values {
		if at == v {
			return i
		}
	}
	return -1
}

func TestComponentBehindSteps(t *testing.T) {
	x, y := curvedRows(40, 5)
	piped := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: additive()}
	require.NoError(t, piped.Fit(ctx, x, y))
	e, err := Component(ctx, piped, x, 0, nil)
	require.NoError(t, err)
	f, err := RegressorEffect(ctx, piped, x, 0, nil)
	require.NoError(t, err)
	for g := range e.Mean {
		assert.InDelta(t, e.Mean[g]-e.Mean[0], f.Mean[g]-f.Mean[0], 1e-9)
	}
	without, err := Component(ctx, piped, x, 0, &Options{NoBand: true})
	require.NoError(t, err)
	assert.Equal(t, e.Mean, without.Mean)
	assert.Equal(t, NoBand, without.Band)

	mixed := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.UnitRows{}}, Final: additive()}
	require.NoError(t, mixed.Fit(ctx, x, y))
	_, err = Component(ctx, mixed, x, 0, nil)
	assert.ErrorIs(t, err, estimators.ErrParam)
	m := &lssvm.Regressor{}
	require.NoError(t, m.Fit(ctx, x, y))
	_, err = Component(ctx, m, x, 0, nil)
	assert.ErrorIs(t, err, estimators.ErrParam, "no sum")
	_, err = Component(ctx, hidden{m}, x, 0, nil)
	assert.ErrorIs(t, err, estimators.ErrParam, "an unknown machine")
}

func TestLengths(t *testing.T) {
	x, y := curvedRows(60, 6)
	wide := mat.NewDense(60, 5, nil)
	for i := range 60 {
		wide.SetRow(i, []float64{x.At(i, 0), 10 * x.At(i, 1), x.At(i, 2), 7 - 3*x.At(i, 0), 1})
	}
	given := kernels.ARD{Kernel: kernels.RBF{Gamma: 0.5}, Lengths: []float64{1, 2, 3, 0.5}, Groups: []int{0, 1, 2, 3, 1}}
	piped := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{Kernel: given}}
	require.NoError(t, piped.Fit(ctx, wide, y))
	r, err := RegressorRelevances(ctx, piped, wide, nil)
	require.NoError(t, err)
	of := byName(r)
	assert.InDelta(t, 1/math.Sqrt(1+1/0.25), of["column 0, column 3"].Length, 1e-9, "copies share")
	assert.InDelta(t, 2, of["column 1"].Length, 1e-9)
	assert.InDelta(t, 3, of["column 2"].Length, 1e-9)
	assert.True(t, math.IsInf(of["column 4"].Length, 1), "a constant")

	// Without a scaler, lengths in the units of a column are converted to its standard deviations.
	bare := &lssvm.Regressor{Kernel: kernels.Additive{Kernel: kernels.RBF{Gamma: 0.5}, Lengths: []float64{1, 2, 3}}}
	require.NoError(t, bare.Fit(ctx, x, y))
	r, err = RegressorRelevances(ctx, bare, x, nil)
	require.NoError(t, err)
	deviation := stat.StdDev(mat.Col(nil, 1, x), nil)
	assert.InEpsilon(t, 2/deviation, byName(r)["column 1"].Length, 1e-9)

	for _, c := range []struct {
		kernel kernels.Kernel
		want   float64
	}{
		{kernels.Matern{Nu: 1.5, Length: 2}, 2 / deviation}, // one length for all columns
		{kernels.ARD{Kernel: kernels.Matern{Nu: 1.5, Length: 2}, Lengths: []float64{1, 3, 1}}, 6 / deviation},
		{kernels.Sum{kernels.Matern{Nu: 1.5, Length: 2}, kernels.Linear{}}, math.NaN()},
		{kernels.RBF{Gamma: 1}, math.NaN()},
	} {
		bare.Kernel = c.kernel
		require.NoError(t, bare.Fit(ctx, x, y))
		r, err = RegressorRelevances(ctx, bare, x, nil)
		require.NoError(t, err)
		if got := byName(r)["column 1"].Length; math.IsNaN(c.want) {
			assert.True(t, math.IsNaN(got), c.kernel)
		} else {
			assert.InEpsilon(t, c.want, got, 1e-9, c.kernel)
		}
	}

	mixed := &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.UnitRows{}}, Final: &lssvm.Regressor{Kernel: kernels.ARD{Kernel: kernels.RBF{Gamma: 0.5}, Lengths: []float64{1, 2, 3}}}}
	require.NoError(t, mixed.Fit(ctx, x, y))
	r, err = RegressorRelevances(ctx, mixed, x, nil)
	require.NoError(t, err)
	assert.True(t, math.IsNaN(r[0].Length), "columns that are mixed")
	assert.Contains(t, r.String(), " - ")
}

// The relevances of a fitted search identify the relevant columns, also if cells are missing.
func TestRelevancesOfASearch(t *testing.T) {
	x, y := curvedRows(120, 7)
	for i := 0; i < 120; i += 9 {
		x.Set(i, 1, math.NaN())
	}
	r := &selection.Regressor{}
	require.NoError(t, r.Fit(ctx, x, y))
	got, err := RegressorRelevances(ctx, r, x, &Options{Names: []string{"wave", "bowl", "nothing"}})
	require.NoError(t, err)
	assert.Equal(t, []string{"wave", "bowl", "nothing"}, []string{got[0].Name, got[1].Name, got[2].Name})
	assert.Less(t, got[2].Relevance, 0.03)
	assert.Less(t, got[0].Length, got[2].Length)
	assert.Regexp(t, `(?m)^ +wave +\d`, got.String())
}
