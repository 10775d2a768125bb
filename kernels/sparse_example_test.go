package kernels_test

import (
	"context"
	"fmt"
	"log"
	"strings"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// documents holds texts as the numbers of their words. DoRowNonZero makes them sparse rows, like a sparse.CSR of
// github.com/james-bowman/sparse.
type documents struct {
	vocabulary map[string]int
	counts     []map[int]float64
}

func (d *documents) add(text string) {
	counts := map[int]float64{}
	for _, word := range strings.Fields(text) {
		at, ok := d.vocabulary[word]
		if !ok {
			at = len(d.vocabulary)
			d.vocabulary[word] = at
		}
		counts[at]++
	}
	d.counts = append(d.counts, counts)
}

func (d *documents) Dims() (r, c int)    { return len(d.counts), len(d.vocabulary) }
func (d *documents) At(i, j int) float64 { return d.counts[i][j] }
func (d *documents) T() mat.Matrix       { return mat.Transpose{Matrix: d} }

// DoRowNonZero implements mat.RowNonZeroDoer.
func (d *documents) DoRowNonZero(i int, f func(i, j int, v float64)) {
	for j, v := range d.counts[i] {
		f(i, j, v)
	}
}

// The cosine of documents is the normalised linear kernel. It needs no dense copy of the rows.
func ExampleMatrix_sparse() {
	d := &documents{vocabulary: map[string]int{}}
	d.add("the cat sat on the mat")
	d.add("the dog sat on the mat")
	d.add("kernels of sparse rows")
	k, err := kernels.Matrix(context.Background(), kernels.Normalized{Kernel: kernels.Linear{}}, d, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", mat.Formatted(k))
	// Output:
	// ⎡1.000  0.875  0.000⎤
	// ⎢0.875  1.000  0.000⎥
	// ⎣0.000  0.000  1.000⎦
}
