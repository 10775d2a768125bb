package ridge

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Regressor]("ridge.Regressor", registry.Type{})
	registry.Add[*MultiRegressor]("ridge.MultiRegressor", registry.Type{})
	registry.Add[*DirectKernel]("ridge.DirectKernel", registry.Type{})
}
