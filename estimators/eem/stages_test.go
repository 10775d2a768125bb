package eem_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// clusters returns n rows with three labels. The rows of each label are consecutive.
func clusters(n int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(6, 6))
	x, y := mat.NewDense(n, 3, nil), make([]int, n)
	for i := range n {
		y[i] = 10 * (3 * i / n)
		x.SetRow(i, []float64{rng.NormFloat64() + float64(y[i])/5, rng.NormFloat64(), rng.NormFloat64() - float64(y[i]*y[i])/50})
	}
	return x, y
}

// inStages fits a model in stages, from the merged sums over several parts of the rows. Each part contains only some of the labels,
// and some parts contain no rows.
func inStages(t *testing.T, build func() estimators.Classifier, x *mat.Dense, y []int, parts int) estimators.Classifier {
	ctx := context.Background()
	stages, err := streaming.NewStages[int](build())
	require.NoError(t, err)
	n, d := x.Dims()
	for {
		at, of := stages.Stage()
		if at == of {
			break
		}
		all, err := stages.NewStatistics()
		require.NoError(t, err)
		for _, k := range rand.New(rand.NewPCG(uint64(parts), 1)).Perm(parts) {
			s, err := stages.NewStatistics()
			require.NoError(t, err)
			if from, to := k*n/parts, (k+1)*n/parts; from < to {
				require.NoError(t, s.AddBlock(ctx, streaming.Block[int]{X: x.Slice(from, to, 0, d).(*mat.Dense), Y: y[from:to]}))
			}
			require.NoError(t, all.Merge(s))
		}
		require.NoError(t, stages.FitStatistics(ctx, all))
	}
	out := build()
	require.NoError(t, streaming.FitStages(ctx, out, stages))
	return out
}

// The scores with 1, 4 and 64 parts, and with more parts than rows, agree with the scores of one part to 1e-10. If units do not
// depend on rows, the scores also agree with those after Fit.
func TestStagesAreFit(t *testing.T) {
	x, y := clusters(400)
	for _, c := range []struct {
		build func() estimators.Classifier
		asFit bool
	}{
		{func() estimators.Classifier { return &eem.Classifier{Units: 15, Activation: featuremap.Tanh} }, true},
		{func() estimators.Classifier {
			return &eem.Classifier{Units: 15, Activation: featuremap.Sigmoid, Labels: []int{0, 10, 20}}
		}, true},
		{func() estimators.Classifier { return &eem.Classifier{Units: 15} }, false},
		{func() estimators.Classifier { return &eem.KernelClassifier{Components: 10} }, false},
		{func() estimators.Classifier {
			return &eem.KernelClassifier{Kernel: nil, Landmarks: mat.DenseCopyOf(x.Slice(0, 9, 0, 3)), Multiclass: eem.Discriminant}
		}, false},
	} {
		want := c.build()
		if c.asFit {
			require.NoError(t, want.Fit(context.Background(), x, y))
		} else {
			want = inStages(t, c.build, x, y, 1)
		}
		a, err := want.(estimators.DecisionPredictor).Decision(x)
		require.NoError(t, err)
		for _, parts := range []int{1, 4, 64, 500} {
			got := inStages(t, c.build, x, y, parts)
			b, err := got.(estimators.DecisionPredictor).Decision(x)
			require.NoError(t, err)
			assert.True(t, mat.EqualApprox(a, b, 1e-10*max(1, mat.Max(a), -mat.Min(a))), "%T, %d parts", got, parts)
			assert.Equal(t, []int{0, 10, 20}, got.Classes())
		}
	}
}

// The error names the problem if a label is not in the list, if a class of the list has no rows, or if there are fewer than two
// classes.
func TestStagesLabels(t *testing.T) {
	ctx := context.Background()
	x, y := clusters(60)
	listed := &eem.Classifier{Units: 5, Activation: featuremap.Tanh, Labels: []int{0, 10}}
	stages, err := listed.NewStages()
	require.NoError(t, err)
	s, err := stages.NewStatistics()
	require.NoError(t, err)
	err = s.AddBlock(ctx, streaming.Block[int]{X: x, Y: y})
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "y[40] = 20, want one of the classes [0 10]")
	assert.Zero(t, s.Rows())
	require.NoError(t, s.AddBlock(ctx, streaming.Block[int]{X: x.Slice(0, 20, 0, 3).(*mat.Dense), Y: y[:20]}))
	err = stages.FitStatistics(ctx, s)
	require.ErrorIs(t, err, estimators.ErrShape)
	assert.ErrorContains(t, err, "class 10 has 0 rows")
	free, err := (&eem.Classifier{Units: 5, Activation: featuremap.Tanh}).NewStages()
	require.NoError(t, err)
	err = free.FitStatistics(ctx, s)
	require.ErrorIs(t, err, estimators.ErrParam)
	assert.ErrorContains(t, err, "Labels [0 10]")
	assert.ErrorContains(t, err, "Labels []")
	one, err := free.NewStatistics()
	require.NoError(t, err)
	require.NoError(t, one.AddBlock(ctx, streaming.Block[int]{X: x.Slice(0, 20, 0, 3).(*mat.Dense), Y: y[:20]}))
	assert.ErrorIs(t, free.FitStatistics(ctx, one), estimators.ErrShape)
	_, err = (&eem.Classifier{Units: -1, Priors: []float64{-1, 1}}).NewStages()
	assert.ErrorIs(t, err, estimators.ErrParam)
}

// PartialFit can continue a model from a file if the statistics of the classes were stored separately.
func TestPartialFitAfterALoad(t *testing.T) {
	ctx := context.Background()
	x, y := clusters(300)
	order := rand.New(rand.NewPCG(1, 1)).Perm(300)
	shuffled, labels := mat.NewDense(300, 3, nil), make([]int, 300)
	for i, k := range order {
		shuffled.SetRow(i, x.RawRowView(k))
		labels[i] = y[k]
	}
	first, rest := shuffled.Slice(0, 120, 0, 3), shuffled.Slice(120, 300, 0, 3)
	whole := &eem.Classifier{Units: 12}
	require.NoError(t, whole.PartialFit(ctx, first, labels[:120]))
	require.NoError(t, whole.Solve(ctx))
	file, err := whole.MarshalBinary()
	require.NoError(t, err)
	kept := whole.Statistics()
	require.NoError(t, whole.PartialFit(ctx, rest, labels[120:]))
	want, err := whole.Decision(x)
	require.NoError(t, err)

	read := &eem.Classifier{}
	assert.ErrorIs(t, read.FitClassStatistics(ctx, []int{0, 10, 20}, kept), estimators.ErrNotFitted)
	require.NoError(t, read.UnmarshalBinary(file))
	assert.ErrorIs(t, read.PartialFit(ctx, rest, labels[120:]), estimators.ErrNotFitted)
	assert.ErrorIs(t, read.FitClassStatistics(ctx, []int{0, 10}, kept), estimators.ErrShape)
	assert.ErrorIs(t, read.FitClassStatistics(ctx, []int{0, 10, 20}, []*eem.Statistics{kept[0], nil, kept[2]}), estimators.ErrShape)
	require.NoError(t, read.FitClassStatistics(ctx, read.Classes(), kept))
	require.NoError(t, read.PartialFit(ctx, rest, labels[120:]))
	got, err := read.Decision(x)
	require.NoError(t, err)
	assert.True(t, mat.EqualApprox(want, got, 1e-9))
}
