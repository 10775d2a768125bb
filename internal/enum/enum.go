// Package enum names the values of enumerated types.
package enum

import "fmt"

// Name returns the name of value, or the type with the number, such as Loss(7), if it has no name.
func Name(typ string, value int, names ...string) string {
	if value < 0 || value >= len(names) {
		return fmt.Sprintf("%s(%d)", typ, value)
	}
	return names[value]
}
