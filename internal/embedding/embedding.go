// Package embedding holds the one rule for short cuts: methods beyond a contract, which are called
// in the place of those of the contract because they do the same faster. PredictTo stands
// in for Predict, FitMatrix for Fit, a kernel's Block for its Eval.
//
// A type that embeds an estimator or a kernel has its short cuts too, and they go behind
// the Predict, Fit or Eval that the type may define itself. Go does not tell whether it
// does. So a short cut is taken only where no embedded field has it: a type that embeds
// one is never wrong, but goes the long way. One that wants the short one holds the other
// in a named field and defines the short cut itself.
//
// A struct that is no estimator by itself, but the part that several types of a package have
// in common, has a field of type Promoted: what embeds it has its methods as its own.
package embedding

import (
	"reflect"
	"sync"
)

// Promoted is the type of a field that says of a struct that its methods are those of the types
// that embed it: with what goes before a short cut comes the short cut.
type Promoted struct{}

// As returns v as a T, and whether it is one by methods of its own type: v has the methods
// of T, and no field that its type embeds has them.
func As[T any](v any) (T, bool) {
	t, ok := v.(T)
	if !ok || promoted(reflect.TypeOf(v), reflect.TypeFor[T]()) {
		var none T
		return none, false
	}
	return t, true
}

// Implements reports whether As would find the methods of an interface in a value of type t.
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

// embedded returns the types of the fields that t embeds, or that the struct does to which
// it points: as pointers, which have the methods of both receivers.
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
