package gabasr

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Regressor]("gabasr.Regressor", registry.Type{})
	registry.Add[*Classifier]("gabasr.Classifier", registry.Type{})
}
