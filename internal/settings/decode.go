package settings

import (
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/registry"
)

// MissingError lists the types in a file that are not registered in the program, and the packages to import.
type MissingError struct{ Types []Import }

func (e *MissingError) Error() string {
	var types, packages []string
	room, left := longestMissing, 0
	for _, t := range e.Types {
		name, path := cut(t.Type), `"`+cut(t.Package)+`"`
		if len(name)+len(path) > room {
			left++
			continue
		}
		room -= len(name) + len(path)
		types = append(types, name)
		if !slices.Contains(packages, path) {
			packages = append(packages, path)
		}
	}
	if len(e.Types) == 1 && left == 0 {
		return fmt.Sprintf("the type %s is not known to this program: import %s, which registers it", types[0], packages[0])
	}
	more := ""
	if left > 0 {
		more = fmt.Sprintf(", and the packages of %d more types", left)
	}
	return fmt.Sprintf("the types %s are not known to this program: import %s, which register them%s", strings.Join(types, ", "),
		strings.Join(packages, " and "), more)
}

// longestMissing limits the bytes of names in an error, since a file may have any number of them. The first name always fits,
// because cut returns at most 803 bytes.
const longestMissing = 2000

// cut shortens a text from a file for an error.
func cut(s string) string {
	const most = 200
	if len(s) > most {
		s = s[:most] + "…"
	}
	q := fmt.Sprintf("%q", s)
	return q[1 : len(q)-1]
}

// decoder constructs values.
type decoder struct{ left int64 } // remaining memory in bytes

func (d *decoder) spend(path string, n int, t reflect.Type) error {
	size := int64(t.Size())
	if size > 0 && int64(n) > d.left/size {
		return errorAt(path, "more than the file can contain")
	}
	d.left -= int64(n) * size
	return nil
}

// New returns a new value with these settings. It is a pointer or a plain value, like the one that was stored. Fields that were
// left out are copied from old, a value of the same type, or are zero if old is nil. The parameter bytes is the size of the file,
// which limits memory.
func New(s Value, old any, bytes int) (any, error) {
	d := &decoder{left: 64*int64(bytes) + 1<<20}
	v, err := d.registered("", s, reflect.ValueOf(old))
	if err != nil {
		return nil, err
	}
	return v.Interface(), nil
}

func errorAt(path string, format string, args ...any) error {
	if path == "" {
		return fmt.Errorf(format, args...)
	}
	return fmt.Errorf("setting %s: %w", cut(path), fmt.Errorf(format, args...))
}

// registered constructs a value of a registered type.
func (d *decoder) registered(path string, s Value, old reflect.Value) (reflect.Value, error) {
	var none reflect.Value
	typ, ok := registry.Named(s.Type)
	if !ok {
		return none, errorAt(path, "%w", &MissingError{[]Import{{s.Type, s.Package}}})
	}
	if old.IsValid() && old.Kind() == reflect.Interface {
		old = old.Elem()
	}
	if old.IsValid() && old.Kind() == reflect.Pointer {
		old = old.Elem()
	}
	if old.IsValid() && old.Type() != typ.Of {
		old = none
	}
	if err := d.spend(path, 1, typ.Of); err != nil {
		return none, err
	}
	out := reflect.New(typ.Of)
	var err error
	switch isStruct := typ.Of.Kind() == reflect.Struct; {
	case isStruct && s.Kind == Struct:
		err = d.fields(path, s, out.Elem(), old, true)
	case !isStruct && s.Kind == Other && len(s.List) == 1:
		err = d.decode(path, s.List[0], out.Elem(), none)
	default:
		err = errorAt(path, "not the settings of a %s", typ.Name)
	}
	if err != nil {
		return none, err
	}
	if !s.Pointer {
		out = out.Elem()
	}
	if typ.Validate != nil {
		if err := typ.Validate(out.Interface()); err != nil {
			return none, errorAt(path, "%w", err)
		}
	}
	return out, nil
}

// fields sets the fields of a struct.
func (d *decoder) fields(path string, s Value, v, old reflect.Value, isKnown bool) error {
	if s.Kind != Struct || len(s.Names) != len(s.List) {
		return errorAt(path, "not the fields of a %v", v.Type())
	}
	for i, name := range s.Names {
		where := name
		if path != "" {
			where = path + "." + name
		}
		f, ok := v.Type().FieldByName(name)
		if !ok || !f.IsExported() || len(f.Index) != 1 {
			return errorAt(where, "not known to this release")
		}
		if slices.Contains(s.Names[:i], name) {
			return errorAt(where, "twice")
		}
		var before reflect.Value
		if old.IsValid() && isKnown {
			before = old.FieldByIndex(f.Index)
		}
		if err := d.decode(where, s.List[i], v.FieldByIndex(f.Index), before); err != nil {
			return err
		}
	}
	return nil
}

// decode sets v, which must be zero, to the stored value.
func (d *decoder) decode(path string, s Value, v, old reflect.Value) error {
	switch s.Kind {
	case Nothing:
		return nil
	case LeftOut:
		if old.IsValid() {
			v.Set(old)
		} else if stand, ok := registry.Standing(v.Type()); ok {
			v.Set(reflect.ValueOf(stand.Left()))
		}
		return nil
	}
	wrong := func() error { return errorAt(path, "not a %v", v.Type()) }
	if stand, ok := registry.Standing(v.Type()); ok {
		of := reflect.New(stand.Of).Elem()
		if err := d.fields(path, s, of, reflect.Value{}, false); err != nil {
			return err
		}
		v.Set(reflect.ValueOf(stand.From(of.Interface())))
		return nil
	}
	switch kind := v.Kind(); {
	case v.Type() == dense:
		numbers := unpack(s.Bytes)
		if s.Kind != Matrix || len(s.Bytes)%8 != 0 || s.Number == 0 || s.Number > uint64(len(numbers)) {
			return wrong()
		}
		m := codec.Matrix{Rows: int(s.Number), Cols: len(numbers) / int(s.Number), Data: numbers}
		x, err := m.Dense()
		if err != nil {
			return errorAt(path, "%w", err)
		}
		v.Set(reflect.ValueOf(x))
	case kind == reflect.Interface:
		if s.Type == "" {
			return wrong()
		}
		one, err := d.registered(path, s, old)
		if err != nil {
			return err
		}
		if !one.Type().Implements(v.Type()) {
			return errorAt(path, "a %v is not a %v", one.Type(), v.Type())
		}
		v.Set(one)
	case kind == reflect.Pointer && s.Kind == Bytes:
		p := reflect.New(v.Type().Elem())
		u, ok := p.Interface().(encoding.BinaryUnmarshaler)
		if !ok {
			return wrong()
		}
		if err := u.UnmarshalBinary(s.Bytes); err != nil {
			return errorAt(path, "%w", err)
		}
		v.Set(p)
	case kind == reflect.Pointer:
		if err := d.spend(path, 1, v.Type().Elem()); err != nil {
			return err
		}
		p := reflect.New(v.Type().Elem())
		if err := d.decode(path, s, p.Elem(), reflect.Value{}); err != nil {
			return err
		}
		v.Set(p)
	case v.CanInt():
		if n := int64(s.Number); s.Kind != Int || v.OverflowInt(n) {
			return wrong()
		}
		v.SetInt(int64(s.Number))
	case v.CanUint():
		if s.Kind != Uint || v.OverflowUint(s.Number) {
			return wrong()
		}
		v.SetUint(s.Number)
	case v.CanFloat():
		if s.Kind != Float {
			return wrong()
		}
		v.SetFloat(math.Float64frombits(s.Number))
	case kind == reflect.Bool:
		if s.Kind != Bool || s.Number > 1 {
			return wrong()
		}
		v.SetBool(s.Number == 1)
	case kind == reflect.String:
		if s.Kind != String {
			return wrong()
		}
		v.SetString(s.Text)
	case kind == reflect.Slice || kind == reflect.Array:
		return d.elements(path, s, v)
	case kind == reflect.Map:
		return d.entries(path, s, v)
	case kind == reflect.Struct:
		return d.fields(path, s, v, reflect.Value{}, false)
	default:
		return wrong()
	}
	return nil
}

func (d *decoder) elements(path string, s Value, v reflect.Value) error {
	n, given := len(s.List), unpack(s.Bytes)
	numbers := v.Type().Elem().Kind() == reflect.Float64
	if numbers {
		n = len(given)
	}
	if numbers != (s.Kind == Floats) || numbers && len(s.Bytes)%8 != 0 || !numbers && s.Kind != List || v.Kind() == reflect.Array &&
		v.Len() != n {
		return errorAt(path, "not a %v", v.Type())
	}
	if v.Kind() == reflect.Slice {
		if err := d.spend(path, n, v.Type().Elem()); err != nil {
			return err
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
	}
	for i := range n {
		if numbers {
			v.Index(i).SetFloat(given[i])
			continue
		}
		if err := d.decode(fmt.Sprintf("%s[%d]", path, i), s.List[i], v.Index(i), reflect.Value{}); err != nil {
			return err
		}
	}
	return nil
}

func (d *decoder) entries(path string, s Value, v reflect.Value) error {
	if s.Kind != Pairs || len(s.List)%2 != 0 {
		return errorAt(path, "not a %v", v.Type())
	}
	for _, t := range []reflect.Type{v.Type().Key(), v.Type().Elem(), v.Type()} {
		if err := d.spend(path, len(s.List), t); err != nil {
			return err
		}
	}
	out := reflect.MakeMapWithSize(v.Type(), len(s.List)/2)
	for i := 0; i < len(s.List); i += 2 {
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		if k := key.Kind(); k != reflect.String && !key.CanInt() {
			return errorAt(path, "not a %v", v.Type())
		}
		where := fmt.Sprintf("%s[%d]", path, i/2)
		if err := d.decode(where, s.List[i], key, reflect.Value{}); err != nil {
			return err
		}
		if err := d.decode(where, s.List[i+1], value, reflect.Value{}); err != nil {
			return err
		}
		if out.MapIndex(key).IsValid() {
			return errorAt(where, "twice")
		}
		out.SetMapIndex(key, value)
	}
	v.Set(out)
	return nil
}
