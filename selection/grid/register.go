package grid

import "github.com/kernelearn/kernelearn/internal/registry"

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Search]("grid.Search", registry.Type{})
	registry.Add[*Halving]("grid.Halving", registry.Type{})
}
