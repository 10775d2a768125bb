package rvm

import (
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm/internal/reference"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/kernels"
)

// blobs returns rows around one centre for each class, with some overlap.
func blobs(n, classes int, seed uint64) (*mat.Dense, []int) {
	x := random(n, 2, seed)
	y := make([]int, n)
	for i := range y {
		y[i] = i % classes
		a := 2 * math.Pi * float64(y[i]) / float64(classes)
		x.Set(i, 0, 0.7*x.At(i, 0)+2*math.Cos(a))
		x.Set(i, 1, 0.7*x.At(i, 1)+2*math.Sin(a))
	}
	return x, y
}

func loadClasses(t *testing.T) (c reference.Case, labels []int) {
	c = reference.Load(t, ".", reference.Classes)
	for _, v := range c.Y {
		labels = append(labels, int(v))
	}
	return c, labels
}

// The fitted model is the optimum of the reference.
func TestClassReference(t *testing.T) {
	c, labels := loadClasses(t)
	r := &Classifier{Kernel: kernels.RBF{Gamma: c.Param}}
	require.NoError(t, r.Fit(ctx, golden.Dense(c.X), labels))
	assert.GreaterOrEqual(t, r.LogEvidence(), c.Optimum.Evidence-0.5)
	assert.True(t, r.Report().Converged)
	if !assert.Equal(t, c.Optimum.Relevance[:3], r.RelevanceIndices(), "the set may differ; then the predictions below do too") {
		return
	}
	proba, err := r.PredictProba(golden.Dense(c.Predict.X))
	require.NoError(t, err)
	assert.LessOrEqual(t, golden.MaxError(mat.Col(nil, 1, proba), c.Predict.Proba), 1e-6)
}

// The true gradient leads to a slightly higher evidence.
func TestRefineRaisesTheEvidence(t *testing.T) {
	c, labels := loadClasses(t)
	plain := &Classifier{Kernel: kernels.RBF{Gamma: c.Param}}
	refined := &Classifier{Kernel: kernels.RBF{Gamma: c.Param}, Refine: true}
	require.NoError(t, plain.Fit(ctx, golden.Dense(c.X), labels))
	require.NoError(t, refined.Fit(ctx, golden.Dense(c.X), labels))
	assert.InDelta(t, 0.04, refined.LogEvidence()-plain.LogEvidence(), 0.02)
}

// The machines agree with the probabilities, the relevance vectors and the evidence of the classifier.
func TestMachines(t *testing.T) {
	for _, classes := range []int{2, 3, 4} {
		x, y := blobs(120, classes, 1)
		fresh, truth := blobs(40, classes, 2)
		c := &Classifier{Kernel: kernels.RBF{Gamma: 0.5}}
		require.NoError(t, c.Fit(ctx, x, y))
		machines := c.Machines()
		if classes == 2 {
			require.Len(t, machines, 1)
			assert.Equal(t, 1, machines[0].Class)
		} else {
			require.Len(t, machines, classes)
		}
		p, err := c.PredictProba(fresh)
		require.NoError(t, err)
		decision, err := c.Decision(fresh)
		require.NoError(t, err)
		labels, err := c.Predict(fresh)
		require.NoError(t, err)
		var all []int
		evidence := 0.0
		for _, m := range machines {
			all = append(all, m.RelevanceIndices...)
			evidence += m.LogEvidence
			assert.Equal(t, len(m.Coefficients), len(m.RelevanceIndices))
			assert.True(t, slices.IsSorted(m.RelevanceIndices))
		}
		slices.Sort(all)
		assert.Equal(t, slices.Compact(all), c.RelevanceIndices())
		assert.InDelta(t, evidence, c.LogEvidence(), 1e-12)
		assert.InDelta(t, -evidence, c.Report().Objective, 1e-12)

		right := 0
		for i := range truth {
			sum := 0.0
			for k := range classes {
				sum += sigmoid(decision.At(i, k))
			}
			for k := range classes {
				assert.InDelta(t, sigmoid(decision.At(i, k))/sum, p.At(i, k), 1e-12)
			}
			if labels[i] == truth[i] {
				right++
			}
			// Moderation brings the latent score towards 0 and keeps its sign.
			m := machines[0]
			f := m.Intercept
			for a, j := range m.RelevanceIndices {
				f += m.Coefficients[a] * c.ChosenKernel().Eval(fresh.RawRowView(i), x.RawRowView(j))
			}
			s := decision.At(i, classes-len(machines))
			assert.True(t, math.Abs(s) <= math.Abs(f) && s*f >= 0, "score %v of latent %v", s, f)
		}
		assert.GreaterOrEqual(t, right, 34, "of 40, %d classes", classes)
		assert.Less(t, len(c.RelevanceIndices()), 25, "few vectors")
	}
}

func sigmoid(v float64) float64 { return 1 / (1 + math.Exp(-v)) }

// Rows that are very unlikely under every class still have probabilities.
func TestProbabilitiesOfUnlikelyRows(t *testing.T) {
	p := probabilities(mat.NewDense(3, 3, []float64{-900, -901, -2000, 900, -900, 0, 0, 0, 0}))
	for i := range 3 {
		assert.InDelta(t, 1, mat.Sum(p.RowView(i)), 1e-15)
	}
	assert.InDelta(t, math.E, p.At(0, 0)/p.At(0, 1), 1e-12)
	assert.InDelta(t, 2.0/3, p.At(1, 0), 1e-15)
	assert.InDelta(t, 1.0/3, p.At(2, 1), 1e-15)
}

func TestWaysToTheSameClassifier(t *testing.T) {
	x, y := blobs(150, 3, 3)
	fresh, _ := blobs(20, 3, 4)
	kernel := kernels.RBF{Gamma: 0.5}
	want := &Classifier{Kernel: kernel}
	require.NoError(t, want.Fit(ctx, x, y))
	p, err := want.PredictProba(fresh)
	require.NoError(t, err)
	for name, c := range map[string]*Classifier{
		"landmarks": {Kernel: kernel, Landmarks: x}, "no cache": {Kernel: kernel, CacheBytes: 1}, "workers": {Kernel: kernel, Workers: 3},
	} {
		require.NoError(t, c.Fit(ctx, x, y))
		assert.Equal(t, want.RelevanceIndices(), c.RelevanceIndices(), name)
		got, err := c.PredictProba(fresh)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(p, got, 1e-8), name)
	}
	k, err := kernels.Matrix(ctx, kernel, x, nil)
	require.NoError(t, err)
	cross, err := kernels.Cross(ctx, kernel, fresh, x, nil)
	require.NoError(t, err)
	c := &Classifier{}
	require.NoError(t, c.FitDesign(ctx, k, y))
	got, err := c.PredictProbaDesign(cross)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(p, got, 1e-8))
	labels, err := c.PredictDesign(cross)
	require.NoError(t, err)
	truth, err := want.Predict(fresh)
	require.NoError(t, err)
	assert.Equal(t, truth, labels)
	assert.Nil(t, c.RelevanceVectors())
	_, err = c.Predict(fresh)
	assert.ErrorContains(t, err, "methods that end in Design")
	_, err = want.PredictDesign(cross)
	assert.ErrorContains(t, err, "methods that do not end in Design")
	_, err = c.PredictDesign(fresh)
	assert.ErrorIs(t, err, estimators.ErrShape)
}

func TestClassifierFields(t *testing.T) {
	x, y := blobs(100, 2, 5)
	var steps atomic.Int64
	c := &Classifier{Components: 20, Seed: 3, Observe: func(s estimators.Step) {
		if !s.Between {
			steps.Add(1)
		}
	}}
	assert.Nil(t, c.Machines())
	assert.Nil(t, c.RelevanceIndices())
	assert.Nil(t, c.RelevanceVectors())
	assert.Nil(t, c.ChosenKernel())
	assert.Zero(t, c.LogEvidence())
	require.NoError(t, c.Fit(ctx, x, y))
	assert.EqualValues(t, c.Report().Iterations, steps.Load())
	for i, j := range c.RelevanceIndices() {
		assert.Equal(t, x.RawRowView(j), c.RelevanceVectors().RawRowView(i))
	}
	for want, c := range map[string]*Classifier{
		"rvm: Classifier: Components = -1, want >= 1, or 0 for all rows": {Components: -1},
		"rvm: Classifier: CacheBytes = -1, want >= 1, or 0 for 512 MiB":  {CacheBytes: -1},
		"rvm: Classifier: Landmarks has 1 columns, x has 2":              {Landmarks: mat.NewDense(1, 1, nil)},
	} {
		assert.EqualError(t, c.Fit(ctx, x, y), want)
	}
	assert.ErrorIs(t, c.FitDesign(ctx, x, y[1:]), estimators.ErrShape)
	assert.ErrorIs(t, c.FitDesign(ctx, nil, y), estimators.ErrShape)
}
