package shape

import "github.com/kernelearn/kernelearn/internal/registry"

// Model files name this type (package modelfile).
func init() { registry.Add[*Search]("shape.Search", registry.Type{}) }
