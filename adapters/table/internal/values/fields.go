package values

import (
	"database/sql/driver"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/kernelearn/kernelearn/internal/celltext"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// structTag is the key of a field's tag.
const structTag = "table"

// Field describes a field of a struct as a column.
type Field struct {
	Name  string
	index []int
}

// Value returns the value of the field in the struct v. It returns nil for a field within a nil pointer.
func (f Field) Value(v reflect.Value) any {
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

// FieldsOf lists the columns of a struct. It returns ErrParam, with the place, for a type that is not supported.
func FieldsOf(place string, typ reflect.Type) ([]Field, error) {
	out, err := appendFields(place, nil, typ, "", nil, nil)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(out))
	for j, f := range out {
		names[j] = f.Name
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

// appendFields appends the fields of a nested struct. The argument above holds the types of the enclosing structs.
func appendFields(place string, out []Field, typ reflect.Type, prefix string, index []int, above []reflect.Type) ([]Field, error) {
	if slices.Contains(above, typ) {
		return nil, fault.Param(place, "field "+prefix, typ, "no recursive struct, or the tag "+structTag+`:"-"`)
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
			out = append(out, Field{prefix + name, at})
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

// isValue reports whether values of a type are cells.
func isValue(t reflect.Type) bool {
	k := t.Kind()
	return t == timeType || t.Implements(valuerType) || k == reflect.Bool || k == reflect.String || k == reflect.Interface ||
		k >= reflect.Int && k <= reflect.Float64 && k != reflect.Uintptr || k == reflect.Slice && t.Elem().Kind() == reflect.Uint8
}
