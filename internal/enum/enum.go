// Package enum names the values of enumerated types.
package enum

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/internal/fault"
)

// Name returns the name of value, or the type with the number, such as Loss(7), if it has no name.
func Name(typ string, value int, names ...string) string {
	if value < 0 || value >= len(names) {
		return fmt.Sprintf("%s(%d)", typ, value)
	}
	return names[value]
}

// Marshal returns the name of a value. Errors: ErrParam, of a field of a package, for a value without a name.
func Marshal(of, field string, value int, names []string) ([]byte, error) {
	if value < 0 || value >= len(names) || names[value] == "" {
		return nil, fault.Param(of, field, value, "one of "+Listed(names))
	}
	return []byte(names[value]), nil
}

// Unmarshal sets the value of a name. Errors: ErrParam, of a field of a package, for another name.
func Unmarshal[T ~int](of, field string, to *T, text []byte, names []string) error {
	if k := slices.Index(names, string(text)); k >= 0 && len(text) > 0 {
		*to = T(k)
		return nil
	}
	return fault.Param(of, field, fmt.Sprintf("%q", text), "one of "+Listed(names))
}

// Listed lists the names that are not empty.
func Listed(names []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "" }), ", ")
}
