package ridge

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Regressor]("ridge.Regressor", registry.Type{})
	registry.Add[*MultiRegressor]("ridge.MultiRegressor", registry.Type{})
	registry.Add[*DirectKernel]("ridge.DirectKernel", registry.Type{})
}
