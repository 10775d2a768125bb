package estimators

import (
	"reflect"

	"gonum.org/v1/gonum/mat"
)

// Clone returns an unfitted copy of a model or a transformer e with the same settings, or nil for nil. The copy and e can be fitted
// and configured independently.
//
// The settings are the exported fields. Models and transformers in them, also in slices, maps and structs, are cloned, and matrices
// are copied. Functions, and all other values behind pointers, are shared. An example is the strategy of a search, which no fit
// changes. Unexported fields of a model hold its fitted values and are not copied. They are copied if the model is a struct and not
// a pointer, because its Fit cannot change it. A type with settings in unexported fields needs a method Clone without arguments
// that returns a value of the type itself. Clone then calls this method.
func Clone[T any](e T) T {
	out, ok := copyOf(reflect.ValueOf(&e).Elem()).Interface().(T)
	if !ok {
		return e // nil
	}
	return out
}

// copyOf returns a copy of the value of a field, an element or a model.
func copyOf(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Interface {
		if v.IsNil() {
			return v
		}
		v = v.Elem()
	}
	if _, fits := v.Type().MethodByName("Fit"); fits {
		return unfitted(v)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if m, ok := v.Interface().(*mat.Dense); ok && m != nil && !m.IsEmpty() {
			return reflect.ValueOf(mat.DenseCopyOf(m))
		}
	case reflect.Struct:
		return copyOfStruct(v)
	case reflect.Slice:
		if !v.IsNil() {
			out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
			reflect.Copy(out, v)
			for i := 0; i < v.Len() && refers(v.Type().Elem()); i++ {
				out.Index(i).Set(copyOf(v.Index(i)))
			}
			return out
		}
	case reflect.Map:
		if !v.IsNil() {
			out := reflect.MakeMapWithSize(v.Type(), v.Len())
			for each := v.MapRange(); each.Next(); {
				out.SetMapIndex(each.Key(), copyOf(each.Value()))
			}
			return out
		}
	}
	return v
}

// unfitted returns an unfitted copy of a model, which is a struct or a pointer to a struct.
func unfitted(v reflect.Value) reflect.Value {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return v
	}
	if out, ok := ownClone(v); ok {
		return out
	}
	switch {
	case v.Kind() == reflect.Struct: // a struct, which its Fit cannot change
		return copyOfStruct(v)
	case v.Kind() == reflect.Pointer && v.Elem().Kind() == reflect.Struct:
		out := reflect.New(v.Type().Elem())
		copyFields(out.Elem(), v.Elem())
		return out
	}
	return v
}

// ownClone calls the method Clone of a model, and returns false if there is none, or if it is promoted from an embedded model.
func ownClone(v reflect.Value) (reflect.Value, bool) {
	clone := v.MethodByName("Clone")
	if !clone.IsValid() || clone.Type().NumIn() != 0 || clone.Type().NumOut() != 1 {
		return v, false
	}
	out := clone.Call(nil)[0]
	if out.Kind() == reflect.Interface {
		out = out.Elem()
	}
	return out, out.IsValid() && out.Type() == v.Type()
}

// copyOfStruct returns a copy with the same unexported fields.
func copyOfStruct(v reflect.Value) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	out.Set(v)
	copyFields(out, v)
	return out
}

// copyFields sets the exported fields of a struct to copies of those of another.
func copyFields(to, from reflect.Value) {
	for i := range from.NumField() {
		if from.Type().Field(i).IsExported() {
			to.Field(i).Set(copyOf(from.Field(i)))
		}
	}
}

// refers reports whether a value of the type may contain pointers or other references.
func refers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Interface, reflect.Pointer, reflect.Struct, reflect.Slice, reflect.Map:
		return true
	}
	return false
}
