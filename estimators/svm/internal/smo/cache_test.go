package smo

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// countingView fills each row with the row's number, and counts the filled rows.
type countingView struct{ filled int }

func (v *countingView) Shared(int) []float64 { return nil }
func (v *countingView) Fill(_ context.Context, dst []float64, i int) error {
	v.filled++
	for k := range dst {
		dst[k] = float64(i)
	}
	return nil
}

func TestRowCacheDropsTheLeastRecentlyUsed(t *testing.T) {
	v := &countingView{}
	rows := []int{10, 11, 12, 13}
	c := newRowCache(v, rows, 3*8*4)
	require.Equal(t, 3, c.capacity)
	get := func(k int) {
		r, err := c.row(ctx, k)
		require.NoError(t, err)
		assert.Equal(t, float64(rows[k]), r[2])
	}
	for _, k := range []int{0, 1, 2, 0, 1} {
		get(k)
	}
	assert.Equal(t, 3, v.filled)
	get(3) // drops 2
	get(0)
	get(1)
	assert.Equal(t, 4, v.filled)
	get(2) // drops 3
	assert.Equal(t, 5, v.filled)
	get(3)
	assert.Equal(t, 6, v.filled)
	assert.Equal(t, 2, newRowCache(v, rows, 1).capacity)
}
