package gabasr

import (
	"fmt"
)

// Map is how frequencies make features.
type Map int

// The maps, of which Stationary is the default.
const (
	// Stationary has cos<w,x> and sin<w,x> of each frequency w.
	Stationary Map = iota
	// Paired multiplies those of each w by cos(<v,x>/2), v its own local frequency.
	Paired
	// AllPairs has that for each combination of ⌊√Components⌋ w with as many v.
	AllPairs
)

// String returns the map's name.
func (m Map) String() string {
	names := []string{"Stationary", "Paired", "AllPairs"}
	if m < 0 || int(m) >= len(names) {
		return fmt.Sprintf("Map(%d)", int(m))
	}
	return names[m]
}
