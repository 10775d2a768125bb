package sparse_test

import (
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/sparse"
)

func ExampleRows() {
	// Row 0 has 5 in column 1, row 1 has no entry, and row 2 has 1 in column 0 and 2 in column 3.
	x, err := sparse.NewRows(4, []int{0, 1, 1, 3}, []int{1, 0, 3}, []float64{5, 1, 2})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(x))
	x.DoRowNonZero(2, func(i, j int, v float64) { fmt.Println(i, j, v) })
	fmt.Println(x.Entries(), "entries")
	// Output:
	// ⎡0  5  0  0⎤
	// ⎢0  0  0  0⎥
	// ⎣1  0  0  2⎦
	// 2 0 1
	// 2 3 2
	// 3 entries
}
