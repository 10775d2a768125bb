package kernels_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

var rows = mat.NewDense(3, 2, []float64{0, 0, 1, 0, 3, 4})

func print(m mat.Matrix) { fmt.Printf("%.3f\n", mat.Formatted(m)) }

func ExampleMatrix() {
	k, err := kernels.Matrix(context.Background(), kernels.RBF{Gamma: 0.5}, rows, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	print(k)
	// Output:
	// ⎡1.000  0.607  0.000⎤
	// ⎢0.607  1.000  0.000⎥
	// ⎣0.000  0.000  1.000⎦
}

func ExampleCross() {
	k, err := kernels.Cross(context.Background(), kernels.Linear{}, rows, mat.NewDense(1, 2, []float64{1, 2}), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	print(k)
	// Output:
	// ⎡ 0.000⎤
	// ⎢ 1.000⎥
	// ⎣11.000⎦
}

func ExampleRBF() {
	fmt.Printf("%.4f\n", kernels.RBF{Gamma: 0.5}.Eval([]float64{0, 0}, []float64{1, 1}))
	// Output: 0.3679
}

func ExampleLinear() {
	fmt.Println(kernels.Linear{}.Eval([]float64{1, 2}, []float64{3, 4}))
	// Output: 11
}

func ExamplePolynomial() {
	fmt.Println(kernels.Polynomial{Degree: 2, Coef0: 1}.Eval([]float64{1, 2}, []float64{3, 4}))
	// Output: 144
}

func ExampleNormalized() {
	k := kernels.Normalized{Kernel: kernels.Polynomial{Degree: 2, Coef0: 1}}
	fmt.Println(k)
	fmt.Printf("%.4f\n", k.Eval([]float64{1, 2}, []float64{3, 4}))
	// Output:
	// Normalized(Polynomial(degree=2, gamma=1, coef0=1))
	// 0.9231
}

func ExampleRBFFamily() {
	f := kernels.RBFFamily{}
	start, err := f.Start(context.Background(), rows) // squared distances 1, 20, 25
	fmt.Println(f.At(start), err)
	// Output: RBF(gamma=0.05) <nil>
}

func ExamplePolynomialFamily() {
	fmt.Println(kernels.PolynomialFamily{}.At(4))
	// Output: Normalized(Polynomial(degree=4, gamma=1, coef0=1))
}

func ExampleMedianRBF() {
	k, err := kernels.MedianRBF(context.Background(), rows, 0)
	fmt.Println(k, err)
	// Output: RBF(gamma=0.05) <nil>
}
