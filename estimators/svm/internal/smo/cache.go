package smo

import "context"

// rowCache keeps rows of a view. If it is full, a new row replaces the least recently used one. Slots are the view's columns: slot
// k holds the row of training row rows[k].
type rowCache struct {
	view     View
	rows     []int
	capacity int
	kept     int
	data     [][]float64 // by slot; nil if not kept
	// next and prev form a ring through the kept slots with the sentinel len(rows). The slot after the sentinel is the least
	// recently used, and the slot before it the most recently used.
	next, prev []int32
}

// minimalRows is the smallest capacity: a step needs two rows at once.
const minimalRows = 2

func newRowCache(v View, rows []int, bytes int64) *rowCache {
	n := len(rows)
	c := &rowCache{
		view: v, rows: rows, data: make([][]float64, n), next: make([]int32, n+1), prev: make([]int32, n+1),
		capacity: int(max(minimalRows, min(int64(n), bytes/8/int64(n)))),
	}
	c.next[n], c.prev[n] = int32(n), int32(n)
	return c
}

// row returns the row in a slot. It stays valid until minimalRows other rows are requested.
func (c *rowCache) row(ctx context.Context, k int) ([]float64, error) {
	if r := c.view.Shared(c.rows[k]); r != nil {
		return r, nil
	}
	if r := c.data[k]; r != nil {
		c.unlink(k)
		c.link(k)
		return r, nil
	}
	r := c.buffer()
	if err := c.view.Fill(ctx, r, c.rows[k]); err != nil {
		return nil, err
	}
	c.data[k] = r
	c.link(k)
	return r, nil
}

// buffer returns memory for a row. If the cache is full, it drops a row and reuses its memory.
func (c *rowCache) buffer() []float64 {
	if c.kept < c.capacity {
		c.kept++
		return make([]float64, len(c.rows))
	}
	oldest := int(c.next[len(c.rows)])
	c.unlink(oldest)
	out := c.data[oldest]
	c.data[oldest] = nil
	return out
}

func (c *rowCache) unlink(k int) {
	c.next[c.prev[k]], c.prev[c.next[k]] = c.next[k], c.prev[k]
}

func (c *rowCache) link(k int) {
	end := int32(len(c.rows))
	last := c.prev[end]
	c.next[last], c.prev[k], c.next[k], c.prev[end] = int32(k), last, end, int32(k)
}
