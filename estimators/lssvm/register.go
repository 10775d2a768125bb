package lssvm

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Regressor]("lssvm.Regressor", registry.Type{})
	registry.Add[*MultiRegressor]("lssvm.MultiRegressor", registry.Type{})
	registry.Add[*Classifier]("lssvm.Classifier", registry.Type{})
}
