package elm

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Classifier]("elm.Classifier", registry.Type{})
}
