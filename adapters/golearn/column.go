package golearn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// kind is the type of a column: golearn's three types of attribute.
type kind uint8

const (
	floatKind kind = iota + 1
	categoricalKind
	binaryKind
)

func (k kind) String() string {
	switch k {
	case floatKind:
		return "float"
	case categoricalKind:
		return "categorical"
	case binaryKind:
		return "binary"
	}
	return "of unknown type"
}

// column describes an attribute by value. Attributes are pointers that golearn
// shares between grids and that some of its functions write to, so nothing that
// lives longer than a call holds one.
type column struct {
	Name      string
	Kind      kind
	Values    []string // categories, in the order of their indices
	Precision int      // decimals that golearn prints of a float
}

// mostDecimals bounds Precision: golearn prints with it, and a hostile file must
// not make it print a gigabyte of zeros.
const mostDecimals = 100

func columnOf(a base.Attribute) (column, error) {
	switch v := a.(type) {
	case *base.FloatAttribute:
		return column{Name: v.GetName(), Kind: floatKind, Precision: min(max(v.Precision, 0), mostDecimals)}, nil
	case *base.BinaryAttribute:
		return column{Name: v.GetName(), Kind: binaryKind}, nil
	case *base.CategoricalAttribute:
		return column{Name: v.GetName(), Kind: categoricalKind, Values: slices.Clone(v.GetValues())}, nil
	}
	return column{}, fault.Param("input", "attribute", fmt.Sprintf("%T", a), "a float, a categorical or a binary attribute")
}

// attribute makes a new attribute, which shares nothing with any other.
func (c column) attribute() base.Attribute {
	switch c.Kind {
	case floatKind:
		return &base.FloatAttribute{Name: c.Name, Precision: c.Precision}
	case binaryKind:
		return base.NewBinaryAttribute(c.Name)
	}
	return newCategorical(c.Name, c.Values)
}

// newCategorical goes through the attribute's JSON, because the only other way
// to add a category compares it with all those before.
func newCategorical(name string, values []string) *base.CategoricalAttribute {
	out := base.NewCategoricalAttribute()
	out.SetName(name)
	if !slices.ContainsFunc(values, func(s string) bool { return !utf8.ValidString(s) }) && len(values) > 0 {
		text, err := json.Marshal(map[string][]string{"values": values})
		if err == nil && out.UnmarshalJSON(text) == nil {
			return out
		}
	}
	for _, v := range values {
		out.GetSysValFromString(v)
	}
	return out
}

// validate checks what was read from a file.
func (c column) validate() error {
	if c.Kind < floatKind || c.Kind > binaryKind {
		return fmt.Errorf("attribute %q has type %d", c.Name, c.Kind)
	}
	if c.Kind != categoricalKind && len(c.Values) > 0 {
		return fmt.Errorf("attribute %q is %v and has categories", c.Name, c.Kind)
	}
	if c.Precision < 0 || c.Precision > mostDecimals {
		return fmt.Errorf("attribute %q is printed with %d decimals", c.Name, c.Precision)
	}
	if v, ok := duplicate(c.Values); ok {
		return fmt.Errorf("attribute %q has the category %q twice", c.Name, v)
	}
	return nil
}

func (c column) equal(d column) bool {
	return c.Name == d.Name && c.Kind == d.Kind && slices.Equal(c.Values, d.Values)
}

// width is the number of matrix columns that the attribute takes.
func (c column) width() int {
	if c.Kind == categoricalKind {
		return len(c.Values)
	}
	return 1
}

// label is the text that golearn prints for a cell of a class column.
func (c column) label(i int) string {
	if c.Kind == categoricalKind {
		return c.Values[i]
	}
	return strconv.Itoa(i)
}

func names(cols []column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// expanded names the matrix columns that cols take.
func expanded(cols []column) []string {
	var out []string
	for _, c := range cols {
		if c.Kind != categoricalKind {
			out = append(out, c.Name)
			continue
		}
		for _, v := range c.Values {
			out = append(out, c.Name+"="+v)
		}
	}
	return out
}

func duplicate(names []string) (string, bool) {
	seen := make(map[string]bool, len(names))
	for _, n := range names {
		if seen[n] {
			return n, true
		}
		seen[n] = true
	}
	return "", false
}

// findClass returns the one class attribute of a grid.
func findClass(grid base.FixedDataGrid) (base.Attribute, error) {
	all := classAttributes(grid)
	if len(all) != 1 {
		listed := make([]string, len(all))
		for i, a := range all {
			listed[i] = strconv.Quote(a.GetName())
		}
		slices.Sort(listed) // golearn hands them out in random order
		return nil, fault.Shape("the grid has", len(all), "class attributes", "want 1, marked with AddClassAttribute; they are [%s]", strings.Join(listed, " "))
	}
	return all[0], nil
}

// classAttributes leaves out repetitions: golearn's views and lazily filtered
// grids keep class attributes by pointer, and may hold two that are equal.
func classAttributes(grid base.FixedDataGrid) []base.Attribute {
	var out []base.Attribute
	for _, a := range grid.AllClassAttributes() {
		if !slices.ContainsFunc(out, a.Equals) {
			out = append(out, a)
		}
	}
	return out
}

// featureAttributes returns all attributes but the class ones, in the grid's
// order. golearn's NonClassAttributes compares pointers, which lets the class
// through on grids whose class was set with an equal attribute, and has no order.
func featureAttributes(grid base.FixedDataGrid) []base.Attribute {
	class := grid.AllClassAttributes()
	var out []base.Attribute
	for _, a := range grid.AllAttributes() {
		if !slices.ContainsFunc(class, a.Equals) {
			out = append(out, a)
		}
	}
	return out
}

// featureColumns describes the feature attributes of a training grid, whose
// class attribute is called class.
func featureColumns(attrs []base.Attribute, class string) ([]column, error) {
	cols := make([]column, len(attrs))
	for i, a := range attrs {
		c, err := columnOf(a)
		if err != nil {
			return nil, err
		}
		cols[i] = c
	}
	if len(cols) == 0 {
		return nil, fault.Shape("the grid has", 0, "feature attributes", "want at least 1")
	}
	if n, ok := duplicate(append(names(cols), class)); ok {
		return nil, fault.Param("input", "attribute names", strconv.Quote(n)+" twice", "each once: attributes are matched by name")
	}
	return cols, nil
}
