package estimators

import "strings"

// InterfacesOfCapabilities returns the names of each capability's interfaces.
func InterfacesOfCapabilities() map[Capability][]string {
	out := map[Capability][]string{}
	for c, a := range table {
		for _, i := range a.interfaces {
			name, _, _ := strings.Cut(i.Name(), "[")
			out[c] = append(out[c], name)
		}
	}
	return out
}
