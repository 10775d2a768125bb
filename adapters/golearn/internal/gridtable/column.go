package gridtable

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/check"
)

// Kind is the type of a column, one of golearn's three types of attributes.
type Kind uint8

const (
	FloatKind Kind = iota + 1
	CategoricalKind
	BinaryKind
)

func (k Kind) String() string {
	switch k {
	case FloatKind:
		return "float"
	case CategoricalKind:
		return "categorical"
	case BinaryKind:
		return "binary"
	}
	return "of unknown type"
}

// Column describes an attribute as a value. golearn shares attributes between grids as pointers, and some of its functions write to
// them. No attribute may therefore be kept after a call.
type Column struct {
	Name      string
	Kind      Kind
	Values    []string // levels, in the order of their indices
	Code      bool     `cbor:",omitempty"` // the matrix has one column of indices, instead of a column of 0 and 1 for each level
	Precision int      // number of decimals with which golearn prints a float
}

// mostDecimals is the largest Precision. golearn prints this number of decimals, so that a hostile file could otherwise make it
// print a gigabyte of zeros.
const mostDecimals = 100

// Decimals is the number of decimals with which golearn prints the cells of a matrix. The cells themselves are float64.
const Decimals = 6

// Describe returns the Column of an attribute, which shares the slice of levels. The kind is 0 for attribute types that golearn
// does not define.
func Describe(a base.Attribute) Column {
	switch v := a.(type) {
	case *base.FloatAttribute:
		return Column{Name: v.GetName(), Kind: FloatKind, Precision: min(max(v.Precision, 0), mostDecimals)}
	case *base.BinaryAttribute:
		return Column{Name: v.GetName(), Kind: BinaryKind}
	case *base.CategoricalAttribute:
		return Column{Name: v.GetName(), Kind: CategoricalKind, Values: v.GetValues()}
	}
	return Column{Name: a.GetName()}
}

// validText returns ErrParam unless the name and the levels are UTF-8, which model files require.
func (c Column) validText() error {
	if err := check.Text("input", "attribute name", c.Name); err != nil {
		return err
	}
	return check.Text("input", fmt.Sprintf("category of attribute %q", c.Name), c.Values...)
}

// Owned returns the column with a copy of its levels, since golearn may append to the levels of an attribute.
func (c Column) Owned() Column {
	c.Values = slices.Clone(c.Values)
	return c
}

// Categories returns the number of possible values of a cell, or 0 for a float.
func (c Column) Categories() int {
	switch c.Kind {
	case CategoricalKind:
		return len(c.Values)
	case BinaryKind:
		return 2
	}
	return 0
}

// attribute returns a new attribute that shares nothing with any other.
func (c Column) attribute() base.Attribute {
	switch c.Kind {
	case FloatKind:
		return &base.FloatAttribute{Name: c.Name, Precision: c.Precision}
	case BinaryKind:
		return base.NewBinaryAttribute(c.Name)
	}
	return NewCategorical(c.Name, c.Values)
}

// NewCategorical returns a categorical attribute with the given values. It decodes the attribute from JSON, because golearn's other
// method compares an added level with all previous ones.
func NewCategorical(name string, values []string) *base.CategoricalAttribute {
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

// Validate returns an error unless the column, which was read from a file, is valid.
func (c Column) Validate() error {
	if c.Kind < FloatKind || c.Kind > BinaryKind {
		return fmt.Errorf("attribute %q has type %d", c.Name, c.Kind)
	}
	if c.Kind != CategoricalKind && (len(c.Values) > 0 || c.Code) {
		return fmt.Errorf("attribute %q is %v and has categories", c.Name, c.Kind)
	}
	if c.Precision < 0 || c.Precision > mostDecimals {
		return fmt.Errorf("attribute %q is printed with %d decimals", c.Name, c.Precision)
	}
	if v, ok := celltext.Duplicate(c.Values); ok {
		return fmt.Errorf("attribute %q has the category %q twice", c.Name, v)
	}
	return nil
}

func (c Column) Equal(d Column) bool {
	return c.Name == d.Name && c.Kind == d.Kind && slices.Equal(c.Values, d.Values)
}

// Width returns the number of matrix columns of the attribute.
func (c Column) Width() int {
	if c.Kind == CategoricalKind && !c.Code {
		return len(c.Values)
	}
	return 1
}

// label returns the printed text of a cell of a class column.
func (c Column) label(i int) string {
	if c.Kind == CategoricalKind {
		return c.Values[i]
	}
	return strconv.Itoa(i)
}

func Names(cols []Column) []string {
	out := make([]string, len(cols))
	for i, c := range cols {
		out[i] = c.Name
	}
	return out
}

// Codes returns the indices of the matrix columns that hold codes.
func Codes(cols []Column) (out []int) {
	at := 0
	for _, c := range cols {
		if c.Code {
			out = append(out, at)
		}
		at += c.Width()
	}
	return out
}

// MatrixNames returns the names of the matrix columns of cols.
func MatrixNames(cols []Column) []string {
	var out []string
	for _, c := range cols {
		if c.Kind != CategoricalKind || c.Code {
			out = append(out, c.Name)
			continue
		}
		for _, v := range c.Values {
			out = append(out, c.Name+"="+v)
		}
	}
	return out
}
