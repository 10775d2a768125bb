package rvm

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Regressor]("rvm.Regressor", registry.Type{})
	registry.Add[*Classifier]("rvm.Classifier", registry.Type{})
}
