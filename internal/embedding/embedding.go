// Package embedding decides when shortcuts apply. A shortcut is an optional method that does the same as a method of the contract,
// but faster: PredictTo for Predict, FitMatrix for Fit, a kernel's Block for its Eval.
//
// A type that embeds an estimator or a kernel also has its shortcuts, which would bypass a Predict, Fit or Eval that the type
// defines itself. Go cannot tell whether it does. So a shortcut is used only if no embedded field provides it. A type that embeds
// another is then correct, but slower. To be fast, it keeps the other value in a named field and defines the shortcut itself.
//
// A struct that is the common part of several types of a package, rather than an estimator, has a field of type Promoted. Types
// that embed it own its methods.
package embedding

import (
	"reflect"
	"sync"
)

// Promoted is the type of a field that marks a struct whose methods belong to the types that embed it, shortcuts included.
type Promoted struct{}

// As returns v as a T, and whether v's own type has the methods of T. Methods of embedded fields do not count.
func As[T any](v any) (T, bool) {
	t, ok := v.(T)
	if !ok || promoted(reflect.TypeOf(v), reflect.TypeFor[T]()) {
		var none T
		return none, false
	}
	return t, true
}

// Implements reports whether As would succeed for a value of type t and an interface type.
func Implements(t, methods reflect.Type) bool { return t.Implements(methods) && !promoted(t, methods) }

func promoted(t, methods reflect.Type) bool {
	for _, f := range embedded(t) {
		if f.Implements(methods) {
			return true
		}
	}
	return false
}

var known sync.Map // reflect.Type to []reflect.Type

// embedded returns the types of the embedded fields of t, or of the struct that t points to. They are pointers, which have the
// methods of both receivers.
func embedded(t reflect.Type) []reflect.Type {
	if out, ok := known.Load(t); ok {
		return out.([]reflect.Type)
	}
	var out []reflect.Type
	s := t
	if s.Kind() == reflect.Pointer {
		s = s.Elem()
	}
	if s.Kind() == reflect.Struct {
		for i := range s.NumField() {
			f := s.Field(i)
			if !f.Anonymous || isShared(f.Type) {
				continue
			}
			if k := f.Type.Kind(); k != reflect.Pointer && k != reflect.Interface {
				f.Type = reflect.PointerTo(f.Type)
			}
			out = append(out, f.Type)
		}
	}
	known.Store(t, out)
	return out
}

func isShared(t reflect.Type) bool {
	if t.Kind() != reflect.Struct {
		return false
	}
	for i := range t.NumField() {
		if t.Field(i).Type == reflect.TypeFor[Promoted]() {
			return true
		}
	}
	return false
}
