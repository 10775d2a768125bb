// Package enum names the values of enumerated types.
package enum

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Name returns the name of value. If the value has no name, it returns the type with the number, such as Loss(7).
func Name(typ string, value int, names ...string) string {
	if value < 0 || value >= len(names) {
		return fmt.Sprintf("%s(%d)", typ, value)
	}
	return names[value]
}

// Marshal returns the name of a value. For a value without a name, it returns an ErrParam error that names the package and the
// field.
func Marshal(of, field string, value int, names []string) ([]byte, error) {
	if value < 0 || value >= len(names) || names[value] == "" {
		return nil, fault.Param(of, field, value, "one of "+Listed(names))
	}
	return []byte(names[value]), nil
}

// Unmarshal sets *to to the value whose name is text. For an unknown name, it returns an ErrParam error that names the package and
// the field.
func Unmarshal[T ~int](of, field string, to *T, text []byte, names []string) error {
	if k := slices.Index(names, string(text)); k >= 0 && len(text) > 0 {
		*to = T(k)
		return nil
	}
	return fault.Param(of, field, fmt.Sprintf("%q", text), "one of "+Listed(names))
}

// Listed returns the names that are not empty as a list for an error.
func Listed(names []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" }), ", ")
}
