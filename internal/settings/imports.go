package settings

import (
	"slices"

	"github.com/kernelearn/kernelearn/internal/registry"
)

// Import is a registered type and the package that registers it.
type Import struct{ Type, Package string }

// MostImports limits the types that Imports returns, since a file may name any number.
const MostImports = 64

// Imports appends the types named in the settings to told, without duplicates.
func (s Value) Imports(told []Import) []Import {
	told = AppendImport(told, Import{s.Type, s.Package})
	for _, one := range s.List {
		if len(told) >= MostImports {
			break
		}
		told = one.Imports(told)
	}
	return told
}

// AppendImport appends a type unless it is already present or has no name, or told already has MostImports elements.
func AppendImport(told []Import, one Import) []Import {
	if one.Type == "" || len(told) >= MostImports || slices.Contains(told, one) {
		return told
	}
	return append(told, one)
}

// Unknown returns the types that are not registered in the program.
func Unknown(types []Import) (out []Import) {
	for _, t := range types {
		if _, ok := registry.Named(t.Type); !ok {
			out = append(out, t)
		}
	}
	return out
}
