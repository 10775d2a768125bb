// Package registry maps names to types, so that a file can name the type of a value. Each package of the module registers its types
// in its init functions. Package modelfile lets third parties do the same.
package registry

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
)

// Type is a registered type.
type Type struct {
	Name    string // "lssvm.Regressor"
	Package string // the import path that registers it
	Of      reflect.Type

	// Needs lists the fields that a model requires and that files do not store.
	Needs []string
	// Parts returns the fitted values within a fitted value.
	Parts func(v any) []Part
	// If Names is not nil, it returns the names of the columns and classes of a fitted value.
	Names func(v any) (columns, classes []string)
	// If Validate is not nil, it returns an error for an invalid value that was read.
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

// Add registers T, a struct, a pointer to a struct, or another named type. Like gob, it panics if the name or the type is already
// registered differently, since that is a programming error.
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

// Stand registers a struct S of exported fields as the stored form of T, which has no exported fields. The function to returns
// false for a value that S cannot represent. When a file with this value is read, the value left is used instead.
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

// Surrogate is the stored form of a type: the form's type, the conversions, and the substitute for a value that it cannot
// represent.
type Surrogate struct {
	Of   reflect.Type
	To   func(v any) (any, bool)
	From func(v any) any
	Left func() any
}

// Standing returns the surrogate of type t.
func Standing(t reflect.Type) (Surrogate, bool) {
	mu.RLock()
	defer mu.RUnlock()
	s, ok := surrogates[t]
	return s, ok
}

// Base returns the element type of a pointer type, and other types unchanged.
func Base(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// Named returns the type with a name.
func Named(name string) (Type, bool) {
	mu.RLock()
	defer mu.RUnlock()
	t, ok := byName[name]
	return t, ok
}

// Typed returns the registration of a type, or of the type that it points to.
func Typed(t reflect.Type) (Type, bool) {
	mu.RLock()
	defer mu.RUnlock()
	out, ok := byType[Base(t)]
	return out, ok
}

// NameOf returns the name of v's type in files: the registered name, or Go's. The registered name stays the same when a type moves
// to another package.
func NameOf(v any) string {
	if v != nil {
		if t, ok := Typed(reflect.TypeOf(v)); ok {
			return t.Name
		}
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", v), "*")
}

// Names returns all names in order.
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
