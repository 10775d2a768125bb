// Package embedding decides when shortcuts apply. A shortcut is an optional method that does the same as a method of the contract,
// but faster: PredictTo for Predict, FitMatrix for Fit, a kernel's Block for its Eval.
//
// A type that embeds an estimator or a kernel also has its shortcuts. They would bypass a Predict, Fit or Eval that the type
// defines itself, and reflection cannot detect such a definition. Therefore a shortcut is used only if no embedded field provides
// it. A type that embeds another is correct, but slower. To be fast, it must hold the other value in a named field and define the
// shortcut itself.
//
// A struct that is not an estimator, but the common part of several types of a package, has a field of type Promoted. Its methods
// count as methods of the types that embed it.
package embedding

import (
	"reflect"
	"sync"
)

// Promoted is the type of a field that marks a struct whose methods, including shortcuts, belong to the types that embed it.
type Promoted struct{}

// As returns v as a T, and reports whether v's own type has the methods of T. Methods of embedded fields do not count.
func As[T any](v any) (T, bool) {
	t, ok := v.(T)
	if !ok || promoted(reflect.TypeOf(v), reflect.TypeFor[T]()) {
		var none T
		return none, false
	}
	return t, true
}

// Implements reports whether As would succeed for a value of type t, where methods is the type of an interface.
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

// embedded returns the types of the embedded fields of t, or of the struct to which t points. The types are pointers, because these
// have the methods of both kinds of receivers.
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
