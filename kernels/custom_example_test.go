package kernels_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/kernels"
)

// Cauchy is a third-party kernel. Eval and String make it a kernel; the other methods are optional capabilities.
type Cauchy struct{ Width float64 }

func (c Cauchy) Eval(x, z []float64) float64 {
	if len(x) != len(z) {
		panic("Cauchy: rows of different length")
	}
	s := 0.0
	for i, v := range x {
		s += (v - z[i]) * (v - z[i])
	}
	return 1 / (1 + s/c.Width/c.Width)
}

func (c Cauchy) String() string { return fmt.Sprintf("Cauchy(width=%v)", c.Width) }

// Validate is called before anything is computed.
func (c Cauchy) Validate() error {
	if !(c.Width > 0) || math.IsInf(c.Width, 1) {
		return errors.New("Cauchy: Width: want a finite value > 0")
	}
	return nil
}

// OfSquaredDistances makes its matrices as fast as those of RBF.
func (c Cauchy) OfSquaredDistances(dst, squared []float64) {
	for i, s := range squared {
		dst[i] = 1 / (1 + s/c.Width/c.Width)
	}
}

// Any type with Eval and String is a kernel. Its optional methods are used if it has them.
func ExampleKernel() {
	var k kernels.Kernel = Cauchy{Width: 2}
	_, radial := k.(kernels.Radial)
	_, validates := k.(kernels.Validator)
	fmt.Println(radial, validates)

	gram, err := kernels.Matrix(context.Background(), kernels.Sum{k, kernels.Linear{}}, rows, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	print(gram)
	_, err = kernels.Matrix(context.Background(), Cauchy{}, rows, nil)
	fmt.Println(err)
	// Output:
	// true true
	// ⎡ 1.000   0.800   0.138⎤
	// ⎢ 0.800   2.000   3.167⎥
	// ⎣ 0.138   3.167  26.000⎦
	// Cauchy: Width: want a finite value > 0
}

// exponential is a kernel of the inner product.
type exponential struct{}

func (exponential) Eval(x, z []float64) float64 { return math.Exp(floats.Dot(x, z)) }
func (exponential) String() string              { return "exponential" }
func (exponential) OfDotProducts(dst, products []float64) {
	for i, v := range products {
		dst[i] = math.Exp(v)
	}
}

func ExampleDotProduct() {
	var k kernels.DotProduct = exponential{}
	values := make([]float64, 2)
	k.OfDotProducts(values, []float64{0, 1})
	fmt.Printf("%.3f\n", values)
	// Output: [1.000 2.718]
}

// intersection is Σ min(x[j], z[j]) for histograms, which depends neither on a distance nor on an inner product.
type intersection struct{}

func (intersection) Eval(x, z []float64) (s float64) {
	if len(x) != len(z) {
		panic("intersection: rows of different length")
	}
	for j, v := range x {
		s += min(v, z[j])
	}
	return s
}
func (intersection) String() string { return "intersection" }

// Block is useful if it is faster than calling Eval for each pair.
func (k intersection) Block(dst, x, z *mat.Dense) {
	dst.Apply(func(i, j int, _ float64) float64 { return k.Eval(x.RawRowView(i), z.RawRowView(j)) }, dst)
}

// Diag needs no comparison: the intersection of a histogram with itself is its sum.
func (intersection) Diag(dst []float64, x *mat.Dense) {
	for i := range dst {
		dst[i] = floats.Sum(x.RawRowView(i))
	}
}

// The example computes a kernel matrix in parts.
func ExampleBlocker() {
	var k kernels.Blocker = intersection{}
	histograms := mat.NewDense(2, 3, []float64{1, 2, 0, 0, 2, 2})
	diag, row := make([]float64, 2), make([]float64, 2)
	kernels.Diag(diag, k.(kernels.Kernel), histograms)
	kernels.Row(row, k.(kernels.Kernel), []float64{1, 1, 1}, histograms)
	fmt.Println(diag, row)
	// Output: [3 4] [2 2]
}

func ExampleOptions() {
	x := mat.NewDense(1000, 2, nil)
	_, err := kernels.Matrix(context.Background(), kernels.RBF{}, x, &kernels.Options{Workers: 1, MaxBytes: 1 << 20})
	fmt.Println(errors.Is(err, estimators.ErrTooLarge))
	// Output: true
}
