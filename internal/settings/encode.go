package settings

import (
	"cmp"
	"encoding"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Encode returns the settings of a value of a registered type. It returns an ErrParam error that names a part whose type is not
// registered.
func Encode(v any) (Value, error) {
	return registered("", reflect.ValueOf(v), 0)
}

// refused returns the error for a required part that cannot be stored.
func refused(path string, value any, want string) error {
	if path == "" {
		path = "the model"
	}
	return fault.Param("modelfile", path, value, want)
}

// registered encodes a value with the name of its type.
func registered(path string, v reflect.Value, depth int) (Value, error) {
	if !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
		return Value{}, refused(path, "nil", "a value")
	}
	typ, ok := registry.Typed(v.Type())
	if !ok {
		return Value{}, refused(path, v.Type().String(), "a registered type: call modelfile.Register")
	}
	out := Value{}
	pointer := v.Kind() == reflect.Pointer
	if pointer {
		v = v.Elem()
	}
	var err error
	if v.Kind() == reflect.Struct {
		out, err = fields(path, v, true, depth+1)
	} else {
		out, err = encode(path, v, depth+1)
		out = Value{Kind: Other, List: []Value{out}}
	}
	out.Type, out.Package, out.Pointer = typ.Name, typ.Package, pointer
	if err == nil && !pointer {
		out.Text = described(v)
	}
	return out, err
}

func short(s string) string {
	const most = 400
	if len(s) > most {
		return ""
	}
	return s
}

// fields encodes the fields of a struct that are not zero and do not have the tag settings:"-". Unexported fields of a registered
// type hold the fitted state and are skipped. A value of another type with such fields is left out, because they are part of the
// value.
func fields(path string, v reflect.Value, known bool, depth int) (Value, error) {
	out := Value{Kind: Struct}
	for i := range v.NumField() {
		f := v.Type().Field(i)
		switch {
		case f.Name == "_" || f.Tag.Get("settings") == "-": // used only for the rows of a single Fit
		case !f.IsExported():
			if !known && !v.Field(i).IsZero() {
				return Value{Kind: LeftOut}, nil
			}
		case !v.Field(i).IsZero():
			name := f.Name
			if path != "" {
				name = path + "." + name
			}
			one, err := encode(name, v.Field(i), depth)
			if err != nil {
				return out, err
			}
			if one.Kind == LeftOut && !known {
				return one, nil
			}
			out.Names, out.List = append(out.Names, f.Name), append(out.List, one)
		}
	}
	return out, nil
}

var (
	ownBinary = reflect.TypeFor[encoding.BinaryMarshaler]()
	dense     = reflect.TypeFor[*mat.Dense]()
)

func encode(path string, v reflect.Value, depth int) (Value, error) {
	if depth > mostDepth {
		return Value{}, refused(path, v.Type().String(), fmt.Sprintf("at most %d levels of settings", mostDepth))
	}
	if stand, ok := registry.Standing(v.Type()); ok {
		s, ok := stand.To(v.Interface())
		if !ok {
			return Value{Kind: LeftOut}, nil
		}
		return fields(path, reflect.ValueOf(s), false, depth+1)
	}
	switch kind := v.Kind(); {
	case v.Type() == dense:
		if v.IsNil() {
			return Value{}, nil
		}
		m := codec.FromDense(v.Interface().(*mat.Dense))
		return Value{Kind: Matrix, Number: uint64(m.Rows), Bytes: pack(m.Data)}, nil
	case kind == reflect.Interface:
		if v.IsNil() {
			return Value{}, nil
		}
		return registered(path, v.Elem(), depth)
	case kind == reflect.Pointer:
		return pointed(path, v, depth)
	case v.CanInt():
		return Value{Kind: Int, Number: uint64(v.Int()), Text: described(v)}, nil
	case kind == reflect.Uintptr:
		return Value{Kind: LeftOut}, nil
	case v.CanUint():
		return Value{Kind: Uint, Number: v.Uint(), Text: described(v)}, nil
	case v.CanFloat():
		return Value{Kind: Float, Number: math.Float64bits(v.Float())}, nil
	case kind == reflect.Bool:
		out := Value{Kind: Bool}
		if v.Bool() {
			out.Number = 1
		}
		return out, nil
	case kind == reflect.String:
		if !utf8.ValidString(v.String()) {
			return Value{}, refused(path, strconv.Quote(short(v.String())), "UTF-8")
		}
		return Value{Kind: String, Text: v.String()}, nil
	case kind == reflect.Slice || kind == reflect.Array:
		return list(path, v, depth)
	case kind == reflect.Map:
		return pairs(path, v, depth)
	case kind == reflect.Struct:
		_, known := registry.Typed(v.Type())
		return fields(path, v, known, depth+1)
	}
	return Value{Kind: LeftOut}, nil // functions, channels
}

// described returns the text of a constant or a kernel. It returns "" if the value is out of range and its String method panics.
func described(v reflect.Value) (text string) {
	s, ok := v.Interface().(fmt.Stringer)
	if !ok {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return short(s.String())
}

func pointed(path string, v reflect.Value, depth int) (Value, error) {
	if v.IsNil() {
		return Value{}, nil
	}
	if v.Type().Implements(ownBinary) {
		if _, ok := registry.Typed(v.Type()); !ok {
			data, err := v.Interface().(encoding.BinaryMarshaler).MarshalBinary()
			if err != nil {
				return Value{}, fmt.Errorf("modelfile: %s: %w", path, err)
			}
			return Value{Kind: Bytes, Bytes: data}, nil
		}
	}
	return encode(path, v.Elem(), depth+1)
}

func list(path string, v reflect.Value, depth int) (Value, error) {
	if v.Kind() == reflect.Slice && v.IsNil() {
		return Value{}, nil
	}
	if v.Type().Elem().Kind() == reflect.Float64 {
		numbers := make([]float64, v.Len())
		for i := range numbers {
			numbers[i] = v.Index(i).Float()
		}
		return Value{Kind: Floats, Bytes: pack(numbers)}, nil
	}
	out := Value{Kind: List}
	for i := range v.Len() {
		one, err := encode(fmt.Sprintf("%s[%d]", path, i), v.Index(i), depth+1)
		if err != nil || one.Kind == LeftOut {
			return one, err
		}
		out.List = append(out.List, one)
	}
	return out, nil
}

func pairs(path string, v reflect.Value, depth int) (Value, error) {
	if v.IsNil() {
		return Value{}, nil
	}
	keys := v.MapKeys()
	switch k := v.Type().Key().Kind(); {
	case k == reflect.String:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.String(), b.String()) })
	case k >= reflect.Int && k <= reflect.Int64:
		slices.SortFunc(keys, func(a, b reflect.Value) int { return cmp.Compare(a.Int(), b.Int()) })
	default:
		return Value{Kind: LeftOut}, nil
	}
	out := Value{Kind: Pairs}
	for _, key := range keys {
		for _, one := range []reflect.Value{key, v.MapIndex(key)} {
			e, err := encode(fmt.Sprintf("%s[%v]", path, key), one, depth+1)
			if err != nil || e.Kind == LeftOut {
				return e, err
			}
			out.List = append(out.List, e)
		}
	}
	return out, nil
}
