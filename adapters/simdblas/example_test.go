package simdblas_test

import (
	"fmt"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/simdblas"
)

// This example uses the implementation that the blank import registers for the entire program.
func ExampleImplementation() {
	blas64.Use(simdblas.Implementation{})
	a := mat.NewDense(2, 2, []float64{1, 2, 3, 4})
	var square mat.Dense
	square.Mul(a, a)
	fmt.Println(mat.Formatted(&square))
	// Output:
	// ⎡ 7  10⎤
	// ⎣15  22⎦
}
