package golearn

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/check"
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

// columnOf describes an attribute. Its categories are the attribute's own slice. A type of
// attribute that golearn does not have has kind 0.
func columnOf(a base.Attribute) column {
	switch v := a.(type) {
	case *base.FloatAttribute:
		return column{Name: v.GetName(), Kind: floatKind, Precision: min(max(v.Precision, 0), mostDecimals)}
	case *base.BinaryAttribute:
		return column{Name: v.GetName(), Kind: binaryKind}
	case *base.CategoricalAttribute:
		return column{Name: v.GetName(), Kind: categoricalKind, Values: v.GetValues()}
	}
	return column{Name: a.GetName()}
}

// validText returns ErrParam unless the name and the categories are UTF-8, as in model files.
func (c column) validText() error {
	if err := check.Text("input", "attribute name", c.Name); err != nil {
		return err
	}
	return check.Text("input", fmt.Sprintf("category of attribute %q", c.Name), c.Values...)
}

// owned is the column with categories of its own: golearn adds to those of an attribute.
func (c column) owned() column {
	c.Values = slices.Clone(c.Values)
	return c
}

// categories is how many values a cell can have; 0 for a float.
func (c column) categories() int {
	switch c.Kind {
	case categoricalKind:
		return len(c.Values)
	case binaryKind:
		return 2
	}
	return 0
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
