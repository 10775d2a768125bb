package entropy

import "github.com/kernelearn/kernelearn/internal/registry"

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Search]("entropy.Search", registry.Type{})
	registry.Add[*GoldenSection]("entropy.GoldenSection", registry.Type{})
}
