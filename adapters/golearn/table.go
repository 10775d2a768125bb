package golearn

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// table is what every model of this package reads rows from: a grid of golearn, bound
// once, some rows or columns of one, or what a step of a Pipeline made. A table is not
// written to after it is made.
type table struct {
	features []cells
	classes  []cells // a training table has one
	rows     []int   // the rows among the cells; nil: 0 to n-1
	n        int
	matrix   *mat.Dense // features are its columns, in order; nil: they are not
	scores   bool       // the grid is one of golearn's OneVsAllModel
}

// read binds a grid: each attribute is described and its place in the storage found once.
// No cell is read yet, and attributes of types that golearn does not have are refused
// where they are asked for.
func read(grid base.FixedDataGrid) (t *table, err error) {
	if grid == nil {
		return nil, fault.Param("input", "grid", nil, "a grid")
	}
	defer guard("reading the grid", &err)
	t = &table{scores: fromOneVsAll(reflect.ValueOf(grid))}
	_, t.n = grid.Size()
	places := map[base.Attribute]cells{}
	if dense, ok := grid.(*base.DenseInstances); ok && t.n > 0 {
		places = storagePlaces(dense, t.n)
	}
	class := grid.AllClassAttributes()
	for _, a := range grid.AllAttributes() {
		c := places[a] // the zero cells for what is read with Get
		c.column, c.attr = columnOf(a), a
		if c.storage == nil {
			c.grid = grid
		}
		// golearn's NonClassAttributes compares pointers, which lets the class through on
		// grids whose class was set with an equal attribute, and has no order.
		if slices.ContainsFunc(class, a.Equals) {
			t.classes = append(t.classes, c)
		} else {
			t.features = append(t.features, c)
		}
	}
	return t, nil
}

// storagePlaces says where the 8-byte attributes of a dense grid lie in its storage. What
// is not in it, binary attributes packed into bits, is read with Get.
func storagePlaces(grid *base.DenseInstances, rows int) map[base.Attribute]cells {
	out := map[base.Attribute]cells{}
	for _, group := range grid.AllAttributeGroups() {
		attrs, storage, stride := group.Attributes(), group.Storage(), group.RowSizeInBytes()
		if stride != cellSize*len(attrs) || len(storage) < rows*stride {
			continue
		}
		for i, a := range attrs {
			if a.GetType() != base.BinaryType {
				out[a] = cells{storage: storage, stride: stride, offset: i * cellSize}
			}
		}
	}
	return out
}

// bind makes cells ready to be read.
func (c *cells) bind() (err error) {
	if c.column.Kind == 0 {
		return fault.Param("input", "attribute", fmt.Sprintf("%q of type %T", c.column.Name, c.attr), "a float, a categorical or a binary attribute")
	}
	if !c.atEachGet() {
		return nil
	}
	defer guard("reading the grid", &err)
	if c.spec, err = c.grid.GetAttribute(c.attr); err != nil {
		return fault.Param("input", "attribute", c.column.Name, "one that the grid can resolve: "+err.Error())
	}
	return nil
}

// labelled returns the table of a grid that has one class attribute, which is bound.
func labelled(grid base.FixedDataGrid) (*table, error) {
	t, err := read(grid)
	if err != nil {
		return nil, err
	}
	if len(t.classes) != 1 {
		listed := make([]string, len(t.classes))
		for i, c := range t.classes {
			listed[i] = strconv.Quote(c.column.Name)
		}
		return nil, fault.Shape("the grid has", len(t.classes), "class attributes", "want 1, marked with AddClassAttribute; they are [%s]", strings.Join(listed, " "))
	}
	return t, t.classes[0].bind()
}

// training returns the table of a grid that a model can learn from: of one class, with
// rows and features, each of a name of its own.
func training(grid base.FixedDataGrid) (*table, error) {
	t, err := labelled(grid)
	if err != nil {
		return nil, err
	}
	if t.n < 1 {
		return nil, fault.Shape("the grid has", t.n, "rows", "want at least 1")
	}
	if len(t.features) == 0 {
		return nil, fault.Shape("the grid has", 0, "feature attributes", "want at least 1")
	}
	if n, ok := duplicate(append(t.names(), t.classes[0].column.Name)); ok {
		return nil, fault.Param("input", "attribute names", strconv.Quote(n)+" twice", "each once: attributes are matched by name")
	}
	return t, t.bind()
}

// bind makes all cells ready to be read.
func (t *table) bind() error {
	for _, of := range [][]cells{t.features, t.classes} {
		for j := range of {
			if err := of[j].bind(); err != nil {
				return err
			}
		}
	}
	return nil
}

func (t *table) names() []string {
	out := make([]string, len(t.features))
	for j := range out {
		out[j] = t.features[j].column.Name
	}
	return out
}

// columns describes the features, by values that outlive the grid.
func (t *table) columns() []column {
	out := make([]column, len(t.features))
	for j := range out {
		out[j] = t.features[j].column.owned()
	}
	return out
}

// find returns the columns of the table that have the names and types of cols, as its
// features and in their order. What was a class may be a feature now.
func (t *table) find(cols []column) (*table, error) {
	out := &table{features: make([]cells, len(cols)), rows: t.rows, n: t.n, scores: t.scores}
	inPlace := len(cols) == len(t.features)
	var byName map[string][]*cells
	for j, want := range cols {
		if j < len(t.features) && t.features[j].column.Name == want.Name && t.features[j].column.Kind == want.Kind {
			out.features[j] = t.features[j]
		} else {
			inPlace = false
			if byName == nil {
				byName = t.byName()
			}
			c, err := choose(byName[want.Name], want, len(t.features)+len(t.classes), len(cols))
			if err != nil {
				return nil, err
			}
			out.features[j] = *c
		}
		if err := out.features[j].bind(); err != nil {
			return nil, err
		}
	}
	if inPlace {
		out.matrix = t.matrix
	}
	return out, nil
}

func (t *table) byName() map[string][]*cells {
	out := make(map[string][]*cells, len(t.features)+len(t.classes))
	for _, of := range [][]cells{t.features, t.classes} {
		for j := range of {
			name := of[j].column.Name
			out[name] = append(out[name], &of[j])
		}
	}
	return out
}

// choose takes the first column of the wanted type among those of its name.
func choose(found []*cells, want column, attributes, fitted int) (*cells, error) {
	for _, c := range found {
		if c.column.Kind == want.Kind {
			return c, nil
		}
	}
	if len(found) > 0 {
		return nil, fault.Param("input", "attribute", fmt.Sprintf("%q of type %v", want.Name, found[0].column.Kind), fmt.Sprintf("%v, as in training", want.Kind))
	}
	return nil, fault.Shape(fmt.Sprintf("the feature %q is missing: the grid has", want.Name), attributes, "attributes", "fitted on %d features", fitted)
}

// align returns the columns of a training table from another one, matched by name and
// type, the categories by text. Categories that occur and that training did not hold
// come behind the others.
func (t *table) align(cols []column) (*table, error) {
	if t.rows != nil {
		whole, err := t.copied()
		if err != nil {
			return nil, err
		}
		t = whole
	}
	out, err := t.find(cols)
	if err != nil {
		return nil, err
	}
	for j, want := range cols {
		c := &out.features[j]
		if want.Kind != categoricalKind || slices.Equal(c.column.Values, want.Values) {
			continue
		}
		if c.recode(want.Values); len(c.column.Values) == len(want.Values) {
			continue
		}
		if err := out.dropAbsent(c, len(want.Values)); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// recode turns the categories into those of to, and those that are not among them into
// further ones.
func (c *cells) recode(to []string) {
	index := make(map[string]int, len(to))
	for i, v := range to {
		index[v] = i
	}
	from := c.column.Values
	codes := make([]float64, len(from))
	c.column.Values = slices.Clip(to)
	for i, v := range from {
		k, ok := index[v]
		if !ok {
			k = len(c.column.Values)
			c.column.Values = append(c.column.Values, v)
		}
		codes[i] = float64(k)
	}
	if c.codes != nil { // it was recoded before
		first := c.codes
		second := codes
		codes = make([]float64, len(first))
		for i, code := range first {
			codes[i] = second[int(code)]
		}
	}
	c.codes = codes
}

// dropAbsent leaves out the categories, from the one of number known on, that no row has.
func (t *table) dropAbsent(c *cells, known int) error {
	values, err := t.read(c)
	if err != nil {
		return err
	}
	all, codes := c.column.Values, map[float64]float64{}
	c.column.Values = slices.Clone(all[:known])
	for i, v := range values {
		if v < float64(known) {
			continue
		}
		k, ok := codes[v]
		if !ok {
			k = float64(len(c.column.Values))
			codes[v] = k
			c.column.Values = append(c.column.Values, all[int(v)])
		}
		values[i] = k
	}
	*c = held(c.column, values)
	return nil
}

// with is the table with another class.
func (t *table) with(class cells) *table {
	out := *t
	out.classes = []cells{class}
	return &out
}

// pick returns some features and rows, nil for all, of a table that copied or computed
// returned.
func (t *table) pick(features, rows []int) *table {
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
func (t *table) blocks(do func(at int, rows []int) error) error {
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

// read returns a column's cells, in the order of the rows.
func (t *table) read(c *cells) (_ []float64, err error) {
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
func (t *table) hold(which func(c *cells) bool) (*table, error) {
	out := *t
	out.rows = nil
	out.features, out.classes = slices.Clone(t.features), slices.Clone(t.classes)
	for _, of := range [][]cells{out.features, out.classes} {
		for j := range of {
			if t.rows == nil && !which(&of[j]) {
				continue
			}
			values, err := t.read(&of[j])
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
func (t *table) copied() (*table, error) { return t.hold(func(*cells) bool { return true }) }

// computed holds what golearn code computes at each Get, so that a filter runs once on
// each cell.
func (t *table) computed() (*table, error) { return t.hold((*cells).atEachGet) }
