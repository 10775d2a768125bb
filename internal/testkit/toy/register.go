package toy

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Ridge]("toy.Ridge", registry.Type{})
	registry.Add[*Centroid]("toy.Centroid", registry.Type{})
}
