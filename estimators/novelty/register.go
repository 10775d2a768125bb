package novelty

import "github.com/kernelearn/kernelearn/internal/registry"

// Model files name this type (package modelfile).
func init() {
	registry.Add[*Density]("novelty.Density", registry.Type{})
}
