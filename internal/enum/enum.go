// Package enum names the values of types that are numbers from 0 on.
package enum

import "fmt"

// Name is the name of value, of names from 0 on, or the type with the number, as Loss(7), for a value that has none.
func Name(typ string, value int, names ...string) string {
	if value < 0 || value >= len(names) {
		return fmt.Sprintf("%s(%d)", typ, value)
	}
	return names[value]
}
