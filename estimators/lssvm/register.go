package lssvm

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Regressor]("lssvm.Regressor", registry.Type{})
	registry.Add[*MultiRegressor]("lssvm.MultiRegressor", registry.Type{})
	registry.Add[*Classifier]("lssvm.Classifier", registry.Type{})
}
