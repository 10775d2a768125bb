package svm

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// manyClasses returns rows that belong to each of the given number of classes in turn. Each class has a separate centre.
func manyClasses(rows, labels int) (*mat.Dense, []int) {
	rng := rand.New(rand.NewPCG(11, uint64(labels)))
	x, y := mat.NewDense(rows, 3, nil), make([]int, rows)
	for i := range rows {
		y[i] = i % labels
		centre := rand.New(rand.NewPCG(12, uint64(y[i])))
		for j := range 3 {
			x.Set(i, j, 8*centre.Float64()+.3*rng.NormFloat64())
		}
	}
	return x, y
}

// A model of 200 classes has the same decision values and votes as separate machines for each pair of classes. This also holds for
// files and for predictions of single rows. It stores no more than the coefficients of these machines.
func TestManyClassesAreTwoByTwo(t *testing.T) {
	const rows, labels = 400, 200
	x, y := manyClasses(rows, labels)
	k := kernels.RBF{Gamma: .5}
	c := &Classifier{Kernel: k, C: 3, Tolerance: 1e-9}
	require.NoError(t, c.Fit(ctx, x, y))
	at := mat.DenseCopyOf(x.Slice(0, 30, 0, 3))
	f, err := c.PairDecision(at)
	require.NoError(t, err)
	pairs := c.Pairs()
	require.Len(t, pairs, labels*(labels-1)/2)
	votes := mat.NewDense(30, labels, nil)
	for p, pair := range pairs {
		for i := range 30 {
			if f.At(i, p) > 0 {
				votes.Set(i, pair.Positive, votes.At(i, pair.Positive)+1)
			} else {
				votes.Set(i, pair.Negative, votes.At(i, pair.Negative)+1)
			}
		}
		if p%97 != 0 {
			continue
		}
		var own []int
		var ownLabels []int
		for i, l := range y {
			if l == pair.Negative || l == pair.Positive {
				own, ownLabels = append(own, i), append(ownLabels, l)
			}
		}
		two := mat.NewDense(len(own), 3, nil)
		for i, row := range own {
			two.SetRow(i, x.RawRowView(row))
		}
		alone := &Classifier{Kernel: k, C: 3, Tolerance: 1e-9}
		require.NoError(t, alone.Fit(ctx, two, ownLabels))
		want, err := alone.PairDecision(at)
		require.NoError(t, err)
		for i := range 30 {
			assert.InDelta(t, want.At(i, 0), f.At(i, p), 1e-7, "%d or %d", pair.Negative, pair.Positive)
		}
	}
	scores, err := c.Decision(at)
	require.NoError(t, err)
	predicted, err := c.Predict(at)
	require.NoError(t, err)
	right := 0
	for i := range 30 {
		best := math.Inf(-1)
		for l := range labels {
			assert.InDelta(t, votes.At(i, l), scores.At(i, l), 1./3)
			best = max(best, votes.At(i, l))
		}
		assert.Equal(t, best, votes.At(i, predicted[i]))
		if predicted[i] == y[i] {
			right++
		}
	}
	assert.Greater(t, right, 15)

	// A pair has no more coefficients than rows.
	require.NotNil(t, c.m.coef)
	assert.Nil(t, c.m.coef.dense)
	assert.LessOrEqual(t, len(c.m.coef.values), rows*(labels-1))
	data, err := c.MarshalBinary()
	require.NoError(t, err)
	assert.Less(t, len(data), 20*rows*(labels-1))
	read := &Classifier{Kernel: k}
	require.NoError(t, read.UnmarshalBinary(data))
	got, err := read.PairDecision(at)
	require.NoError(t, err)
	assert.True(t, mat.Equal(f, got))
	single := make([]int, 3)
	require.NoError(t, c.PredictTo(single, mat.DenseCopyOf(at.Slice(0, 3, 0, 3))))
	assert.Equal(t, predicted[:3], single)
}

// With few classes, sums over entries agree with the matrix products, up to rounding.
func TestEntriesAndMatrixAgree(t *testing.T) {
	for _, labels := range []int{2, 5, 9} {
		x, y := manyClasses(170, labels)
		c := &Classifier{Kernel: kernels.RBF{Gamma: .1}, C: 1}
		require.NoError(t, c.Fit(ctx, x, y))
		require.NotNil(t, c.m.coef.dense, labels)
		want, err := c.PairDecision(x)
		require.NoError(t, err)
		c.m.coef.dense = nil
		got, err := c.PairDecision(x)
		require.NoError(t, err)
		assert.True(t, mat.EqualApprox(want, got, 1e-10))
	}
}

// A thousand classes of two rows each can be fitted in memory proportional to rows times classes. A prediction for many rows does
// not compute all decision values at once.
func TestThousandClasses(t *testing.T) {
	if testing.Short() {
		t.Skip("half a million machines")
	}
	const rows, labels = 2000, 1000
	x, y := manyClasses(rows, labels)
	c := &Classifier{Kernel: kernels.RBF{Gamma: .5}, C: 3}
	require.NoError(t, c.Fit(ctx, x, y))
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	assert.Less(t, m.HeapAlloc, uint64(500<<20), "a matrix of the coefficients would be 8 GB")
	assert.Len(t, c.SupportIndices(), rows)
	sample := mat.DenseCopyOf(x.Slice(0, 200, 0, 3))
	before := m.TotalAlloc
	got, err := c.Predict(sample)
	require.NoError(t, err)
	runtime.ReadMemStats(&m)
	assert.Less(t, m.TotalAlloc-before, uint64(300<<20), "their decision values are 800 MB")
	right := 0
	for i, l := range got {
		if l == y[i] {
			right++
		}
	}
	assert.Greater(t, right, 60)
	runtime.KeepAlive(c)
}

// If decision values do not fit into memory, the error names the bytes and the limit.
func TestTooManyPairs(t *testing.T) {
	n := 40_000
	x, y := mat.NewDense(n, 1, nil), make([]int, n)
	for i := range n {
		y[i] = i / 2
		x.Set(i, 0, float64(i))
	}
	err := (&Classifier{Kernel: kernels.RBF{Gamma: 1}, C: 1}).Fit(ctx, x, y)
	var large *estimators.TooLargeError
	require.ErrorAs(t, err, &large)
	assert.Greater(t, large.Bytes, large.Limit)
	assert.ErrorContains(t, err, fmt.Sprintf("%d rows of %d classes", n, n/2))
}

// The rows of a pair of classes are ascending, each with its target.
func TestPairMerges(t *testing.T) {
	p := machineSettings{c: 2}.pair([]int{1, 4, 5}, []int{0, 2, 7}, nil)
	assert.Equal(t, []int{0, 1, 2, 4, 5, 7}, p.Rows)
	assert.Equal(t, []float64{1, -1, 1, -1, -1, 1}, p.Target)
	assert.True(t, slices.IsSorted(p.Rows))
	assert.Equal(t, []float64{0, -2, 0, -2, -2, 0}, p.Lo)
	assert.Equal(t, []float64{2, 0, 2, 0, 0, 2}, p.Hi)
}
