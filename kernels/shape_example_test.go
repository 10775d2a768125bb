package kernels_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels"
)

// Each column has a length, but the last two columns encode a category and share one.
func ExampleARD() {
	k := kernels.ARD{Kernel: kernels.Matern{Nu: 2.5}, Lengths: []float64{2, 0.5}, Groups: []int{0, 1, 1}}
	fmt.Printf("%v %.4f\n", k, k.Eval([]float64{0, 0, 1}, []float64{2, 1, 0}))
	for _, p := range k.Params() {
		fmt.Println(p.Name, p.Kind, p.Columns, p.Value)
	}
	// Output:
	// ARD(Matern(nu=2.5, length=1), lengths=[2 0.5], groups=[0 1 1]) 0.0277
	// length[0] length [0] 2
	// length[1] length [1 2] 0.5
}

func ExampleRationalQuadratic() {
	fmt.Println(kernels.RationalQuadratic{Alpha: 1, Length: 1}.Eval([]float64{0, 0}, []float64{1, 1}))
	// Output: 0.5
}

// The kernel is the sum of a trend and a season of twelve months that changes over the years.
func ExamplePeriodic() {
	season := kernels.Product{kernels.Periodic{Periods: []float64{12}}, kernels.RBFOfLength(60)}
	k := kernels.Sum{season, kernels.RBFOfLength(120)}
	january := []float64{0}
	for _, month := range []float64{1, 6, 12, 120} {
		fmt.Printf("%v: %.3f\n", month, k.Eval(january, []float64{month}))
	}
	// Output:
	// 1: 1.874
	// 6: 1.133
	// 12: 1.975
	// 120: 0.742
}

// The first two columns have an RBF kernel, and the third one a kernel with period 24.
func ExampleColumns() {
	k := kernels.Product{
		kernels.Columns{Of: []int{0, 1}, Kernel: kernels.RBF{Gamma: 0.5}},
		kernels.Columns{Of: []int{2}, Kernel: kernels.Periodic{Periods: []float64{24}}},
	}
	fmt.Println(k)
	fmt.Printf("%.4f\n", k.Eval([]float64{0, 0, 1}, []float64{1, 0, 25}))
	// Output:
	// Product(Columns([0 1], RBF(gamma=0.5)), Columns([2], Periodic(periods=[24], lengths=[1])))
	// 0.6065
}

// The rows consist of a number and a category. Only the equality of the category's codes matters.
func ExampleARD_categories() {
	k := kernels.ARD{Kernel: kernels.RBFOfLength(1), Lengths: []float64{1, 2}, Categories: []int{1}}
	fmt.Printf("%.4f %.4f\n", k.Eval([]float64{0, 7}, []float64{0, 3}), k.Eval([]float64{0, 7}, []float64{0, -1}))
	// Output: 0.8825 0.8825
}

func ExampleAdditive() {
	k := kernels.Additive{Kernel: kernels.RBFOfLength(1), Lengths: []float64{1, 10}, Variances: []float64{2, 1}}
	fmt.Printf("%.4f\n", k.Eval([]float64{0, 0}, []float64{1, 1}))
	// Output: 2.2081
}

// The example takes a step of steepest ascent for Σ W∘K, with respect to the logarithms of the lengths.
func ExampleDerivatives() {
	ctx := context.Background()
	x := mat.NewDense(3, 2, []float64{0, 0, 1, 0, 3, 4})
	d, err := kernels.NewDerivatives(x, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	w := mat.NewSymDense(3, []float64{0, 1, -1, 1, 0, 0, -1, 0, 0})
	var k kernels.Differentiable = kernels.ARD{Kernel: kernels.RBFOfLength(1), Lengths: []float64{1, 2}}
	var gram mat.SymDense
	if err := d.MatrixTo(ctx, &gram, k); err != nil {
		fmt.Println(err)
		return
	}
	gradient := make([]float64, len(k.Params()))
	if err := d.Gradient(ctx, gradient, w); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.4f\n", gradient)
	theta := kernels.LogParams(k)
	for p, g := range gradient {
		theta[p] += 0.1 * g
	}
	fmt.Printf("%.4f\n", kernels.WithLogParams(k, theta).(kernels.ARD).Lengths)
	// Output:
	// [1.1860 -0.0120]
	// [1.1259 1.9976]
}

// learnable is Cauchy with a width that can be learnt, and with support for lengths of columns.
type learnable struct{ of Cauchy }

func (k learnable) Eval(x, z []float64) float64               { return k.of.Eval(x, z) }
func (k learnable) String() string                            { return k.of.String() }
func (k learnable) OfSquaredDistances(dst, squared []float64) { k.of.OfSquaredDistances(dst, squared) }
func (k learnable) Validate() error                           { return k.of.Validate() }

func (k learnable) Params() []kernels.Param {
	return []kernels.Param{{Name: "width", Kind: kernels.KindLength, Value: k.of.Width}}
}

func (k learnable) WithParams(values []float64) kernels.Kernel {
	return learnable{Cauchy{Width: values[0]}}
}

// EvalGradient sets ∂k/∂ ln w = 2(s/w²)k² for the squared distance s.
func (k learnable) EvalGradient(dst, x, z []float64) {
	v := k.Eval(x, z)
	dst[0] = 2 * (1/v - 1) * v * v
}

// SlopesOfSquaredDistances sets -2 ∂k/∂s = 2k²/w².
func (k learnable) SlopesOfSquaredDistances(dst, squared []float64) {
	k.OfSquaredDistances(dst, squared)
	for i, v := range dst {
		dst[i] = 2 * v * v / k.of.Width / k.of.Width
	}
}

// The parameters of a third-party kernel can be learnt, alone or with a length for each column.
func ExampleDifferentiable() {
	var own kernels.RadialSlopes = learnable{Cauchy{Width: 1}}
	for _, k := range []kernels.Kernel{own.(kernels.Kernel), kernels.ARD{Kernel: own.(kernels.Kernel), Lengths: []float64{1, 2}}} {
		d, err := kernels.AsDifferentiable(k)
		if err != nil {
			fmt.Println(err)
			return
		}
		gradient := make([]float64, len(d.Params()))
		d.EvalGradient(gradient, []float64{0, 0}, []float64{1, 2})
		fmt.Printf("%v %.4f\n", d.Params()[0].Name, gradient)
	}
	// Output:
	// width [0.2778]
	// length[0] [0.2222 0.2222]
}

// Because of its slopes, a kernel of the inner product can have a length for each column.
func ExampleDotProductSlopes() {
	var k kernels.DotProductSlopes = kernels.Polynomial{Degree: 2, Coef0: 1}
	slopes := make([]float64, 2)
	k.SlopesOfDotProducts(slopes, []float64{0, 1})
	fmt.Println(slopes)
	// Output: [2 4]
}

func ExampleColumnValidator() {
	var k kernels.ColumnValidator = kernels.ARD{Kernel: kernels.RBF{}, Lengths: []float64{1, 2}}
	fmt.Println(k.ValidateColumns(3))
	// Output: rows have 3 columns, ARD has lengths for 2
}

// The example lists the learnt parameters: the lengths of a kernel, with their columns.
func ExampleParam() {
	k := kernels.Sum{kernels.ARD{Kernel: kernels.Linear{}, Lengths: []float64{1, 2}}, kernels.Scaled{Kernel: kernels.Periodic{}}}
	var lengths []kernels.Param
	for _, p := range k.Params() {
		switch p.Kind {
		case kernels.KindLength:
			lengths = append(lengths, p)
		default:
			fmt.Println(p.Name, p.Kind)
		}
	}
	fmt.Println(lengths)
	fmt.Println(kernels.ParamKind(0))
	// Output:
	// 1.factor variance
	// 1.length shape
	// 1.period period
	// [{0.length[0] length [0] 1} {0.length[1] length [1] 2}]
	// shape
}
