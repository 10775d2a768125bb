package shape_test

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// The search learns one length per column: two columns are relevant, and four are noise.
func ExampleSearch() {
	x, y := mat.NewDense(80, 6, nil), make([]float64, 80)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range y {
		for j := range 6 {
			x.Set(i, j, rng.NormFloat64())
		}
		y[i] = math.Sin(2*x.At(i, 0)) + x.At(i, 1) + .1*rng.NormFloat64()
	}
	r := &selection.Regressor{
		Preprocess: []transformers.Transformer{&scalers.StandardScaler{}},
		Space:      selection.Kernels[estimators.Regressor](nil, families.Matern{Nu: 2.5}),
		Search:     &shape.Search{},
	}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	// Shorter lengths mean more relevant columns.
	lengths := r.Result().Lengths
	columns := []int{0, 1, 2, 3, 4, 5}
	slices.SortFunc(columns, func(a, b int) int { return cmp.Compare(lengths[a], lengths[b]) })
	fmt.Println(columns[:2])
	// Output: [0 1]
}

// Objective selects what a Search maximises. The evidence is the safest choice with few rows.
func ExampleObjective() {
	fmt.Println(shape.RestrictedEvidence)
	s := &shape.Search{Objective: shape.LeaveOneOutDensity}
	fmt.Println(s.Objective)
	// Output:
	// RestrictedEvidence
	// LeaveOneOutDensity
}
