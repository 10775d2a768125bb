package svm

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/svm/internal/smo"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// nuReference is a case of testdata/sklearn_nu.json, which sklearn_nu.py generates.
type nuReference struct {
	reference
	Nu    float64
	Score []float64
}

type nuReferences struct {
	Classification, Regression, OneClass []nuReference
}

func loadNu(t *testing.T) (ref nuReferences) {
	golden.Load(t, "sklearn_nu.json", &ref)
	require.Len(t, ref.Classification, 5)
	require.Len(t, ref.Regression, 4)
	require.Len(t, ref.OneClass, 4)
	return ref
}

func TestNuClassifierAgainstScikitLearn(t *testing.T) {
	for _, ref := range loadNu(t).Classification {
		t.Run(ref.Name, func(t *testing.T) {
			x, xt := golden.Dense(ref.X), golden.Dense(ref.Xt)
			y := make([]int, len(ref.Y))
			for i, v := range ref.Y {
				y[i] = int(v)
			}
			c := &Classifier{Kernel: ref.kernel(t), Nu: ref.Nu, Tolerance: 1e-8}
			if ref.Weights != nil {
				require.NoError(t, c.FitWeighted(ctx, x, y, ref.Weights))
			} else {
				require.NoError(t, c.Fit(ctx, x, y))
			}
			require.True(t, c.Report().Converged)
			labels, err := c.Predict(xt)
			require.NoError(t, err)
			for i, want := range ref.Predict {
				assert.EqualValues(t, want, labels[i], "row %d", i)
			}
			pairs, err := c.PairDecision(xt)
			require.NoError(t, err)
			sign := 1.0
			if len(c.Classes()) > 2 {
				sign = -1 // values of LIBSVM are positive for the first class of a pair
			} else {
				assert.InEpsilon(t, ref.Objective, c.Report().Objective*c.ChosenC()*c.ChosenC(), objectiveTolerance)
			}
			agree(t, golden.Dense(ref.Pairs), pairs, sign)
			assert.InDelta(t, len(ref.Support), len(c.SupportIndices()), 2)
			f, err := c.Decision(xt)
			require.NoError(t, err)
			onMatrix(t, c, x, xt, y, ref.Weights, f)
		})
	}
}

func TestNuRegressorAgainstScikitLearn(t *testing.T) {
	for _, ref := range loadNu(t).Regression {
		t.Run(ref.Name, func(t *testing.T) {
			x, xt := golden.Dense(ref.X), golden.Dense(ref.Xt)
			r := &Regressor{Kernel: ref.kernel(t), C: ref.C, Nu: ref.Nu, Tolerance: 1e-8}
			if ref.Weights != nil {
				require.NoError(t, r.FitWeighted(ctx, x, ref.Y, ref.Weights))
			} else {
				require.NoError(t, r.Fit(ctx, x, ref.Y))
			}
			require.True(t, r.Report().Converged)
			f, err := r.Predict(xt)
			require.NoError(t, err)
			assert.LessOrEqual(t, golden.MaxError(f, ref.Predict), decisionTolerance)
			assert.InEpsilon(t, ref.Objective, r.Report().Objective, objectiveTolerance)
		})
	}
}

// nuData returns rows of two overlapping classes, with targets and weights.
func nuData(n int, seed uint64) (x *mat.Dense, y []float64, labels []int, w []float64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	x, y, labels, w = mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n), make([]float64, n)
	for i := range n {
		x.SetRow(i, []float64{rng.NormFloat64(), rng.NormFloat64()})
		y[i] = x.At(i, 0) + 0.5*rng.NormFloat64()
		w[i] = 0.5 + rng.Float64()
		if labels[i] = -1; i == 0 || i > 1 && y[i] > 0 {
			labels[i] = 1
		}
	}
	return x, y, labels, w
}

// A ν machine equals the machine with its chosen C, or with the tube that it chose. It satisfies the conditions of optimality of
// that problem, with kernel values computed one by one, and has the sum of |β| that ν requires.
func TestNuSolutionsAreOptimal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 60).Draw(t, "rows")
		x, y, labels, w := nuData(n, rapid.Uint64().Draw(t, "seed"))
		k := []kernels.Kernel{kernels.RBF{Gamma: 0.5}, kernels.RBF{Gamma: 20}, kernels.Linear{}, kernels.Laplacian{Gamma: 1}}[rapid.IntRange(0, 3).Draw(t, "kernel")]
		cache := int64(rapid.SampledFrom([]int{0, 1, 8 * 10 * n}).Draw(t, "cache"))
		noShrinking := rapid.Bool().Draw(t, "no shrinking")
		share := rapid.Float64Range(0.05, 1).Draw(t, "share")

		p := smo.NewProblem(make([]float64, n))
		sums := map[int]float64{}
		for i, l := range labels {
			sums[l] += w[i]
		}
		total := sums[1] + sums[-1]
		m := &Classifier{Kernel: k, Nu: share * 2 * min(sums[1], sums[-1]) / total, CacheBytes: cache, NoShrinking: noShrinking, MaxIterations: 1e6}
		require.NoError(t, m.FitWeighted(ctx, x, labels, w))
		c := m.ChosenC()
		switch {
		case !m.Report().Converged: // the hulls nearly touch, and the distance approaches 0 ever more slowly
			assert.Greater(t, c, 1e5)
		case c > 0:
			for i, l := range labels {
				p.Target[i], p.Lo[i], p.Hi[i] = float64(l), min(0, float64(l)*c*w[i]*(1+1e-12)), max(0, float64(l)*c*w[i]*(1+1e-12))
			}
			pair := m.Pairs()[0]
			beta := full(n, m.SupportIndices(), pair.Coefficients)
			// A coefficient at its bound may differ by rounding from the bound of the other problem.
			for i := range beta {
				if math.Abs(beta[i]) > c*w[i]*(1-1e-12) {
					beta[i] = math.Copysign(c*w[i]*(1+1e-12), beta[i])
				}
			}
			optimal(t, k, x, p, beta, pair.Intercept, defaultTolerance)
			assert.InEpsilon(t, m.Nu*total*c, floats.Norm(beta, 1), 1e-9)
		default:
			assert.Len(t, m.Report().Warnings, 1)
		}

		c = math.Pow(10, rapid.Float64Range(-2, 2).Draw(t, "log C"))
		r := &Regressor{Kernel: k, C: c, Nu: share, Tolerance: 1e-3, CacheBytes: cache, NoShrinking: noShrinking}
		require.NoError(t, r.FitWeighted(ctx, x, y, w))
		require.True(t, r.Report().Converged)
		p.Target, p.Epsilon = y, r.ChosenEpsilon()
		for i := range p.Lo {
			p.Lo[i], p.Hi[i] = -c*w[i], c*w[i]
		}
		beta := full(n, r.SupportIndices(), r.Coefficients())
		optimal(t, k, x, p, beta, r.Intercept(), r.Tolerance)
		norm, most := floats.Norm(beta, 1), c*share*total
		assert.LessOrEqual(t, norm, most*(1+1e-9))
		if p.Epsilon > r.Tolerance {
			assert.InEpsilon(t, most, norm, 1e-9, "a tube presses")
		}
	})
}

// The smaller the distance between two hulls, the more iterations are needed. The solver converges eventually. If it does not
// converge within MaxIterations, Report contains a warning.
func TestNuOfHullsThatAllButTouch(t *testing.T) {
	x, _, labels, w := nuData(55, 0x5427fcad)
	sums := map[int]float64{}
	for i, l := range labels {
		sums[l] += w[i]
	}
	fit := func(iterations int) *Classifier {
		m := &Classifier{Kernel: kernels.RBF{Gamma: .5}, Nu: .0538 * 2 * min(sums[1], sums[-1]) / (sums[1] + sums[-1]), MaxIterations: iterations}
		require.NoError(t, m.FitWeighted(ctx, x, labels, w))
		return m
	}
	few, many := fit(1e4), fit(1e6)
	assert.False(t, few.Report().Converged)
	assert.Contains(t, few.Report().Warnings[0], "MaxIterations")
	assert.True(t, many.Report().Converged)
	assert.Greater(t, many.ChosenC(), 1e4)
	assert.Less(t, many.Report().Objective, few.Report().Objective)
}

// The share of rows beyond the margin or the tube is at most ν, and the share of support vectors is at least ν.
func TestNuBoundsTheErrors(t *testing.T) {
	const n, slack = 300, 1e-6
	x, y, labels, _ := nuData(n, 9)
	for _, nu := range []float64{0.25, 0.4, 0.6, 0.8} {
		k := kernels.RBF{Gamma: 0.5}
		c := &Classifier{Kernel: k, Nu: nu, Tolerance: 1e-8}
		require.NoError(t, c.Fit(ctx, x, labels))
		f, err := c.PairDecision(x)
		require.NoError(t, err)
		outside := 0
		for i, l := range labels {
			if float64(l)*f.At(i, 0) < 1-slack {
				outside++
			}
		}
		assert.LessOrEqual(t, float64(outside), nu*n)
		assert.GreaterOrEqual(t, float64(len(c.SupportIndices())), nu*n)
		assert.Greater(t, float64(outside), nu*n-20, "and both are near")

		// A machine with C set to the chosen C is the same machine.
		same := &Classifier{Kernel: k, C: c.ChosenC(), Tolerance: 1e-8}
		require.NoError(t, same.Fit(ctx, x, labels))
		assert.True(t, mat.EqualApprox(decisions(t, c, x), decisions(t, same, x), 1e-4))

		r := &Regressor{Kernel: k, C: 2, Nu: nu, Tolerance: 1e-8}
		require.NoError(t, r.Fit(ctx, x, y))
		p, err := r.Predict(x)
		require.NoError(t, err)
		outside = 0
		for i := range y {
			if math.Abs(y[i]-p[i]) > r.ChosenEpsilon()+slack {
				outside++
			}
		}
		assert.LessOrEqual(t, float64(outside), nu*n)
		assert.GreaterOrEqual(t, float64(len(r.SupportIndices())), nu*n)
		assert.Greater(t, float64(outside), nu*n-20)
		tube := &Regressor{Kernel: k, C: 2, Epsilon: r.ChosenEpsilon(), Tolerance: 1e-8}
		require.NoError(t, tube.Fit(ctx, x, y))
		q, err := tube.Predict(x)
		require.NoError(t, err)
		assert.InDeltaSlice(t, q, p, 1e-4)
	}
}

// Rows on the edge of the margin or the tube are not errors, although the solver leaves them on either side of it.
func TestNuBoundsTheErrorsOfTies(t *testing.T) {
	const n = 300
	x, y, labels := mat.NewDense(n, 2, nil), make([]float64, n), make([]int, n)
	for i := range n {
		x.SetRow(i, []float64{float64(i % 3), float64(i % 4)})
		y[i], labels[i] = math.Sin(float64(i%12)), i%2
		if i%7 == 0 {
			y[i]++
		}
	}
	for _, nu := range []float64{0.05, 0.2, 0.5} {
		k := kernels.RBF{Gamma: 0.5}
		c := &Classifier{Kernel: k, Nu: nu}
		require.NoError(t, c.Fit(ctx, x, labels))
		f, err := c.PairDecision(x)
		require.NoError(t, err)
		r := &Regressor{Kernel: k, C: 2, Nu: nu}
		require.NoError(t, r.Fit(ctx, x, y))
		p, err := r.Predict(x)
		require.NoError(t, err)
		within, outside := 0, 0
		for i, l := range labels {
			if float64(2*l-1)*f.At(i, 0) < 1 {
				within++
			}
			if math.Abs(y[i]-p[i]) > r.ChosenEpsilon() {
				outside++
			}
		}
		assert.LessOrEqual(t, float64(within), nu*n)
		assert.LessOrEqual(t, float64(outside), nu*n)
	}
}

func TestNuShrinkingDoesNotChangeTheSolution(t *testing.T) {
	x, y := blobs(600, 2, 0.9, 1)
	k := kernels.RBF{Gamma: 20}
	c := &Classifier{Kernel: k, Nu: 0.4, Tolerance: 1e-7}
	require.NoError(t, c.Fit(ctx, x, y))
	plain := estimators.Clone(c)
	plain.NoShrinking = true
	require.NoError(t, plain.Fit(ctx, x, y))
	assert.InEpsilon(t, plain.Report().Objective, c.Report().Objective, 1e-9)
	assert.True(t, mat.EqualApprox(decisions(t, c, x), decisions(t, plain, x), 1e-5))

	xr, yr := sinc(600, 0.2, 1)
	r := &Regressor{Kernel: kernels.RBF{Gamma: 0.5}, C: 100, Nu: 0.3, Tolerance: 1e-6}
	require.NoError(t, r.Fit(ctx, xr, yr))
	assert.Greater(t, r.Report().Iterations, 2*smo.ShrinkPeriod, "long enough for something to be set aside")
	plainR := estimators.Clone(r)
	plainR.NoShrinking = true
	require.NoError(t, plainR.Fit(ctx, xr, yr))
	p, err := r.Predict(xr)
	require.NoError(t, err)
	q, err := plainR.Predict(xr)
	require.NoError(t, err)
	assert.InDeltaSlice(t, q, p, 1e-4)
}

func TestNuThatCannotBe(t *testing.T) {
	x, y := blobs(40, 2, 0.5, 1)
	for i := range 32 {
		y[i] = 10
	}
	for i := 32; i < 40; i++ {
		y[i] = 20
	}
	err := (&Classifier{Nu: 0.41}).Fit(ctx, x, y)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.EqualError(t, err, "svm: Classifier: Nu = 0.41, want at most 0.4 for the classes 10 and 20: twice the share of the smaller of the two; Balanced makes it 1")
	require.NoError(t, (&Classifier{Nu: 0.4}).Fit(ctx, x, y))
	require.NoError(t, (&Classifier{Nu: 0.4, Probabilities: true}).Fit(ctx, x, y), "nor in folds that have fewer of the smaller class")
	require.NoError(t, (&Classifier{Nu: 1, Balanced: true}).Fit(ctx, x, y))

	target := mat.Col(nil, 0, x)
	for _, nu := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		assert.ErrorIs(t, (&Classifier{Nu: nu}).Fit(ctx, x, y), estimators.ErrParam)
		assert.ErrorIs(t, (&Regressor{Nu: nu}).Fit(ctx, x, target), estimators.ErrParam)
	}
	assert.EqualError(t, (&Classifier{Nu: 0.1, C: 2}).Fit(ctx, x, y), "svm: Classifier: C = 2, want 0 with Nu, which replaces it")
	assert.EqualError(t, (&Regressor{Nu: 0.1, Epsilon: 2}).Fit(ctx, x, target), "svm: Regressor: Epsilon = 2, want 0 with Nu, which replaces it")
}

// Classes that overlap more than ν allows have no margin.
func TestNuWithoutAMargin(t *testing.T) {
	x := mat.NewDense(9, 1, []float64{1, 2, 3, 4, 1, 2, 3, 4, 2})
	y := []int{1, 1, 1, 1, 2, 2, 2, 2, 2}
	for _, k := range []kernels.Kernel{kernels.RBF{Gamma: 1}, kernels.Linear{}} {
		c := &Classifier{Kernel: k, Nu: 0.5}
		require.NoError(t, c.Fit(ctx, x, y))
		require.Len(t, c.Report().Warnings, 1)
		assert.Contains(t, c.Report().Warnings[0], "1 of 1 machines, the first for the classes 1 and 2, have no margin")
		assert.Zero(t, c.ChosenC())
		labels, err := c.Predict(x)
		require.NoError(t, err)
		assert.Equal(t, []int{2, 2, 2, 2, 2, 2, 2, 2, 2}, labels)
		data, err := c.MarshalBinary()
		require.NoError(t, err)
		require.NoError(t, (&Classifier{Kernel: k}).UnmarshalBinary(data))
	}
}

// For targets without noise the tube is 0, and constant targets have no support vectors.
func TestNuWithoutNoise(t *testing.T) {
	x, _ := sinc(40, 0, 1)
	y := make([]float64, 40)
	for i := range y {
		y[i] = 2*x.At(i, 0) + 1
	}
	r := &Regressor{Kernel: kernels.Linear{}, C: 100, Nu: 0.5, Tolerance: 1e-6}
	require.NoError(t, r.Fit(ctx, x, y))
	assert.InDelta(t, 0, r.ChosenEpsilon(), 1e-6)
	p, err := r.Predict(x)
	require.NoError(t, err)
	assert.InDeltaSlice(t, y, p, 1e-4)

	for i := range y {
		y[i] = 7
	}
	for _, r := range []*Regressor{{Nu: 0.5}, {Nu: 1, C: 3}} {
		require.NoError(t, r.Fit(ctx, x, y))
		assert.Empty(t, r.SupportIndices())
		assert.Equal(t, 7.0, r.Intercept())
		assert.Zero(t, r.ChosenEpsilon())
	}
}

// Targets, kernels and weights can have any magnitude, and predictions for unusual data are finite.
func TestNuOfHostileSizes(t *testing.T) {
	x, y, labels, w := nuData(60, 4)
	for _, scale := range []float64{1e-60, 1e-12, 1e12, 1e60} {
		k := kernels.Scaled{Kernel: kernels.RBF{Gamma: 0.5}, Factor: scale}
		one, scaled := &Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Nu: 0.3, Tolerance: 1e-8}, &Classifier{Kernel: k, Nu: 0.3, Tolerance: 1e-8}
		require.NoError(t, one.FitWeighted(ctx, x, labels, w))
		require.NoError(t, scaled.FitWeighted(ctx, x, labels, w))
		assert.True(t, scaled.Report().Converged)
		assert.True(t, mat.EqualApprox(decisions(t, one, x), decisions(t, scaled, x), 1e-4), "%v", scale)

		targets := make([]float64, len(y))
		floats.ScaleTo(targets, scale, y)
		r := &Regressor{Kernel: kernels.RBF{Gamma: 0.5}, Nu: 0.3}
		require.NoError(t, r.Fit(ctx, x, targets))
		assert.True(t, r.Report().Converged)
		plain := &Regressor{Kernel: kernels.RBF{Gamma: 0.5}, Nu: 0.3}
		require.NoError(t, plain.Fit(ctx, x, y))
		assert.InEpsilon(t, plain.ChosenEpsilon(), r.ChosenEpsilon()/scale, 0.01)
	}
	// All rows are equal.
	constant := mat.NewDense(60, 2, nil)
	c := &Classifier{Nu: 0.3}
	require.NoError(t, c.Fit(ctx, constant, labels))
	assert.Len(t, c.Report().Warnings, 1)
	r := &Regressor{Nu: 0.3}
	require.NoError(t, r.Fit(ctx, constant, y))
	p, err := r.Predict(constant)
	require.NoError(t, err)
	assert.Zero(t, floats.Sum(p)-floats.Sum(p))
}
