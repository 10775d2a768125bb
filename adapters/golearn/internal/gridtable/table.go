package gridtable

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Table holds the rows that a model reads: a golearn grid, some of its rows or columns, or the result of a Pipeline step. It is not
// changed after its creation.
type Table struct {
	Features   []Cells
	Classes    []Cells // exactly one in a training table
	RowNumbers []int   // indices of rows in the cells; nil: 0 to n-1
	Rows       int
	Matrix     *mat.Dense // a matrix whose columns are the features, in order; nil if there is none
	OneVsAll   bool       // the grid comes from golearn's OneVsAllModel
}

// cells yields the features and the classes.
func (t *Table) cells(yield func(c *Cells) bool) {
	for _, of := range [][]Cells{t.Features, t.Classes} {
		for j := range of {
			if !yield(&of[j]) {
				return
			}
		}
	}
}

// bind prepares all cells for reading.
func (t *Table) bind() error {
	for c := range t.cells {
		if err := c.bind(); err != nil {
			return err
		}
	}
	return nil
}

// validText returns ErrParam unless all names and levels are UTF-8.
func (t *Table) validText() error {
	for c := range t.cells {
		if err := c.Column.validText(); err != nil {
			return err
		}
	}
	return nil
}

func (t *Table) Names() []string {
	out := make([]string, len(t.Features))
	for j := range out {
		out[j] = t.Features[j].Column.Name
	}
	return out
}

// Columns returns descriptions of the features, which may be kept longer than the grid.
func (t *Table) Columns() []Column {
	out := make([]Column, len(t.Features))
	for j := range out {
		out[j] = t.Features[j].Column.Owned()
	}
	return out
}

// Find returns the columns of the table with the names and types of cols, as its features and in their order. A class may become a
// feature.
func (t *Table) Find(cols []Column) (*Table, error) {
	out := &Table{Features: make([]Cells, len(cols)), RowNumbers: t.RowNumbers, Rows: t.Rows, OneVsAll: t.OneVsAll, Matrix: t.Matrix}
	if len(cols) != len(t.Features) {
		out.Matrix = nil
	}
	var byName map[string][]*Cells // set if the columns are not at the same indices
	for j, want := range cols {
		if j < len(t.Features) && t.Features[j].Column.Name == want.Name && t.Features[j].Column.Kind == want.Kind {
			out.Features[j] = t.Features[j]
		} else {
			if out.Matrix = nil; byName == nil {
				byName = t.ByName()
			}
			found := byName[want.Name]
			if len(found) == 0 {
				return nil, fault.Shape(fmt.Sprintf("the feature %q is missing: the grid has", want.Name), len(t.Features)+len(t.Classes),
					"attributes", "fitted on %d features", len(cols))
			}
			k := slices.IndexFunc(found, func(c *Cells) bool { return c.Column.Kind == want.Kind })
			if k < 0 {
				return nil, fault.Param("input", "attribute", fmt.Sprintf("%q of type %v", want.Name, found[0].Column.Kind),
					fmt.Sprintf("%v, as in training; table.Options.Schema applies it to a file", want.Kind))
			}
			out.Features[j] = *found[k]
		}
		if err := out.Features[j].bind(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (t *Table) ByName() map[string][]*Cells {
	out := make(map[string][]*Cells, len(t.Features)+len(t.Classes))
	for c := range t.cells {
		out[c.Column.Name] = append(out[c.Column.Name], c)
	}
	return out
}

// Align returns a table with the columns cols of a training table. It matches columns by name and type, and levels by text.
// Categories that the training rows lack get indices after the others.
func (t *Table) Align(cols []Column) (*Table, error) {
	out, err := t.Find(cols)
	if err != nil {
		return nil, err
	}
	for j, want := range cols {
		if want.Kind != CategoricalKind || slices.Equal(out.Features[j].Column.Values, want.Values) {
			continue
		}
		c := out.Features[j]
		if c.Recode(want.Values); len(c.Column.Values) > len(want.Values) {
			c = out.Features[j]
			if err := out.Present(&c); err != nil {
				return nil, err
			}
			c.Recode(want.Values)
		}
		out.Features[j] = c
	}
	return out, nil
}

// Present removes the levels of c that do not occur in the rows, and keeps the order of the others.
func (t *Table) Present(c *Cells) error {
	values, err := t.Values(c)
	if err != nil {
		return err
	}
	occurs := make([]bool, len(c.Column.Values))
	for _, v := range values {
		occurs[int(v)] = true
	}
	var out []string
	for k, v := range c.Column.Values {
		if occurs[k] {
			out = append(out, v)
		}
	}
	if c.atEachGet() && t.RowNumbers == nil {
		*c = NewCells(c.Column, values)
	}
	c.Recode(out)
	c.Column.Values = out // the levels that do not occur have indices after these
	return nil
}

// Recode replaces the levels of c by to, followed by the levels of c that to lacks.
func (c *Cells) Recode(to []string) {
	index := make(map[string]int, len(to))
	for i, v := range to {
		index[v] = i
	}
	codes := make([]float64, len(c.Column.Values))
	values := slices.Clip(to)
	for i, v := range c.Column.Values {
		k, ok := index[v]
		if !ok {
			k = len(values)
			values = append(values, v)
		}
		codes[i] = float64(k)
	}
	if c.Codes != nil { // already recoded
		second := codes
		codes = make([]float64, len(c.Codes))
		for i, code := range c.Codes {
			if k := int(code); k < len(second) { // the others were absent
				codes[i] = second[k]
			}
		}
	}
	c.Column.Values, c.Codes = values, codes
}

// WithClass returns a copy of the table with another class.
func (t *Table) WithClass(class Cells) *Table {
	out := *t
	out.Classes = []Cells{class}
	return &out
}

// Pick returns the features and rows with the given indices, from a table that Copy or Compute returned. If an argument is nil, all
// features or rows are picked.
func (t *Table) Pick(features, rows []int) *Table {
	out := *t
	out.Matrix = nil
	if rows != nil {
		out.RowNumbers, out.Rows = rows, len(rows)
	}
	if features != nil {
		out.Features = make([]Cells, len(features))
		for j, f := range features {
			out.Features[j] = t.Features[f]
		}
	}
	return &out
}

// BlockRows is the number of rows of a block. All columns of a block are read before the next block, so that the block stays in the
// cache. Each column of a block is read in one loop.
const BlockRows = 64

// blocks calls do for each block of rows, with the index of its first row and the indices of its rows in the cells.
func (t *Table) blocks(do func(at int, rows []int) error) error {
	var buf [BlockRows]int
	for at := 0; at < t.Rows; at += BlockRows {
		end := min(at+BlockRows, t.Rows)
		rows := buf[:end-at]
		if t.RowNumbers != nil {
			rows = t.RowNumbers[at:end]
		} else {
			for i := range rows {
				rows[i] = at + i
			}
		}
		if err := do(at, rows); err != nil {
			return err
		}
	}
	return nil
}

// Values returns a column's cells, in the order of the rows.
func (t *Table) Values(c *Cells) (_ []float64, err error) {
	defer Guard("reading the grid", &err)
	out := make([]float64, t.Rows)
	err = t.blocks(func(at int, rows []int) error {
		_, err := c.read(out[at:], 1, rows)
		return err
	})
	return out, err
}

// hold returns the table with copies of the cells for which the function which returns true. If the table has only some rows of its
// grid, all cells are copied.
func (t *Table) hold(which func(c *Cells) bool) (*Table, error) {
	out := *t
	out.RowNumbers, out.Matrix = nil, nil
	out.Features, out.Classes = slices.Clone(t.Features), slices.Clone(t.Classes)
	for c := range out.cells {
		if t.RowNumbers == nil && !which(c) {
			continue
		}
		values, err := t.Values(c)
		if err != nil {
			return nil, err
		}
		attr := c.attr
		*c = NewCells(c.Column.Owned(), values)
		c.attr = attr
	}
	return &out, nil
}

// Copy returns the table with copies of all cells, which may be kept longer than the grid.
func (t *Table) Copy() (*Table, error) { return t.hold(func(*Cells) bool { return true }) }

// Compute returns the table with copies of the cells that golearn code computes at each Get, so that a filter runs only once for
// each cell.
func (t *Table) Compute() (*Table, error) { return t.hold((*Cells).atEachGet) }
