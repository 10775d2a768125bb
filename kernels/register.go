package kernels

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
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
	registry.Add[RBFFamily]("kernels.RBFFamily", registry.Type{})
	registry.Add[PolynomialFamily]("kernels.PolynomialFamily", registry.Type{})
	registry.Add[LaplacianFamily]("kernels.LaplacianFamily", registry.Type{})
	registry.Add[MaternFamily]("kernels.MaternFamily", registry.Type{})
	registry.Add[RationalQuadraticFamily]("kernels.RationalQuadraticFamily", registry.Type{})
	registry.Add[PeriodicFamily]("kernels.PeriodicFamily", registry.Type{})
	registry.Add[ELMFamily]("kernels.ELMFamily", registry.Type{})
	registry.Add[ShiftedPolynomialFamily]("kernels.ShiftedPolynomialFamily", registry.Type{})
	registry.Add[SumFamily]("kernels.SumFamily", registry.Type{})
	registry.Add[ProductFamily]("kernels.ProductFamily", registry.Type{})
	registry.Add[Fixed]("kernels.Fixed", registry.Type{})
}
