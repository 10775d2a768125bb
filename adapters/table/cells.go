package table

import (
	"fmt"
	"math"
	"strconv"

	"github.com/kernelearn/kernelearn/adapters/table/internal/values"
	"github.com/kernelearn/kernelearn/internal/celltext"
)

// Cells collects the cells of a column, appended by a [Reader].
type Cells struct {
	of     *intake
	name   string
	typed  typed
	note   string // the reason why the reader cannot provide the cells
	stats  celltext.Column
	skip   bool // the column is left out
	unread bool // its cells are not collected

	kinds  []celltext.Kind
	values []float64
	text   []byte // the texts of the cells, except for those that were appended as numbers or times
	ends   []int  // the end of each cell in text, up to the last cell with a text
}

// typed holds the type that a reader declares for a column.
type typed struct {
	kind   Kind     // 0: the cells decide
	levels []string // levels of a Category, in the order of their codes
	words  bool     // the cells are texts, even if they look like numbers
}

// Append appends a value according to the rules of [FromRows]: a number, a text, a bool, a time.Time, or nil for a gap. If the
// reader declares the column as Text or Category, a text that looks like a number is a word. It returns ErrParam for any other
// value, and for a text that is not UTF-8.
func (c *Cells) Append(value any) error { return c.of.addValue(c, value, c.typed.words) }

// AppendNumbers appends numbers, which may be seconds. NaN is a gap.
func (c *Cells) AppendNumbers(values []float64) { c.appendTyped(values, celltext.Number) }

// AppendTimes appends seconds since 1970 in UTC. NaN is a gap.
func (c *Cells) AppendTimes(seconds []float64) { c.appendTyped(seconds, celltext.Time) }

// appendTyped appends cells without texts. If the rows are read with a schema, it counts only the infinities.
func (c *Cells) appendTyped(cells []float64, kind celltext.Kind) {
	line, counted := c.line(), !c.skip && c.of.options.Schema == nil
	for i, v := range cells {
		k := kind
		switch {
		case v != v:
			k = celltext.Gap
		case counted && kind == celltext.Number && values.IsInteger(v):
			k = celltext.Integer
		}
		if counted || v-v != 0 && k != celltext.Gap {
			c.count(celltext.Cell{Kind: k, Value: v}, line+i)
		}
		c.kinds = append(c.kinds, k)
	}
	c.values = append(c.values, cells...)
}

// count adds a cell without a text to the statistics of the column.
func (c *Cells) count(cell celltext.Cell, line int) {
	text := ""
	if math.IsInf(cell.Value, 0) {
		text = strconv.FormatFloat(cell.Value, 'g', -1, 64)
	}
	c.stats.Add(cell, text, line)
}

// line returns the number of the next row in its file, counted from 1.
func (c *Cells) line() int {
	row := len(c.kinds) + 1
	if n := len(c.of.parts); n > 0 {
		row += c.of.parts[n-1].before - c.of.parts[n-1].from
	}
	return row
}

// add appends a cell.
func (c *Cells) add(cell celltext.Cell, text string, line int) {
	if !c.skip {
		c.stats.Add(cell, text, line)
	}
	if text != "" {
		for len(c.ends) < len(c.kinds) {
			c.ends = append(c.ends, len(c.text))
		}
		c.text = append(c.text, text...)
		c.ends = append(c.ends, len(c.text))
	}
	c.kinds = append(c.kinds, cell.Kind)
	c.values = append(c.values, cell.Value)
}

// textOf returns the text of the cell in row i.
func (c *Cells) textOf(i int) string {
	if i < len(c.ends) {
		from := 0
		if i > 0 {
			from = c.ends[i-1]
		}
		if c.ends[i] > from {
			return string(c.text[from:c.ends[i]])
		}
	}
	return values.Text(c.kinds[i], c.values[i])
}

// place returns a description of the column for an error.
func (c *Cells) place() string { return fmt.Sprintf("column %q", c.name) }

// gaps returns the number of gaps.
func (c *Cells) gaps() (n int) {
	for _, k := range c.kinds {
		if k == celltext.Gap {
			n++
		}
	}
	return n
}
