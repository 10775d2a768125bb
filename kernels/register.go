package kernels

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	valid := registry.Type{Validate: func(v any) error { return Validate(v.(Kernel)) }}
	registry.Add[RBF]("kernels.RBF", valid)
	registry.Add[Linear]("kernels.Linear", valid)
	registry.Add[Polynomial]("kernels.Polynomial", valid)
	registry.Add[Laplacian]("kernels.Laplacian", valid)
	registry.Add[Matern]("kernels.Matern", valid)
	registry.Add[RationalQuadratic]("kernels.RationalQuadratic", valid)
	registry.Add[Periodic]("kernels.Periodic", valid)
	registry.Add[ELM]("kernels.ELM", valid)
	registry.Add[Tanh]("kernels.Tanh", valid)
	registry.Add[Sum]("kernels.Sum", valid)
	registry.Add[Product]("kernels.Product", valid)
	registry.Add[Scaled]("kernels.Scaled", valid)
	registry.Add[Normalized]("kernels.Normalized", valid)
	registry.Add[ARD]("kernels.ARD", valid)
	registry.Add[Columns]("kernels.Columns", valid)
	registry.Add[Additive]("kernels.Additive", valid)
}
