package novelty

import "github.com/kernelearn/kernelearn/internal/registry"

// Model files contain the name of this type (see package modelfile).
func init() {
	registry.Add[*Density]("novelty.Density", registry.Type{})
}
