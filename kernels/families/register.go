package families

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile). The names are those that the types had in package kernels.
func init() {
	registry.Add[RBF]("kernels.RBFFamily", registry.Type{})
	registry.Add[Polynomial]("kernels.PolynomialFamily", registry.Type{})
	registry.Add[Laplacian]("kernels.LaplacianFamily", registry.Type{})
	registry.Add[Matern]("kernels.MaternFamily", registry.Type{})
	registry.Add[RationalQuadratic]("kernels.RationalQuadraticFamily", registry.Type{})
	registry.Add[Periodic]("kernels.PeriodicFamily", registry.Type{})
	registry.Add[ELM]("kernels.ELMFamily", registry.Type{})
	registry.Add[ShiftedPolynomial]("kernels.ShiftedPolynomialFamily", registry.Type{})
	registry.Add[Sum]("kernels.SumFamily", registry.Type{})
	registry.Add[Product]("kernels.ProductFamily", registry.Type{})
	registry.Add[Fixed]("kernels.Fixed", registry.Type{})
}
