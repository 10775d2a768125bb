package gridtable

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// Read returns the Table of a grid. It describes each attribute once, and finds its place in the storage, but reads no cells.
// Attribute types that golearn does not define are rejected on their first use.
func Read(grid base.FixedDataGrid) (t *Table, err error) {
	if grid == nil {
		return nil, fault.Param("input", "grid", nil, "a grid")
	}
	defer Guard("reading the grid", &err)
	t = &Table{OneVsAll: fromOneVsAll(reflect.ValueOf(grid))}
	_, t.Rows = grid.Size()
	places := map[base.Attribute]CellPlace{}
	if dense, ok := grid.(*base.DenseInstances); ok && t.Rows > 0 {
		places = storagePlaces(dense, t.Rows)
	}
	all, class := grid.AllAttributes(), grid.AllClassAttributes()
	t.Features = make([]Cells, 0, len(all))
	for _, a := range all {
		c := Cells{Column: Describe(a), attr: a, CellPlace: places[a]}
		if c.storage == nil {
			c.get = &getter{grid: grid}
		}
		// golearn's NonClassAttributes compares pointers, and its order is random. It therefore also returns the class if the class
		// was set with an equal attribute.
		if slices.ContainsFunc(class, a.Equals) {
			t.Classes = append(t.Classes, c)
		} else {
			t.Features = append(t.Features, c)
		}
	}
	return t, nil
}

// storagePlaces returns the places of the 8-byte attributes of a dense grid in its storage. Other attributes, such as binary ones
// packed into bits, are read with Get.
func storagePlaces(grid *base.DenseInstances, rows int) map[base.Attribute]CellPlace {
	out := map[base.Attribute]CellPlace{}
	for _, group := range grid.AllAttributeGroups() {
		attrs, storage, stride := group.Attributes(), group.Storage(), group.RowSizeInBytes()
		if stride != CellSize*len(attrs) || len(storage) < rows*stride {
			continue
		}
		for i, a := range attrs {
			if a.GetType() != base.BinaryType {
				out[a] = CellPlace{storage, stride, i * CellSize}
			}
		}
	}
	return out
}

// bind prepares cells for reading.
func (c *Cells) bind() (err error) {
	if c.Column.Kind == 0 {
		return fault.Param("input", "attribute", fmt.Sprintf("%q of type %T", c.Column.Name, c.attr),
			"a float, a categorical or a binary attribute")
	}
	if !c.atEachGet() || c.get.bound {
		return nil
	}
	defer Guard("reading the grid", &err)
	if c.get.spec, err = c.get.grid.GetAttribute(c.attr); err != nil {
		return fault.Param("input", "attribute", c.Column.Name, "one that the grid can resolve: "+err.Error())
	}
	c.get.bound = true
	return nil
}

// ReadLabelled returns the table of a grid, which must have one class attribute. The class can be read.
func ReadLabelled(grid base.FixedDataGrid) (*Table, error) {
	t, err := Read(grid)
	if err != nil {
		return nil, err
	}
	if len(t.Classes) != 1 {
		listed := make([]string, len(t.Classes))
		for i, c := range t.Classes {
			listed[i] = strconv.Quote(c.Column.Name)
		}
		return nil, fault.Shape("the grid has", len(t.Classes), "class attributes", "want 1, marked with AddClassAttribute; they are [%s]",
			strings.Join(listed, " "))
	}
	return t, t.Classes[0].bind()
}

// ReadTraining returns the table of a grid that is valid for a fit. Such a grid has one class, rows, and features with different
// names.
func ReadTraining(grid base.FixedDataGrid) (*Table, error) {
	t, err := ReadLabelled(grid)
	if err != nil {
		return nil, err
	}
	if t.Rows < 1 {
		return nil, fault.Shape("the grid has", t.Rows, "rows", "want at least 1")
	}
	if len(t.Features) == 0 {
		return nil, fault.Shape("the grid has", 0, "feature attributes", "want at least 1")
	}
	if err := t.validText(); err != nil {
		return nil, err
	}
	if n, ok := celltext.Duplicate(append(t.Names(), t.Classes[0].Column.Name)); ok {
		return nil, fault.Param("input", "attribute names", strconv.Quote(n)+" twice", "each once: attributes are matched by name")
	}
	return t, t.bind()
}

// ReadTargets reads the float class attribute of a grid.
func ReadTargets(grid base.FixedDataGrid) (Column, []float64, error) {
	t, err := ReadLabelled(grid)
	if err != nil {
		return Column{}, nil, err
	}
	return t.Targets()
}
