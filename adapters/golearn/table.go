package golearn

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// gridTable holds the rows that a model reads: a golearn grid that was bound once, some of its rows or columns, or the result
// of a Pipeline step. It is never written to after it is made.
type gridTable struct {
	features []cells
	classes  []cells // a training table has one
	rows     []int   // the rows among the cells; nil: 0 to n-1
	n        int
	matrix   *mat.Dense // features are its columns, in order; nil: they are not
	scores   bool       // the grid is one of golearn's OneVsAllModel
}

// bind makes all cells ready to be read.
func (t *gridTable) bind() error {
	for _, of := range [][]cells{t.features, t.classes} {
		for j := range of {
			if err := of[j].bind(); err != nil {
				return err
			}
		}
	}
	return nil
}

// validText returns ErrParam unless all names and categories are UTF-8.
func (t *gridTable) validText() error {
	for _, of := range [][]cells{t.features, t.classes} {
		for _, c := range of {
			if err := c.column.validText(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *gridTable) names() []string {
	out := make([]string, len(t.features))
	for j := range out {
		out[j] = t.features[j].column.Name
	}
	return out
}

// columns describes the features, by values that outlive the grid.
func (t *gridTable) columns() []column {
	out := make([]column, len(t.features))
	for j := range out {
		out[j] = t.features[j].column.owned()
	}
	return out
}

// keep returns what a model that reads the features as they are keeps of a training table.
func keep(t *gridTable) trained {
	return trained{schema{Columns: t.columns(), Missing: Pass}, t.classes[0].column.owned()}
}

// find returns the columns of the table that have the names and types of cols, as its
// features and in their order. What was a class may be a feature now.
func (t *gridTable) find(cols []column) (*gridTable, error) {
	out := &gridTable{features: make([]cells, len(cols)), rows: t.rows, n: t.n, scores: t.scores, matrix: t.matrix}
	if len(cols) != len(t.features) {
		out.matrix = nil
	}
	var byName map[string][]*cells // where cols are not in their places
	for j, want := range cols {
		if j < len(t.features) && t.features[j].column.Name == want.Name && t.features[j].column.Kind == want.Kind {
			out.features[j] = t.features[j]
		} else {
			if out.matrix = nil; byName == nil {
				byName = t.byName()
			}
			found := byName[want.Name]
			if len(found) == 0 {
				return nil, fault.Shape(fmt.Sprintf("the feature %q is missing: the grid has", want.Name), len(t.features)+len(t.classes),
					"attributes", "fitted on %d features", len(cols))
			}
			k := slices.IndexFunc(found, func(c *cells) bool { return c.column.Kind == want.Kind })
			if k < 0 {
				return nil, fault.Param("input", "attribute", fmt.Sprintf("%q of type %v", want.Name, found[0].column.Kind),
					fmt.Sprintf("%v, as in training; ReadCSV has CSVOptions.Like for that", want.Kind))
			}
			out.features[j] = *found[k]
		}
		if err := out.features[j].bind(); err != nil {
			return nil, err
		}
	}
	return out, nil
}

func (t *gridTable) byName() map[string][]*cells {
	out := make(map[string][]*cells, len(t.features)+len(t.classes))
	for _, of := range [][]cells{t.features, t.classes} {
		for j := range of {
			out[of[j].column.Name] = append(out[of[j].column.Name], &of[j])
		}
	}
	return out
}

// align returns the columns of a training table from another one, matched by name and
// type, the categories by text. Categories that occur and that training did not hold
// come behind the others.
func (t *gridTable) align(cols []column) (*gridTable, error) {
	out, err := t.find(cols)
	if err != nil {
		return nil, err
	}
	for j, want := range cols {
		if want.Kind != categoricalKind || slices.Equal(out.features[j].column.Values, want.Values) {
			continue
		}
		c := out.features[j]
		if c.recode(want.Values); len(c.column.Values) > len(want.Values) {
			c = out.features[j]
			if err := out.present(&c); err != nil {
				return nil, err
			}
			c.recode(want.Values)
		}
		out.features[j] = c
	}
	return out, nil
}

// present leaves of the categories of c those that occur, in the order of their indices.
func (t *gridTable) present(c *cells) error {
	values, err := t.values(c)
	if err != nil {
		return err
	}
	occurs := make([]bool, len(c.column.Values))
	for _, v := range values {
		occurs[int(v)] = true
	}
	var out []string
	for k, v := range c.column.Values {
		if occurs[k] {
			out = append(out, v)
		}
	}
	if c.atEachGet() && t.rows == nil {
		*c = held(c.column, values)
	}
	c.recode(out)
	c.column.Values = out // the absent ones are behind them
	return nil
}

// recode turns the categories into those of to, and those that are not among them into
// further ones.
func (c *cells) recode(to []string) {
	index := make(map[string]int, len(to))
	for i, v := range to {
		index[v] = i
	}
	codes := make([]float64, len(c.column.Values))
	values := slices.Clip(to)
	for i, v := range c.column.Values {
		k, ok := index[v]
		if !ok {
			k = len(values)
			values = append(values, v)
		}
		codes[i] = float64(k)
	}
	if c.codes != nil { // it was recoded before
		second := codes
		codes = make([]float64, len(c.codes))
		for i, code := range c.codes {
			if k := int(code); k < len(second) { // else it was absent
				codes[i] = second[k]
			}
		}
	}
	c.column.Values, c.codes = values, codes
}

// withClass is the table with another class.
func (t *gridTable) withClass(class cells) *gridTable {
	out := *t
	out.classes = []cells{class}
	return &out
}

// pick returns some features and rows, nil for all, of a table that copied or computed
// returned.
func (t *gridTable) pick(features, rows []int) *gridTable {
	out := *t
	out.matrix = nil
	if rows != nil {
		out.rows, out.n = rows, len(rows)
	}
	if features != nil {
		out.features = make([]cells, len(features))
		for j, f := range features {
			out.features[j] = t.features[f]
		}
	}
	return &out
}

// blockRows is how many rows of all columns are read before the next: what a block takes
// stays in the cache, and each column is read in one loop.
const blockRows = 64

// blocks calls do for each block of rows, with the place of its first and with their
// numbers among the cells.
func (t *gridTable) blocks(do func(at int, rows []int) error) error {
	var buf [blockRows]int
	for at := 0; at < t.n; at += blockRows {
		end := min(at+blockRows, t.n)
		rows := buf[:end-at]
		if t.rows != nil {
			rows = t.rows[at:end]
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

// values returns a column's cells, in the order of the rows.
func (t *gridTable) values(c *cells) (_ []float64, err error) {
	defer guard("reading the grid", &err)
	out := make([]float64, t.n)
	err = t.blocks(func(at int, rows []int) error {
		_, err := c.read(out[at:], 1, rows)
		return err
	})
	return out, err
}

// hold returns the table with cells of its own in place of those that which names. Of a
// table of some rows it names all.
func (t *gridTable) hold(which func(c *cells) bool) (*gridTable, error) {
	out := *t
	out.rows, out.matrix = nil, nil
	out.features, out.classes = slices.Clone(t.features), slices.Clone(t.classes)
	for _, of := range [][]cells{out.features, out.classes} {
		for j := range of {
			if t.rows == nil && !which(&of[j]) {
				continue
			}
			values, err := t.values(&of[j])
			if err != nil {
				return nil, err
			}
			attr := of[j].attr
			of[j] = held(of[j].column.owned(), values)
			of[j].attr = attr
		}
	}
	return &out, nil
}

// copied holds all cells, for what outlives the grid.
func (t *gridTable) copied() (*gridTable, error) { return t.hold(func(*cells) bool { return true }) }

// computed holds what golearn code computes at each Get, so that a filter runs once on
// each cell.
func (t *gridTable) computed() (*gridTable, error) { return t.hold((*cells).atEachGet) }
