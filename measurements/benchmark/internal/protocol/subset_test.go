package protocol

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSubset(t *testing.T) {
	rows := []int{3, 5, 8, 9, 12, 20}
	assert.Equal(t, rows, subset(rows, nil, 6, 1, 0))
	few := subset(rows, nil, 3, 1, 0)
	assert.Len(t, few, 3)
	assert.True(t, slices.IsSorted(few))
	for _, r := range few {
		assert.Contains(t, rows, r)
	}
	assert.Equal(t, []int{3, 5, 8, 9, 12, 20}, rows)
}

func TestSubsetKeepsTheSharesOfClasses(t *testing.T) {
	rows, labels := make([]int, 1000), make([]int, 1000)
	for i := range rows {
		rows[i] = i
		switch {
		case i%100 == 7:
			labels[i] = 2
		case i%4 == 0:
			labels[i] = 1
		}
	}
	for _, size := range []int{100, 333, 999} {
		few := subset(rows, labels, size, 1, 0)
		assert.Len(t, few, size)
		assert.True(t, slices.IsSorted(few))
		assert.Len(t, slices.Compact(slices.Clone(few)), size)
		var counts [3]float64
		for _, r := range few {
			counts[labels[r]]++
		}
		for k, share := range []float64{.74, .25, .01} {
			assert.InDelta(t, share*float64(size), counts[k], 1, "class %d of %d rows", k, size)
		}
	}
	assert.NotEqual(t, subset(rows, labels, 100, 1, 0), subset(rows, labels, 100, 2, 0))
}

func TestReadRowsRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x.csv")
	for content, want := range map[string]string{"": "EOF", "a,y\n": "no rows", "y\n1\n": "no features", "a,y\n1,2\n1,z\n": "line 3", "a,y\n1\n": "fields"} {
		require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
		_, _, err := ReadRows(path)
		assert.ErrorContains(t, err, want)
	}
}
