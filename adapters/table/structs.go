package table

import (
	"reflect"

	"github.com/kernelearn/kernelearn/adapters/table/internal/values"
	"github.com/kernelearn/kernelearn/internal/fault"
)

// FromStructs returns a table with a row for each struct. The columns are the exported fields:
//
//   - numbers;
//   - bools, whose levels are false and true;
//   - texts, which are categories, texts or ids even if they look like numbers;
//   - times;
//   - values that implement driver.Valuer, such as a sql.NullFloat64;
//   - pointers to any of these.
//
// If a field is a struct, its fields are columns called Field.Inner. The fields of an embedded struct are columns like the others.
// A nil pointer, NaN, the zero time.Time and a text of Format.Missing are gaps. A tag `table:"name"` sets the name of a field's
// column, and `table:"-"` leaves the field out. Options may be nil.
//
// FromStructs returns ErrShape for no rows. It returns ErrParam for a T that is not a struct, for a field of another type, and for
// two fields with one name. It also returns the errors of [ReadCSV], which name the row, counted from 1.
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
	fields, err := values.FieldsOf(input, typ)
	if err != nil {
		return nil, err
	}
	columns := make([]Column, len(fields))
	for j, f := range fields {
		columns[j].Name = f.Name
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
			if err := t.addValue(t.columns[j], f.Value(v), true); err != nil {
				return nil, err
			}
		}
		t.rows++
	}
	return t.table()
}
