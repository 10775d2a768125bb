package groups_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/groups"
)

// Groups stay together, and no part is empty.
func TestDealt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		of := rapid.SliceOfN(rapid.IntRange(-3, 9), 1, 60).Draw(t, "groups")
		labels := rapid.SliceOfN(rapid.IntRange(0, 2), len(of), len(of)).Draw(t, "labels")
		sizes := rapid.SliceOfN(rapid.Float64Range(.01, 5), 1, 6).Draw(t, "sizes")
		if groups.Check(of, len(of), len(sizes)) != nil {
			t.Skip("fewer groups than parts")
		}
		parts := groups.Deal(of, labels, sizes, rand.New(rand.NewPCG(1, 2)))
		seen, part := map[int]bool{}, map[int]int{}
		for i, p := range parts {
			seen[p] = true
			if q, ok := part[of[i]]; ok {
				assert.Equal(t, q, p, "the part of group %d", of[i])
			}
			part[of[i]] = p
		}
		assert.Len(t, seen, len(sizes))
	})
}

func TestDealtBySizes(t *testing.T) {
	of, labels := make([]int, 1000), make([]int, 1000)
	for i := range of {
		of[i], labels[i] = i/4, i/800 // a fifth of the rows is in the second class
	}
	rows, ones := [2]int{}, [2]int{}
	for i, p := range groups.Deal(of, labels, []float64{3, 1}, rand.New(rand.NewPCG(3, 4))) {
		rows[p]++
		ones[p] += labels[i]
	}
	assert.InDelta(t, 750, rows[0], 8)
	assert.InDelta(t, 150, ones[0], 8)
}

func TestShares(t *testing.T) {
	assert.Equal(t, []float64{.5, 1, .5}, groups.Shares([]int{7, -1, 7}))
}

func TestCheck(t *testing.T) {
	assert.NoError(t, groups.Check([]int{1, 1, 2}, 3, 2))
	err := groups.Check([]int{1, 1, 2}, 4, 2)
	assert.ErrorIs(t, err, fault.ErrShape)
	assert.ErrorContains(t, err, "Groups has 3 entries, x has 4 rows")
	assert.ErrorContains(t, groups.Check([]int{1, 1, 2}, 3, 3), "Groups has 2 different groups, want at least 3")
}
