package measures_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
)

func ExampleEntropy() {
	x := mat.NewDense(4, 1, []float64{0, 1, 2, 3})
	for _, gamma := range []float64{0.01, 1, 100} {
		k, err := kernels.Matrix(context.Background(), kernels.RBF{Gamma: gamma}, x, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		s, err := measures.Entropy(context.Background(), k)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("gamma %v: entropy %.2f, effective rank %.1f\n", gamma, s.Entropy, s.EffectiveRank)
	}
	// Output:
	// gamma 0.01: entropy 0.08, effective rank 1.1
	// gamma 1: entropy 0.92, effective rank 3.6
	// gamma 100: entropy 1.00, effective rank 4.0
}

// The spectrum of four rows that differ, and of four of which three are the same:
// whatever the kernel, its entropy stays below the ceiling.
func ExampleSpectrum() {
	var distinct, alike measures.Spectrum
	distinct = measures.Ceiling(mat.NewDense(4, 1, []float64{1, 2, 3, 4}))
	alike = measures.Ceiling(mat.NewDense(4, 1, []float64{1, 1, 1, 4}))
	fmt.Printf("%.2f %.2f\n", distinct.Entropy, alike.Entropy)
	// Output: 1.00 0.41
}
