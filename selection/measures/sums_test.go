package measures_test

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/testkit/golden"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/streaming"
)

// featuresOf returns rows of five features around an offset. Their targets, and the labels of three classes, depend on the
// features.
func featuresOf(n int, offset float64) (*mat.Dense, []float64, []int) {
	rng := rand.New(rand.NewPCG(8, 2))
	phi, y, labels := mat.NewDense(n, 5, nil), make([]float64, n), make([]int, n)
	for i := range n {
		labels[i] = 3 * (i % 3)
		for j := range 5 {
			phi.Set(i, j, offset+float64(labels[i]*j)/8+rng.NormFloat64())
		}
		y[i] = offset + phi.At(i, 0) - phi.At(i, 3) + rng.NormFloat64()
	}
	return phi, y, labels
}

// inParts adds the parts of the rows to separate sums, which it encodes and decodes. It returns these sums merged in a shuffled
// order.
func inParts[Y float64 | int](t *testing.T, fresh func() streaming.Statistics[Y], x *mat.Dense, y []Y, parts int) streaming.Statistics[Y] {
	n, d := x.Dims()
	var all []streaming.Statistics[Y]
	for k := range parts {
		s := fresh()
		if from, to := k*n/parts, (k+1)*n/parts; from < to {
			require.NoError(t, s.AddBlock(context.Background(), streaming.Block[Y]{X: x.Slice(from, to, 0, d).(*mat.Dense), Y: y[from:to]}))
		}
		data, err := s.MarshalBinary()
		require.NoError(t, err)
		travelled := fresh()
		require.NoError(t, travelled.UnmarshalBinary(data))
		all = append(all, travelled)
	}
	rand.New(rand.NewPCG(uint64(parts), 3)).Shuffle(parts, func(i, j int) { all[i], all[j] = all[j], all[i] })
	out := fresh()
	for _, s := range all {
		require.NoError(t, out.Merge(s))
	}
	assert.Equal(t, n, out.Rows())
	return out
}

// inEpsilon asserts that the fields of two measures agree within a relative error.
func inEpsilon(t *testing.T, want, got any, epsilon float64, of string) {
	a, b := reflect.ValueOf(want), reflect.ValueOf(got)
	for i := range a.NumField() {
		if a.Field(i).Kind() == reflect.Struct {
			inEpsilon(t, a.Field(i).Interface(), b.Field(i).Interface(), epsilon, of)
			continue
		}
		w, g := a.Field(i).Float(), b.Field(i).Float()
		assert.InDelta(t, w, g, epsilon*math.Max(math.Abs(w), 1e-3), "%s: %s", of, a.Type().Field(i).Name)
	}
}

// The measures from merged sums of any parts agree with those of all rows in memory.
func TestSumsAreMeasures(t *testing.T) {
	ctx := context.Background()
	for _, offset := range []float64{0, 1e6} {
		x, y, labels := featuresOf(300, offset)
		epsilon := 1e-10
		alignment, err := measures.AlignmentOfFeatures(ctx, x, y, nil)
		require.NoError(t, err)
		separability, err := measures.SeparabilityOfFeatures(ctx, x, labels, nil)
		require.NoError(t, err)
		entropy, err := measures.EntropyOfFeatures(ctx, x)
		require.NoError(t, err)
		for _, parts := range []int{1, 4, 64, 400} {
			targets := inParts(t, func() streaming.Statistics[float64] { return &measures.TargetSums{} }, x, y, parts).(*measures.TargetSums)
			got, err := targets.Alignment()
			require.NoError(t, err)
			inEpsilon(t, alignment, got, epsilon, "alignment")
			ofTargets, err := targets.Entropy(ctx)
			require.NoError(t, err)
			inEpsilon(t, entropy, ofTargets, 1e-9, "entropy")
			classes := inParts(t, func() streaming.Statistics[int] { return &measures.ClassSums{} }, x, labels, parts).(*measures.ClassSums)
			of, err := classes.Separability(ctx)
			require.NoError(t, err)
			inEpsilon(t, separability, of, epsilon, "separability")
			ofClasses, err := classes.Entropy(ctx)
			require.NoError(t, err)
			inEpsilon(t, entropy, ofClasses, 1e-9, "entropy of classes")
		}
	}
}

// The divergence of a projection from merged sums agrees with that of all rows, for any parts and any offset.
func TestDivergenceOfSums(t *testing.T) {
	for _, offset := range []float64{0, 1e6} {
		x, _, labels := featuresOf(200, offset)
		z := mat.DenseCopyOf(x.ColView(3))
		for i := range labels {
			labels[i] = labels[i] / 6
		}
		want, err := measures.DivergenceOfProjection(mat.Col(nil, 0, z), labels)
		require.NoError(t, err)
		for _, parts := range []int{1, 4, 64} {
			s := inParts(t, func() streaming.Statistics[int] { return &measures.ClassSums{} }, z, labels, parts).(*measures.ClassSums)
			got, err := s.Divergence()
			require.NoError(t, err)
			inEpsilon(t, want, got, 1e-10, "divergence")
		}
	}
}

// Invalid input is an error and leaves the sums unchanged.
func TestSumsErrors(t *testing.T) {
	ctx := context.Background()
	x, y, labels := featuresOf(20, 0)
	a, c := &measures.TargetSums{}, &measures.ClassSums{}
	_, err := a.Alignment()
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = a.Entropy(ctx)
	assert.ErrorIs(t, err, estimators.ErrShape)
	_, err = c.Separability(ctx)
	assert.ErrorIs(t, err, estimators.ErrShape)
	require.NoError(t, a.AddBlock(ctx, streaming.Block[float64]{X: x, Y: y}))
	require.NoError(t, c.AddBlock(ctx, streaming.Block[int]{X: x, Y: labels}))
	before, err := a.MarshalBinary()
	require.NoError(t, err)
	beforeClasses, err := c.MarshalBinary()
	require.NoError(t, err)
	narrow := x.Slice(0, 20, 0, 2).(*mat.Dense)
	assert.ErrorIs(t, a.AddBlock(ctx, streaming.Block[float64]{X: narrow, Y: y}), estimators.ErrShape)
	assert.ErrorIs(t, c.AddBlock(ctx, streaming.Block[int]{X: narrow, Y: labels}), estimators.ErrShape)
	ones := make([]float64, 20)
	assert.ErrorIs(t, a.AddBlock(ctx, streaming.Block[float64]{X: x, Y: y, Weights: ones}), estimators.ErrParam)
	assert.ErrorIs(t, c.AddBlock(ctx, streaming.Block[int]{X: x, Y: labels, Weights: ones}), estimators.ErrParam)
	assert.ErrorIs(t, a.Merge(nil), estimators.ErrParam)
	assert.ErrorIs(t, c.Merge(nil), estimators.ErrParam)
	large := mat.NewDense(2, 5, nil)
	large.Set(0, 0, 1e200)
	assert.ErrorIs(t, a.AddBlock(ctx, streaming.Block[float64]{X: large, Y: y[:2]}), estimators.ErrNotFinite)
	assert.ErrorIs(t, c.AddBlock(ctx, streaming.Block[int]{X: large, Y: []int{0, 0}}), estimators.ErrNotFinite)
	cancelled, cancel := context.WithCancel(ctx)
	cancel()
	assert.ErrorIs(t, a.AddBlock(cancelled, streaming.Block[float64]{X: x, Y: y}), context.Canceled)
	assert.ErrorIs(t, c.AddBlock(cancelled, streaming.Block[int]{X: x, Y: labels}), context.Canceled)
	assert.ErrorIs(t, a.UnmarshalBinary(beforeClasses), estimators.ErrBadModel)
	assert.ErrorIs(t, c.UnmarshalBinary(before), estimators.ErrBadModel)
	_, err = c.Divergence()
	assert.ErrorIs(t, err, estimators.ErrShape)
	after, err := a.MarshalBinary()
	require.NoError(t, err)
	assert.Equal(t, before, after)
	after, err = c.MarshalBinary()
	require.NoError(t, err)
	assert.Equal(t, beforeClasses, after)
}

// Files of sums can be read, whatever the version that wrote them.
func TestGoldenSums(t *testing.T) {
	x, y, labels := featuresOf(12, 1e6)
	targets := inParts(t, func() streaming.Statistics[float64] { return &measures.TargetSums{} }, x, y, 3)
	read := &measures.TargetSums{}
	require.NoError(t, read.UnmarshalBinary(golden.Model(t, "TargetSums-v1.keln", targets.MarshalBinary)))
	want, err := targets.(*measures.TargetSums).Alignment()
	require.NoError(t, err)
	got, err := read.Alignment()
	require.NoError(t, err)
	inEpsilon(t, want, got, 1e-10, "alignment")
	classes := inParts(t, func() streaming.Statistics[int] { return &measures.ClassSums{} }, x, labels, 3)
	readClasses := &measures.ClassSums{}
	require.NoError(t, readClasses.UnmarshalBinary(golden.Model(t, "ClassSums-v1.keln", classes.MarshalBinary)))
	a, err := classes.(*measures.ClassSums).Separability(context.Background())
	require.NoError(t, err)
	b, err := readClasses.Separability(context.Background())
	require.NoError(t, err)
	inEpsilon(t, a, b, 1e-10, "separability")
}
