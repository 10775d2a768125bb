package golearn

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// read binds a grid: each attribute is described and its place in the storage found once.
// No cell is read yet, and attributes of types that golearn does not have are refused
// where they are asked for.
func read(grid base.FixedDataGrid) (t *gridTable, err error) {
	if grid == nil {
		return nil, fault.Param("input", "grid", nil, "a grid")
	}
	defer guard("reading the grid", &err)
	t = &gridTable{scores: fromOneVsAll(reflect.ValueOf(grid))}
	_, t.n = grid.Size()
	places := map[base.Attribute]cellPlace{}
	if dense, ok := grid.(*base.DenseInstances); ok && t.n > 0 {
		places = storagePlaces(dense, t.n)
	}
	all, class := grid.AllAttributes(), grid.AllClassAttributes()
	t.features = make([]cells, 0, len(all))
	for _, a := range all {
		c := cells{column: columnOf(a), attr: a, cellPlace: places[a]}
		if c.storage == nil {
			c.get = &getter{grid: grid}
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
func storagePlaces(grid *base.DenseInstances, rows int) map[base.Attribute]cellPlace {
	out := map[base.Attribute]cellPlace{}
	for _, group := range grid.AllAttributeGroups() {
		attrs, storage, stride := group.Attributes(), group.Storage(), group.RowSizeInBytes()
		if stride != cellSize*len(attrs) || len(storage) < rows*stride {
			continue
		}
		for i, a := range attrs {
			if a.GetType() != base.BinaryType {
				out[a] = cellPlace{storage, stride, i * cellSize}
			}
		}
	}
	return out
}

// bind makes cells ready to be read.
func (c *cells) bind() (err error) {
	if c.column.Kind == 0 {
		return fault.Param("input", "attribute", fmt.Sprintf("%q of type %T", c.column.Name, c.attr),
			"a float, a categorical or a binary attribute")
	}
	if !c.atEachGet() || c.get.bound {
		return nil
	}
	defer guard("reading the grid", &err)
	if c.get.spec, err = c.get.grid.GetAttribute(c.attr); err != nil {
		return fault.Param("input", "attribute", c.column.Name, "one that the grid can resolve: "+err.Error())
	}
	c.get.bound = true
	return nil
}

// labelled returns the table of a grid that has one class attribute, which is bound.
func labelled(grid base.FixedDataGrid) (*gridTable, error) {
	t, err := read(grid)
	if err != nil {
		return nil, err
	}
	if len(t.classes) != 1 {
		listed := make([]string, len(t.classes))
		for i, c := range t.classes {
			listed[i] = strconv.Quote(c.column.Name)
		}
		return nil, fault.Shape("the grid has", len(t.classes), "class attributes", "want 1, marked with AddClassAttribute; they are [%s]",
			strings.Join(listed, " "))
	}
	return t, t.classes[0].bind()
}

// training returns the table of a grid that a model can learn from: of one class, with
// rows and features, each of a name of its own.
func training(grid base.FixedDataGrid) (*gridTable, error) {
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
	if err := t.validText(); err != nil {
		return nil, err
	}
	if n, ok := duplicate(append(t.names(), t.classes[0].column.Name)); ok {
		return nil, fault.Param("input", "attribute names", strconv.Quote(n)+" twice", "each once: attributes are matched by name")
	}
	return t, t.bind()
}
