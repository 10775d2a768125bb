package measures_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/streaming"
)

// This example computes the distance of two classes on a line from the merged sums of two machines.
func ExampleClassSums() {
	var here, there measures.ClassSums
	ctx := context.Background()
	err := here.AddBlock(ctx, streaming.Block[int]{X: mat.NewDense(3, 1, []float64{0, 1, 5}), Y: []int{0, 0, 1}})
	if err == nil {
		err = there.AddBlock(ctx, streaming.Block[int]{X: mat.NewDense(3, 1, []float64{2, 6, 7}), Y: []int{0, 1, 1}})
	}
	if err == nil {
		err = here.Merge(&there)
	}
	d, _ := here.Divergence()
	fmt.Printf("%d rows, divergence %.2f %v\n", here.Rows(), d.CauchySchwarz, err)
	// Output: 6 rows, divergence 18.75 <nil>
}

// This example computes the alignment of a feature map with real targets from sums.
func ExampleTargetSums() {
	var sums measures.TargetSums
	for _, b := range []streaming.Block[float64]{
		{X: mat.NewDense(2, 1, []float64{1, 2}), Y: []float64{10, 21}},
		{X: mat.NewDense(2, 1, []float64{3, 4}), Y: []float64{29, 41}},
	} {
		if err := sums.AddBlock(context.Background(), b); err != nil {
			fmt.Println(err)
		}
	}
	a, err := sums.Alignment()
	fmt.Printf("%.3f %v\n", a.CentredKTA, err)
	// Output: 0.995 <nil>
}
