package rowsample

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/mat"
)

func column(values []float64) *mat.Dense { return mat.NewDense(len(values), 1, values) }

// The sample is the same for any blocks in any order. It contains no duplicates, and at most Limit rows.
func TestSampleOfParts(t *testing.T) {
	values := make([]float64, 3000)
	for i := range values {
		values[i] = float64(i % 1000)
	}
	whole := &Sample{Seed: 5, Limit: 100}
	whole.Merge(whole.Pick(column(values)))
	want := whole.Rows()
	n, _ := want.Dims()
	require.Equal(t, 100, n)
	seen := map[float64]bool{}
	for i := range n {
		assert.False(t, seen[want.At(i, 0)])
		seen[want.At(i, 0)] = true
	}
	for seed := range uint64(10) {
		rng := rand.New(rand.NewPCG(seed, 1))
		rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		got := &Sample{Seed: 5, Limit: 100}
		for from := 0; from < len(values); {
			to := min(len(values), from+1+rng.IntN(700))
			part := &Sample{Seed: 5, Limit: 100}
			part.Merge(part.Pick(column(values[from:to])))
			stored, err := part.Restore(part.Store(), to-from, 1)
			require.NoError(t, err)
			got.Merge(&stored)
			from = to
		}
		assert.Equal(t, want, got.Rows())
	}
	other := &Sample{Seed: 6, Limit: 100}
	assert.NotEqual(t, want, other.Pick(column(values)).Rows())
	few := &Sample{Seed: 5, Limit: 100}
	assert.Equal(t, 2, few.Pick(column([]float64{0, math.Copysign(0, -1), 1})).Rows().RawMatrix().Rows, "two zeros are one")
	assert.Nil(t, (&Sample{}).Pick(column(values)).Rows())
}

// All rows are equally likely: over many seeds, 10 of 40 rows are drawn, and the counts deviate as fair draws do.
func TestSampleIsUniform(t *testing.T) {
	values := make([]float64, 40)
	for i := range values {
		values[i] = float64(i) / 8
	}
	counts := make([]float64, 40)
	const draws = 4000
	for seed := range uint64(draws) {
		rows := (&Sample{Seed: seed, Limit: 10}).Pick(column(values)).Rows()
		for i := range 10 {
			counts[int(rows.At(i, 0)*8)]++
		}
	}
	chi := 0.0
	for _, c := range counts {
		chi += (c - draws/4) * (c - draws/4) / (draws * .25 * .75)
	}
	// With 39 degrees of freedom one in ten thousand exceeds 80.
	assert.Less(t, chi, 80.0)
	assert.Greater(t, chi, 12.0)
}

// Impossible samples are an error.
func TestRestore(t *testing.T) {
	s := &Sample{Seed: 1, Limit: 2}
	stored := s.Pick(column([]float64{1, 2})).Store()
	_, err := s.Restore(stored, 2, 1)
	require.NoError(t, err)
	for name, c := range map[string]struct {
		limit, rows, columns int
	}{"too many": {1, 2, 1}, "more than there are rows": {2, 1, 1}, "another width": {2, 2, 3}, "none wanted": {0, 2, 1}} {
		_, err := (&Sample{Seed: 1, Limit: c.limit}).Restore(stored, c.rows, c.columns)
		assert.Error(t, err, name)
	}
	stored.Data[0] = math.NaN()
	_, err = s.Restore(stored, 2, 1)
	assert.Error(t, err)
}
