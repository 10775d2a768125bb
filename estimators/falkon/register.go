package falkon

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Regressor]("falkon.Regressor", registry.Type{})
	registry.Add[*MultiRegressor]("falkon.MultiRegressor", registry.Type{})
	registry.Add[*Classifier]("falkon.Classifier", registry.Type{})
}
