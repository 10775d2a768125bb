package table

import (
	"database/sql/driver"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// FromStructs makes a table of structs, a row for each, whose exported fields are the columns: numbers; bools, whose levels are false
// and true; texts, which are categories, texts or ids even where they look like numbers; times; what is a driver.Valuer, such as a
// sql.NullFloat64; and pointers to such. The fields of a struct in a field are columns called Field.Inner, and those of an embedded one
// are columns like the others. A nil pointer, NaN, the zero time.Time and a text of Format.Missing are gaps. A tag `table:"name"` names
// the column of a field, and `table:"-"` leaves it out. Options may be nil.
//
// Errors: ErrShape for no rows; ErrParam for a T that is no struct, for a field of another type, for two of one name, and those of
// [ReadCSV], which name the row, counted from 1.
func FromStructs[T any](rows []T, o *Options) (*Table, error) {
	const input = "table: FromStructs"
	options, err := o.complete()
	if err != nil {
		return nil, err
	}
	typ := reflect.TypeFor[T]()
	pointer := typ.Kind() == reflect.Pointer
	if pointer {
		typ = typ.Elem()
	}
	if typ.Kind() != reflect.Struct {
		return nil, fault.Param(input, "T", reflect.TypeFor[T](), "a struct")
	}
	if len(rows) == 0 {
		return nil, fault.Shape(input+": there are", 0, "rows", "want at least 1")
	}
	fields, err := fieldsOf(input, typ)
	if err != nil {
		return nil, err
	}
	columns := make([]Column, len(fields))
	for j, f := range fields {
		columns[j].Name = f.name
	}
	t, err := newIntake(input, columns, options)
	if err != nil {
		return nil, err
	}
	for i := range rows {
		v := reflect.ValueOf(&rows[i]).Elem()
		if pointer {
			if v.IsNil() {
				return nil, fault.Param(t.place(i), "row", "nil", "a struct")
			}
			v = v.Elem()
		}
		for j, f := range fields {
			if err := t.addValue(t.columns[j], f.value(v), true); err != nil {
				return nil, err
			}
		}
		t.rows++
	}
	return t.table()
}

// field is a column of a struct.
type field struct {
	name  string
	index []int
}

// value returns what the field holds; nil within a nil pointer.
func (f field) value(v reflect.Value) any {
	for _, i := range f.index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				return nil
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v.Interface()
}

// fieldsOf lists the columns of a struct.
func fieldsOf(place string, typ reflect.Type) ([]field, error) {
	out, err := appendFields(place, nil, typ, "", nil, nil)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(out))
	for j, f := range out {
		names[j] = f.name
	}
	if n, ok := celltext.Duplicate(names); ok {
		return nil, fault.Param(place, "fields", strconv.Quote(n)+" twice", "each name once")
	}
	return out, nil
}

var (
	timeType   = reflect.TypeFor[time.Time]()
	valuerType = reflect.TypeFor[driver.Valuer]()
)

// appendFields lists the fields of a struct within others, those of the types above.
func appendFields(place string, out []field, typ reflect.Type, prefix string, index []int, above []reflect.Type) ([]field, error) {
	if slices.Contains(above, typ) {
		return nil, fault.Param(place, "field "+prefix, typ, "no struct within itself, or the tag "+structTag+`:"-"`)
	}
	above = append(slices.Clone(above), typ)
	for i := range typ.NumField() {
		f := typ.Field(i)
		label := f.Tag.Get(structTag)
		inner := f.Type
		if inner.Kind() == reflect.Pointer {
			inner = inner.Elem()
		}
		leaf := inner == timeType || inner.Implements(valuerType) || inner.Kind() != reflect.Struct
		if label == "-" || !f.IsExported() && (!f.Anonymous || leaf || f.Type.Kind() == reflect.Pointer) {
			continue
		}
		name := label
		if name == "" {
			name = f.Name
		}
		at := append(slices.Clone(index), i)
		switch {
		case leaf && !isValue(inner):
			return nil, fault.Param(place, "field "+prefix+f.Name, f.Type,
				"a number, a bool, a text or a time, or the tag "+structTag+`:"-"`)
		case leaf:
			out = append(out, field{prefix + name, at})
			continue
		case f.Anonymous && label == "":
			name = ""
		default:
			name += "."
		}
		var err error
		if out, err = appendFields(place, out, inner, prefix+name, at, above); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// isValue reports whether a type is one of cells.
func isValue(t reflect.Type) bool {
	k := t.Kind()
	return t == timeType || t.Implements(valuerType) || k == reflect.Bool || k == reflect.String || k == reflect.Interface ||
		k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr || k == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}
