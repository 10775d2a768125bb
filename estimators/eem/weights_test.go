package eem

import (
	"context"
	"math"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/features"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments"
	"github.com/kernelearn/kernelearn/estimators/eem/internal/moments/momentstest"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// weighted is the interface of the methods that the tests need, for both machines.
type weighted interface {
	estimators.Classifier
	estimators.WeightedFitter[int]
	estimators.ProbaPredictor
	Statistics() []*Statistics
	Report() estimators.Report
}

// A weight of 2 has the same effect as repeating the row, for any number of classes and features, if neither the units nor the
// kernel depend on the rows.
func TestWeightsAreRows(t *testing.T) {
	x, y := blobs(1500, 3, 1)
	weights, labels := make([]float64, len(y)), []int{}
	var rows []int
	for i := range y {
		weights[i] = float64(1 + i%5/2) // 1, 1, 2, 2, 3
		for range int(weights[i]) {
			rows, labels = append(rows, i), append(labels, y[i])
		}
	}
	kernel, landmarks := kernels.RBF{Gamma: .5}, mat.DenseCopyOf(x.Slice(0, 20, 0, 2))
	for name, build := range map[string]func() weighted{
		"pairs": func() weighted { return &Classifier{Units: 20, Activation: featuremap.Tanh, EmpiricalPriors: true} },
		"discriminant": func() weighted {
			return &Classifier{Units: 20, Activation: featuremap.Tanh, Multiclass: Discriminant}
		},
		"kernel": func() weighted { return &KernelClassifier{Kernel: kernel, Landmarks: landmarks, EmpiricalPriors: true} },
	} {
		a, b := build(), build()
		require.NoError(t, a.Fit(ctx, linalg.Rows(x, rows), labels))
		require.NoError(t, b.FitWeighted(ctx, x, y, weights))
		for k, s := range a.Statistics() {
			momentstest.Near(t, &s.m, &b.Statistics()[k].m, 1e-11)
		}
		p, err := a.PredictProba(x)
		require.NoError(t, err)
		q, err := b.PredictProba(x)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(p, q, 1e-9), name)
		assert.InEpsilon(t, a.Report().Objective, b.Report().Objective, 1e-9, name)
	}
}

// With weights of any size, the moments and the shrinkage agree with their definitions. With n = Σw, C = C2/n and h columns, the
// shrinkage is min(1, (C4/n - |C|²) / (n (|C|² - tr(C)²/h))).
func TestWeightedMoments(t *testing.T) {
	const n, h = 700, 3
	x := momentstest.Random(n, h, 4)
	w, y := make([]float64, n), make([]int, n)
	for i := range w {
		w[i] = .05 + 3*math.Abs(math.Sin(float64(i)))
		y[i] = i % 2
	}
	r := rows{x: x, y: y, weights: w}
	m := &model{fitSettings: fitSettings{workers: 2}, layer: columns{}, classes: []int{0, 1}}
	all, err := m.take(ctx, r, []int{2, h}, nil)
	require.NoError(t, err)
	for k, got := range all[1] {
		want := &moments.Moments{Means: make([]float64, h), Low: make([]float64, h), C2: mat.NewSymDense(h, nil), C3: make([]float64, h)}
		for i, v := range w {
			if y[i] == k {
				want.Weight += v
				linalg.Axpy(v, x.RawRowView(i), want.Means)
			}
		}
		for j := range want.Means {
			want.Means[j] /= want.Weight
		}
		for i, v := range w {
			if y[i] != k {
				continue
			}
			d := make([]float64, h)
			copy(d, x.RawRowView(i))
			linalg.Axpy(-1, want.Means, d)
			want.C2.SymRankOne(want.C2, v, mat.NewVecDense(h, d))
			squares := linalg.Dot(d, d)
			linalg.Axpy(v*squares, d, want.C3)
			want.C4 += v * squares * squares
		}
		assert.InEpsilon(t, want.Weight, got.Weight, 1e-12)
		got.Weight = want.Weight
		momentstest.Near(t, want, got, 1e-11)
		momentstest.Near(t, got, func() *moments.Moments { s := &moments.Moments{}; require.NoError(t, s.Merge(got)); return s }(), 0)
		c := got.Covariance()
		squares := math.Pow(mat.Norm(c, 2), 2)
		rho := min(1, (got.C4/got.Weight-squares)/got.Weight/(squares-math.Pow(mat.Trace(c), 2)/h))
		_, have := got.LedoitWolf()
		assert.InEpsilon(t, rho, have, 1e-10)
	}
	// The sums of a smaller width equal those of the first columns.
	narrow := rows{x: mat.DenseCopyOf(x.Slice(0, n, 0, 2)), y: y, weights: w}
	first, err := m.take(ctx, narrow, []int{2}, nil)
	require.NoError(t, err)
	for k := range first[0] {
		momentstest.Near(t, first[0][k], all[0][k], 1e-12)
	}
}

// columns is a layer whose features are the columns of rows.
type columns struct{ features.Layer }

func (columns) Features(dst, x *mat.Dense) error { dst.Copy(x.T()); return nil }

// Weights count as numbers of rows: a class with a total weight of at most 1 gets the covariance of the other class.
func TestLightClass(t *testing.T) {
	x, y := blobs(60, 2, 3)
	light := make([]float64, 60)
	for i := range light {
		light[i] = 1
		if y[i] == 1 {
			light[i] = .01
		}
	}
	c := &Classifier{Units: 10, Activation: featuremap.Tanh}
	require.NoError(t, c.FitWeighted(ctx, x, y, light))
	assert.Equal(t, []string{"class 1 weighs no more than one row: its covariance is taken from the others"}, c.Report().Warnings)
	pair := c.Pairs()[0]
	assert.Equal(t, pair.Variances[0], pair.Variances[1])
	require.NoError(t, c.Fit(ctx, x, y))
	assert.Empty(t, c.Report().Warnings)
}

// Only Solve and predictions solve the system. Until then the fitted values are those of the last solution, and the model cannot be
// stored.
func TestSolve(t *testing.T) {
	x, y := blobs(300, 3, 1)
	chunk := func(c *Classifier, first int) {
		require.NoError(t, c.PartialFit(ctx, x.Slice(first, first+100, 0, 2), y[first:first+100]))
	}
	c := &Classifier{Units: 15, Activation: featuremap.Tanh, Labels: []int{0, 1, 2}}
	assert.ErrorIs(t, c.Solve(ctx), estimators.ErrNotFitted)
	chunk(c, 0)
	assert.Nil(t, c.Pairs())
	assert.Zero(t, c.Report())
	_, err := c.MarshalBinary()
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	assert.ErrorContains(t, err, "call Solve first")
	assert.Nil(t, c.m.now.Load(), "a getter has solved")
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, c.Solve(cancelled), context.Canceled)
	require.NoError(t, c.Solve(ctx))
	first := c.Report()
	assert.Len(t, c.Pairs(), 3)

	chunk(c, 100)
	assert.Equal(t, first, c.Report(), "of the solution before")
	assert.Len(t, c.Pairs(), 3)
	assert.Nil(t, c.m.now.Load())
	_, err = c.MarshalBinary()
	assert.ErrorIs(t, err, estimators.ErrNotFitted)
	_, err = c.Predict(x)
	require.NoError(t, err)
	assert.NotEqual(t, first, c.Report(), "the prediction has solved")
	_, err = c.MarshalBinary()
	require.NoError(t, err)

	chunk(c, 200)
	one := make([]int, 1)
	require.NoError(t, c.PredictTo(one, x.Slice(0, 1, 0, 2)))
	want := &Classifier{Units: 15, Activation: featuremap.Tanh}
	require.NoError(t, want.Fit(ctx, x, y))
	assert.InEpsilon(t, want.Report().Objective, c.Report().Objective, 1e-9)

	// If several predictions run concurrently, only one of them solves the system.
	chunk(c, 0)
	p, err := c.PredictProba(x)
	require.NoError(t, err)
	chunk(c, 100)
	var group sync.WaitGroup
	for range 4 {
		group.Go(func() {
			q, err := c.PredictProba(x)
			assert.NoError(t, err)
			assert.False(t, mat.Equal(p, q))
			assert.NotZero(t, c.Report())
		})
	}
	group.Wait()

	missing := &Classifier{Units: 5, Activation: featuremap.Tanh, Labels: []int{0, 1, 2, 9}}
	chunk(missing, 0)
	err = missing.Solve(ctx)
	require.ErrorIs(t, err, estimators.ErrNotFitted)
	assert.ErrorContains(t, err, "class 9 has 0 rows")
}

func TestObserve(t *testing.T) {
	x, y := blobs(3000, 3, 1)
	var steps []estimators.Step
	look := func(s estimators.Step) {
		if !s.Between {
			s.Done = 0
			steps = append(steps, s)
		}
	}
	c := &Classifier{Units: 10, Activation: featuremap.Tanh, Observe: look}
	require.NoError(t, c.Fit(ctx, x, y))
	require.Len(t, steps, 4+3, "blocks of rows and pairs")
	for i, s := range steps {
		assert.Equal(t, []int{i + 1, 7}, []int{s.Iteration, s.Total})
	}
	assert.Equal(t, "a block of 750 rows summed", steps[0].Message)
	assert.Equal(t, "classes 1 and 2 solved in 10 features", steps[6].Message)
	assert.Equal(t, c.Report().Objective, steps[6].Objective)

	steps = nil
	_, err := c.FitPath(ctx, x, y, []int{4, 7, 10})
	require.NoError(t, err)
	assert.Len(t, steps, 4+3*3)
	assert.Equal(t, 4+3*3, steps[0].Total)

	steps = nil
	k := &KernelClassifier{Components: 10, Multiclass: Discriminant, Observe: look}
	require.NoError(t, k.PartialFit(ctx, x, y))
	assert.Len(t, steps, 4)
	_, err = k.Predict(x)
	require.NoError(t, err)
	assert.Len(t, steps, 4, "predictions are not watched")
	require.NoError(t, k.PartialFit(ctx, x, y))
	require.NoError(t, k.Solve(ctx))
	require.Len(t, steps, 4+4+1)
	assert.Equal(t, estimators.Step{Iteration: 1, Total: 1, Objective: k.Report().Objective, Message: "the discriminant plane of 10 features solved"}, steps[8])

	steps = nil
	block := make([]int, 3000)
	for i := range block {
		block[i] = i % 7 / 3
	}
	_, err = c.HeldOut(ctx, x, y, block)
	require.NoError(t, err)
	require.Len(t, steps, 4+3)
	assert.Equal(t, 7, steps[6].Total)
	assert.Contains(t, steps[6].Message, "held out")

	cancelled, cancel := context.WithCancel(ctx)
	c.Observe = func(estimators.Step) { cancel() }
	assert.ErrorIs(t, c.Fit(cancelled, x, y), context.Canceled)
}
