package gabasr

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Regressor]("gabasr.Regressor", registry.Type{})
	registry.Add[*Classifier]("gabasr.Classifier", registry.Type{})
}
