package kernels_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/graph"
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

func ExampleMedianRBF() {
	k, err := kernels.MedianRBF(context.Background(), rows, 0)
	fmt.Println(k, err)
	// Output: RBF(gamma=0.05) <nil>
}

func ExampleLaplacian() {
	fmt.Printf("%.4f\n", kernels.Laplacian{Gamma: 0.5}.Eval([]float64{0, 0}, []float64{1, 1}))
	// Output: 0.3679
}

func ExampleMatern() {
	k := kernels.Matern{Nu: 2.5, Length: 2}
	fmt.Printf("%v %.4f\n", k, k.Eval([]float64{0}, []float64{1}))
	// Output: Matern(nu=2.5, length=2) 0.8286
}

func ExampleELM() {
	fmt.Printf("%.4f\n", kernels.ELM{Sigma: 1}.Eval([]float64{1, 0}, []float64{0, 1}))
	// Output: 0.2620
}

func ExampleTanh() {
	fmt.Printf("%.4f\n", kernels.Tanh{Gamma: 0.5}.Eval([]float64{1, 1}, []float64{1, 1}))
	// Output: 0.7616
}

func ExampleSum() {
	k := kernels.Sum{kernels.RBF{Gamma: 0.5}, kernels.Scaled{Kernel: kernels.Linear{}, Factor: 2}}
	fmt.Printf("%v %.4f\n", k, k.Eval([]float64{1}, []float64{2}))
	// Output: Sum(RBF(gamma=0.5), Scaled(2, Linear)) 4.6065
}

func ExampleProduct() {
	k := kernels.Product{kernels.RBF{Gamma: 0.5}, kernels.Linear{}}
	fmt.Printf("%v %.4f\n", k, k.Eval([]float64{1}, []float64{2}))
	// Output: Product(RBF(gamma=0.5), Linear) 1.2131
}

func ExampleScaled() {
	fmt.Println(kernels.Scaled{Kernel: kernels.Linear{}, Factor: 2}.Eval([]float64{1}, []float64{2}))
	// Output: 4
}

func ExampleRBFOfLength() {
	fmt.Println(kernels.RBFOfLength(2))
	// Output: RBF(gamma=0.125)
}

// The example compares the rows of a fitted model with new rows that arrive one at a time.
func ExamplePrepared() {
	ctx := context.Background()
	var p *kernels.Prepared
	p, err := kernels.Prepare(ctx, kernels.Linear{}, mat.NewDense(2, 2, []float64{1, 0, 0, 2}), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range [][]float64{{3, 4}, {5, 6}} {
		k, err := p.Cross(ctx, mat.NewDense(1, 2, row))
		fmt.Println(k.RawRowView(0), err)
	}
	// Output:
	// [3 8] <nil>
	// [5 12] <nil>
}

func ExampleReference() {
	used := kernels.Matern{Length: 2}
	r := kernels.MakeReference(used, used) // the form of the kernel in a model file
	_, err := r.Resolve("mypackage.Regressor", kernels.Matern{Length: 3})
	fmt.Println(err)
	// Output:
	// mypackage.Regressor: bad model data: fitted with Kernel Matern(nu=1.5, length=2), this value has Kernel Matern(nu=1.5, length=3)
}

// The frequencies of an RBF with length 1 are standard normal.
func ExampleSpectralDensity() {
	var k kernels.Spectral = kernels.RBFOfLength(1)
	s, err := k.SpectralDensity()
	if err != nil {
		log.Fatal(err)
	}
	w := make([]float64, 2)
	s.Frequency(w, []float64{0.5, 0.975})
	fmt.Printf("%d uniform numbers give %.2f\n", s.Uniforms(2), w)
	// Output: 2 uniform numbers give [0.00 1.96]
}

// A search evaluates ten kernels for the same rows, and the distances are computed only once.
func ExampleShared() {
	ctx := context.Background()
	x := mat.NewDense(3, 1, []float64{0, 1, 3})
	s, err := kernels.Share(ctx, x, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, gamma := range []float64{0.1, 1} {
		k, err := s.Matrix(ctx, kernels.RBF{Gamma: gamma})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%.3f\n", k.At(0, 1))
	}
	// Output:
	// 0.905
	// 0.368
}

// The example computes the kernel values between new rows and the training rows, for many kernels.
func ExampleSharedCross() {
	ctx := context.Background()
	train, test := mat.NewDense(3, 1, []float64{0, 1, 3}), mat.NewDense(1, 1, []float64{2})
	s, err := kernels.ShareCross(ctx, test, train, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	k, err := s.Cross(ctx, kernels.RBF{Gamma: 0.5})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", k.RawRowView(0))
	// Output: [0.135 0.607 0.607]
}

// inverseDistance is the third-party kernel 1/(1 + |x-z|²). Models with it can be exported: Graph does with graph values what Eval
// does with numbers.
type inverseDistance struct{}

func (inverseDistance) Eval(x, z []float64) float64 {
	sum := 0.0
	for j, v := range x {
		sum += (v - z[j]) * (v - z[j])
	}
	return 1 / (1 + sum)
}

func (inverseDistance) String() string { return "inverseDistance" }

func (inverseDistance) Graph(x graph.Value, z *mat.Dense) (graph.Value, error) {
	squared := x.OverDifferences(z, graph.Value.Square)
	return x.Number(1).Div(squared.Plus(1)), nil
}

func (inverseDistance) GraphDiag(x graph.Value) (graph.Value, error) { return x.Fill(1), nil }

func ExampleGrapher() {
	g, x := graph.New(2)
	z := mat.NewDense(2, 2, []float64{0, 0, 1, 2})
	values, err := kernels.Graph(kernels.Scaled{Kernel: inverseDistance{}, Factor: 6}, x, z)
	if err != nil {
		fmt.Println(err)
		return
	}
	out, err := g.Run(mat.NewDense(1, 2, []float64{1, 0}), values)
	fmt.Printf("%.1f %v\n", mat.Formatted(out[0]), err)
	// Output: [3.0  1.2] <nil>
}
