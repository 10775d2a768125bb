package families_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
)

func ExampleRBF() {
	f := families.RBF{}
	start, err := f.Start(context.Background(), mat.NewDense(3, 2, []float64{0, 0, 1, 0, 3, 4})) // squared distances 1, 20, 25
	fmt.Println(f.Kernel(start), err)
	// Output: RBF(gamma=0.05) <nil>
}

func ExamplePolynomial() {
	fmt.Println(families.Polynomial{}.Kernel(4))
	// Output: Normalized(Polynomial(degree=4, gamma=1, coef0=1))
}

func ExampleLaplacian() {
	f := families.Laplacian{}
	start, err := f.Start(context.Background(), mat.NewDense(2, 1, []float64{0, 4}))
	fmt.Println(f.Kernel(start), err)
	// Output: Laplacian(gamma=0.25) <nil>
}

func ExampleMatern() {
	fmt.Println(families.Matern{Nu: 2.5}.Kernel(4)) // the parameter is the reciprocal of the length
	// Output: Matern(nu=2.5, length=0.25)
}

func ExampleRationalQuadratic() {
	fmt.Println(families.RationalQuadratic{Alpha: 2}.Kernel(4)) // the parameter is the reciprocal of the length
	// Output: RationalQuadratic(alpha=2, length=0.25)
}

func ExamplePeriodic() {
	fmt.Println(families.Periodic{Period: 12}.Kernel(2))
	// Output: Periodic(periods=[12], lengths=[0.5])
}

func ExampleELM() {
	fmt.Println(families.ELM{}.Kernel(2))
	// Output: ELM(sigma=2)
}

// A family with two length scales becomes a family with one if the second is fixed.
func ExampleFamily2() {
	var family families.Family2 = families.Sum{First: families.RBF{}, Second: families.RBF{}}
	fmt.Println(family.Kernel(0.1, 10))
	along := families.Fixed{Family: family, Second: true, Value: 10}
	fmt.Println(along, along.Kernel(0.5))
	// Output:
	// Sum(Scaled(0.5, RBF(gamma=0.1)), Scaled(0.5, RBF(gamma=10)))
	// Sum(RBF, RBF)(second=10) Sum(Scaled(0.5, RBF(gamma=0.5)), Scaled(0.5, RBF(gamma=10)))
}

// This example prints kernels of the other two families with two parameters.
func ExampleProduct() {
	fmt.Println(families.Product{First: families.RBF{}, Second: families.ELM{}}.Kernel(0.1, 2))
	fmt.Println(families.ShiftedPolynomial{}.Kernel(3, 0.5))
	// Output:
	// Product(RBF(gamma=0.1), ELM(sigma=2))
	// Normalized(Polynomial(degree=3, gamma=1, coef0=0.5))
}

// cauchyFamily allows a search over cauchy by its rate, 1/width.
type cauchyFamily struct{ families.RBF }

func (cauchyFamily) Kernel(rate float64) kernels.Kernel { return cauchy{width: 1 / rate} }
func (cauchyFamily) String() string                     { return "Cauchy" }

// cauchy is a third-party kernel.
type cauchy struct{ width float64 }

func (k cauchy) Eval(x, z []float64) float64 {
	s := 0.0
	for j := range x {
		s += (x[j] - z[j]) * (x[j] - z[j])
	}
	return 1 / (1 + s/k.width/k.width)
}

func (k cauchy) String() string { return fmt.Sprintf("Cauchy(width=%v)", k.width) }

// A third-party family can reuse the bounds and the initial value of an existing family.
func ExampleFamily() {
	var f families.Family = cauchyFamily{}
	lo, hi := f.Bounds()
	fmt.Println(f, f.Kernel(4), lo, hi, f.Integer())
	// Output: Cauchy Cauchy(width=0.25) 1e-12 1e+12 false
}
