package transformers_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/sparse"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func ExampleSparseTransformer() {
	x, err := sparse.NewRows(3, []int{0, 2, 3}, []int{0, 2, 1}, []float64{3, 4, 7})
	if err != nil {
		log.Fatal(err)
	}
	scaler := &scalers.UnitRows{}
	if err := scaler.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	var keeper transformers.SparseTransformer = scaler
	z, err := keeper.TransformSparse(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(z), z.Entries(), "entries")
	// Output:
	// ⎡0.6    0  0.8⎤
	// ⎣  0    1    0⎦ 3 entries
}
