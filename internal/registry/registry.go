// Package registry knows types by their names, so that a file can say of which type a value is. Each package of the
// module registers its own when it is initialised; package modelfile lets others do the same.
package registry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Type is a type that files name.
type Type struct {
	Name    string // "lssvm.Regressor"
	Package string // the import path that registers it
	Of      reflect.Type

	// Needs names the fields that a model takes and files do not hold.
	Needs []string
	// Parts returns what a fitted value is made of.
	Parts func(v any) []Part
	// Names, if not nil, returns what a fitted value calls its columns and classes.
	Names func(v any) (columns, classes []string)
	// Validate, if not nil, says what is wrong with a value that was read.
	Validate func(v any) error
}

// Part is a fitted value within another.
type Part struct {
	Name  string // "Steps[0]"
	Value any
}

var (
	mu         sync.RWMutex
	byName     = map[string]Type{}
	byType     = map[reflect.Type]Type{}
	surrogates = map[reflect.Type]Surrogate{}
)

// Add registers T, a struct or a pointer to one, or another type with a name. It panics for a name or a type that is
// registered as another, as gob does: that is a mistake of the program.
func Add[T any](name string, with Type) {
	t := Base(reflect.TypeFor[T]())
	with.Name, with.Of, with.Package = name, t, t.PkgPath()
	mu.Lock()
	defer mu.Unlock()
	if name == "" || len(name) > mostName || t.Name() == "" {
		panic(fmt.Sprintf("modelfile: %v cannot be registered as %q: want a type with a name, and a name of 1 to %d bytes", t, name,
			mostName))
	}
	if old, ok := byName[name]; ok && old.Of != t {
		panic(fmt.Sprintf("modelfile: %q is registered for %v already, and not for %v", name, old.Of, t))
	}
	if old, ok := byType[t]; ok && old.Name != name {
		panic(fmt.Sprintf("modelfile: %v is registered as %q already, and not as %q", t, old.Name, name))
	}
	byName[name], byType[t] = with, with
}

const mostName = 255

// Stand registers a struct S of exported fields that stands for a T without any. To is false for a value that cannot be
// told by them, in whose place left stands when it is read.
func Stand[T, S any](to func(v T) (S, bool), from func(s S) T, left T) {
	mu.Lock()
	defer mu.Unlock()
	surrogates[reflect.TypeFor[T]()] = Surrogate{
		To:   func(v any) (any, bool) { return to(v.(T)) },
		From: func(s any) any { return from(s.(S)) },
		Left: func() any { return left },
		Of:   reflect.TypeFor[S](),
	}
}

// Surrogate is what stands for a type: its own type, the ways there and back, and what stands for a value without one.
type Surrogate struct {
	Of   reflect.Type
	To   func(v any) (any, bool)
	From func(v any) any
	Left func() any
}

// Standing returns what stands for type t.
func Standing(t reflect.Type) (Surrogate, bool) {
	mu.RLock()
	defer mu.RUnlock()
	s, ok := surrogates[t]
	return s, ok
}

// Base is the type that a pointer points to, and any other type itself.
func Base(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// Named returns the type of a name.
func Named(name string) (Type, bool) {
	mu.RLock()
	defer mu.RUnlock()
	t, ok := byName[name]
	return t, ok
}

// Typed returns what is registered for a type, or for the one that it points to.
func Typed(t reflect.Type) (Type, bool) {
	mu.RLock()
	defer mu.RUnlock()
	out, ok := byType[Base(t)]
	return out, ok
}

// NameOf returns the name that files have for the type of v: that of its registration, or else Go's. The first stays
// when a type moves to another package.
func NameOf(v any) string {
	if v != nil {
		if t, ok := Typed(reflect.TypeOf(v)); ok {
			return t.Name
		}
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
}

// Names returns all names, in order.
func Names() []string {
	mu.RLock()
	defer mu.RUnlock()
	out := make([]string, 0, len(byName))
	for name := range byName {
		out = append(out, name)
	}
	slices.SortFunc(out, strings.Compare)
	return out
}
