package rvm

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Regressor]("rvm.Regressor", registry.Type{})
	registry.Add[*Classifier]("rvm.Classifier", registry.Type{})
}
