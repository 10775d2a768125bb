package svm

import "context"

// rowCache keeps rows of a view, the least recently used of which make room for new
// ones. Slots are those of the view's columns: slot k is the row of training row
// rows[k].
type rowCache struct {
	view     view
	rows     []int
	capacity int
	kept     int
	data     [][]float64 // by slot; nil: not kept
	// ahead names slots that are likely to be wanted after k, are not kept, and are not
	// k itself.
	ahead func(k int) []int
	// A ring through the slots that are kept, from the least recently used, after the
	// sentinel len(rows), to the most recently used, before it.
	next, prev []int32
}

const (
	// minimalRows is the smallest capacity: a step needs two rows at once.
	minimalRows = 2
	// aheadRows is how many are evaluated ahead at most, and aheadCapacity the least
	// capacity at which they are, so that they do not drop what is in use.
	aheadRows     = 4
	aheadCapacity = 16 * aheadRows
)

func newRowCache(src source, rows []int, bytes int64, ahead func(int) []int) *rowCache {
	n := len(rows)
	c := &rowCache{
		view: src.on(rows), rows: rows, ahead: ahead, data: make([][]float64, n), next: make([]int32, n+1), prev: make([]int32, n+1),
		capacity: int(max(minimalRows, min(int64(n), bytes/8/int64(n)))),
	}
	c.next[n], c.prev[n] = int32(n), int32(n)
	return c
}

// row returns the row of a slot. It stays valid until minimalRows others were asked
// for. Where rows are costly, those that ahead names are evaluated with it.
func (c *rowCache) row(ctx context.Context, k int) ([]float64, error) {
	if r := c.view.shared(c.rows[k]); r != nil {
		return r, nil
	}
	if r := c.data[k]; r != nil {
		c.unlink(k)
		c.link(k)
		return r, nil
	}
	slots := []int{k}
	if c.capacity >= aheadCapacity && c.view.costly() {
		slots = append(slots, c.ahead(k)...)
	}
	buffers, rows := make([][]float64, len(slots)), make([]int, len(slots))
	for i, slot := range slots {
		buffers[i], rows[i] = c.buffer(), c.rows[slot]
	}
	if err := c.view.fill(ctx, buffers, rows); err != nil {
		return nil, err
	}
	// The one that was asked for last, as the most recently used.
	for i := len(slots) - 1; i >= 0; i-- {
		c.data[slots[i]] = buffers[i]
		c.link(slots[i])
	}
	return c.data[k], nil
}

// buffer returns memory for a row, of one that is dropped if the cache is full.
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
