package search

import (
	"bytes"
	"encoding/json"
	"math"
	"reflect"
	"strings"

	"github.com/kernelearn/kernelearn/internal/check"
)

// number is a float64 that JSON writes as null if it is NaN, and as a string if it is infinite, since JSON has no such numbers. An
// NMSE of constant targets may be infinite.
type number float64

func (f number) MarshalJSON() ([]byte, error) {
	switch v := float64(f); {
	case math.IsNaN(v):
		return []byte("null"), nil
	case math.IsInf(v, 1):
		return []byte(`"+Inf"`), nil
	case math.IsInf(v, -1):
		return []byte(`"-Inf"`), nil
	default:
		return json.Marshal(v)
	}
}

func (f *number) UnmarshalJSON(data []byte) error {
	switch string(data) {
	case "null":
		*f = number(math.NaN())
		return nil
	case `"+Inf"`:
		*f = number(math.Inf(1))
		return nil
	case `"-Inf"`:
		*f = number(math.Inf(-1))
		return nil
	}
	return json.Unmarshal(data, (*float64)(f))
}

// validTexts returns an error for text that encoding/json would change silently.
func validTexts(name string, field reflect.Value) error {
	switch texts, several := field.Interface().([]string); {
	case several:
		return check.Text("search", name, texts...)
	case field.Kind() == reflect.String:
		return check.Text("search", name, field.String())
	}
	return nil
}

// marshalFields encodes a struct as encoding/json does, but its float64 fields as number.
func marshalFields[T any](v T) ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	err := eachField(reflect.ValueOf(&v).Elem(), func(name string, omitEmpty bool, field reflect.Value) error {
		if omitEmpty && field.IsZero() {
			return nil
		}
		if err := validTexts(name, field); err != nil {
			return err
		}
		data, err := json.Marshal(field.Addr().Interface())
		if number, ok := asNumber(field); ok {
			data, err = json.Marshal(number)
		}
		if out.Len() > 1 {
			out.WriteByte(',')
		}
		out.WriteString(`"` + name + `":`)
		out.Write(data)
		return err
	})
	out.WriteByte('}')
	return out.Bytes(), err
}

// unmarshalFields decodes the result of marshalFields into v. If that fails, v is unchanged.
func unmarshalFields[T any](data []byte, v *T) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(data, &fields); err != nil {
		return err
	}
	var out T
	err := eachField(reflect.ValueOf(&out).Elem(), func(name string, _ bool, field reflect.Value) error {
		data, ok := fields[name]
		if !ok {
			return nil
		}
		if number, is := asNumber(field); is {
			return json.Unmarshal(data, number)
		}
		return json.Unmarshal(data, field.Addr().Interface())
	})
	if err == nil {
		*v = out
	}
	return err
}

// asNumber returns a pointer to a float64 field as a *number. It returns false for any other field.
func asNumber(field reflect.Value) (*number, bool) {
	f, ok := field.Addr().Interface().(*float64)
	return (*number)(f), ok
}

// eachField calls f for each field of a struct that its JSON contains, including the fields of embedded structs.
func eachField(v reflect.Value, f func(name string, omitEmpty bool, field reflect.Value) error) error {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		if !field.IsExported() {
			continue
		}
		if field.Anonymous {
			if err := eachField(v.Field(i), f); err != nil {
				return err
			}
			continue
		}
		name, rest, _ := strings.Cut(field.Tag.Get("json"), ",")
		if err := f(name, rest == "omitempty", v.Field(i)); err != nil {
			return err
		}
	}
	return nil
}

// shapeOf returns the nesting depth of a JSON text, and the number of its objects.
func shapeOf(data []byte) (most, objects int) {
	depth, quoted := 0, false
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
			if most = max(most, depth); c == '{' {
				objects++
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return most, objects
}
