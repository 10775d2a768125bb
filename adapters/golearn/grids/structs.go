package grids

import (
	"fmt"
	"reflect"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// structTag is the key of the field tags that StructGrid reads.
const structTag = "golearn"

// StructGrid returns a grid with a row for each struct. The exported fields are the attributes: numbers are float, bools are
// binary, and strings are categorical, with the levels in the order of their first occurrence. A tag `golearn:"name"` replaces
// the field's name, and `golearn:"-"` omits the field. The attribute whose name is the argument class is the class attribute. If
// class is "", as for rows to predict, there is none. StructGrid returns ErrShape for no rows. It returns ErrParam for a T that is
// not a struct, a field of another type, two fields with one name, or a class that is not a field.
func StructGrid[T any](rows []T, class string) (*base.DenseInstances, error) {
	const name = "grids: StructGrid"
	typ := reflect.TypeFor[T]()
	if typ.Kind() != reflect.Struct {
		return nil, fault.Param(name, "T", typ, "a struct")
	}
	if len(rows) == 0 {
		return nil, fault.Shape(name+": there are", 0, "rows", "want at least 1")
	}
	var cols []gridtable.Column
	var fields []int
	at := -1
	for i := range typ.NumField() {
		f := typ.Field(i)
		label, tagged := f.Tag.Lookup(structTag)
		if !f.IsExported() || label == "-" {
			continue
		}
		if !tagged || label == "" {
			label = f.Name
		}
		k := kindOf(f.Type.Kind())
		if k == 0 {
			return nil, fault.Param(name, "field "+f.Name, f.Type, "a number, a bool or a string, or the tag "+structTag+`:"-"`)
		}
		if label == class && class != "" {
			at = len(cols)
		}
		cols = append(cols, gridtable.Column{Name: label, Kind: k})
		fields = append(fields, i)
	}
	if n, ok := celltext.Duplicate(gridtable.Names(cols)); ok {
		return nil, fault.Param(name, "attribute names", fmt.Sprintf("%q twice", n), "each once")
	}
	if at < 0 && class != "" {
		return nil, fault.Param(name, "class", fmt.Sprintf("%q", class), fmt.Sprintf("one of the fields %q", gridtable.Names(cols)))
	}
	values := make([][]float64, len(cols))
	for j, f := range fields {
		values[j] = fieldValues(rows, f, &cols[j])
	}
	return gridtable.TableOf(cols, values, len(rows), at).Grid()
}

func kindOf(k reflect.Kind) gridtable.Kind {
	switch {
	case k == reflect.String:
		return gridtable.CategoricalKind
	case k == reflect.Bool:
		return gridtable.BinaryKind
	case k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr:
		return gridtable.FloatKind
	}
	return 0
}

func fieldValues[T any](rows []T, field int, c *gridtable.Column) []float64 {
	if c.Kind == gridtable.CategoricalKind {
		texts := make([]string, len(rows))
		for i := range rows {
			texts[i] = reflect.ValueOf(&rows[i]).Elem().Field(field).String()
		}
		var values []float64
		values, c.Values = coded(texts)
		return values
	}
	out := make([]float64, len(rows))
	for i := range rows {
		switch v := reflect.ValueOf(&rows[i]).Elem().Field(field); {
		case v.Kind() == reflect.Bool:
			if v.Bool() {
				out[i] = 1
			}
		case v.CanFloat():
			c.Precision = gridtable.Decimals
			out[i] = v.Float()
		case v.CanInt():
			out[i] = float64(v.Int())
		default:
			out[i] = float64(v.Uint())
		}
	}
	return out
}

// Rows copies slices, one for each row, into a matrix for FeatureGrid, LabelledGrid or TargetGrid. It returns ErrShape for no rows,
// no columns, or rows of different lengths.
func Rows(x [][]float64) (*mat.Dense, error) {
	if len(x) == 0 || len(x[0]) == 0 {
		return nil, fault.Shape("grids: Rows: there are", len(x), "rows", "want at least 1 of at least 1 number")
	}
	out := mat.NewDense(len(x), len(x[0]), nil)
	for i, row := range x {
		if len(row) != len(x[0]) {
			return nil, fault.Shape(fmt.Sprintf("grids: Rows: row %d has", i), len(row), "numbers", "row 0 has %d", len(x[0]))
		}
		out.SetRow(i, row)
	}
	return out, nil
}
