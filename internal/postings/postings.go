// Package postings lists the entries of sparse rows by their columns, for products with other sparse rows.
package postings

import (
	"slices"

	"github.com/kernelearn/kernelearn/sparse"
)

// Lists holds for each column the rows that have an entry in it.
type Lists struct {
	at          map[int]int // the position of a column in start; nil if that is the column itself
	start       []int
	row         []int
	value       []float64
	first, last int // the rows that count
}

// If there are more than manyColumns columns for each entry, the columns are found with a map. Memory then grows with the number of
// entries and not with the number of columns, of which hashed words may have billions.
const manyColumns = 8

// New returns the lists of some rows. Cost and memory are proportional to the number of entries.
func New(r *sparse.Rows) *Lists {
	n, d := r.Dims()
	entries := r.Entries()
	c := &Lists{row: make([]int, entries), value: make([]float64, entries), last: n}
	positions := d
	if d/manyColumns > entries+1<<12 {
		c.at = map[int]int{}
		for i := range n {
			columns, _ := r.Row(i)
			for _, j := range columns {
				if _, ok := c.at[j]; !ok {
					c.at[j] = len(c.at)
				}
			}
		}
		positions = len(c.at)
	}
	c.start = make([]int, positions+1)
	for i := range n {
		columns, _ := r.Row(i)
		for _, j := range columns {
			c.start[c.position(j)+1]++
		}
	}
	for j := range positions {
		c.start[j+1] += c.start[j]
	}
	next := slices.Clone(c.start)
	for i := range n {
		columns, values := r.Row(i)
		for at, j := range columns {
			j = c.position(j)
			c.row[next[j]], c.value[next[j]] = i, values[at]
			next[j]++
		}
	}
	return c
}

// position returns the position of a column in start, or -1 if it has no entries.
func (c *Lists) position(column int) int {
	if c.at == nil {
		return column
	}
	if at, ok := c.at[column]; ok {
		return at
	}
	return -1
}

// Slice returns the lists of rows first to last-1. It shares all memory.
func (c *Lists) Slice(first, last int) *Lists {
	out := *c
	out.first, out.last = c.first+first, c.first+last
	return &out
}

// Products sets dst to the inner products of a row with the rows of c. It adds the products of the entries in ascending order of
// the columns. Therefore the inner product of two rows is the same in either order, whatever the other rows are.
func (c *Lists) Products(dst []float64, columns []int, values []float64) {
	clear(dst)
	part := c.first > 0
	for at, j := range columns {
		if j = c.position(j); j < 0 {
			continue
		}
		rows, others := c.row[c.start[j]:c.start[j+1]], c.value[c.start[j]:c.start[j+1]]
		if part || len(rows) > 0 && rows[len(rows)-1] >= c.last {
			first, _ := slices.BinarySearch(rows, c.first)
			last, _ := slices.BinarySearch(rows, c.last)
			rows, others = rows[first:last], others[first:last]
		}
		v := values[at]
		for k, i := range rows {
			dst[i-c.first] += v * others[k]
		}
	}
}
