package measures_test

import (
	"context"
	"fmt"
	"math"

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

// The example prints the ceilings for four distinct rows, and for four rows of which three are equal. No kernel has a larger
// entropy.
func ExampleEntropyCeiling() {
	var distinct, alike measures.VonNeumann
	distinct = measures.EntropyCeiling(mat.NewDense(4, 1, []float64{1, 2, 3, 4}))
	alike = measures.EntropyCeiling(mat.NewDense(4, 1, []float64{1, 1, 1, 4}))
	fmt.Printf("%.2f %.2f\n", distinct.Entropy, alike.Entropy)
	// Output: 1.00 0.41
}

// The example measures two kernels on two classes, one surrounding the other. No hyperplane of the linear kernel separates them,
// and its alignment is almost 0.
func ExampleSeparability() {
	x, y := mat.NewDense(60, 2, nil), make([]int, 60)
	for i := range y {
		a, r := 0.7*float64(i), 1+float64(i%2)
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
		y[i] = i % 2
	}
	for _, k := range []kernels.Kernel{kernels.Linear{}, kernels.RBF{Gamma: 0.3}} {
		var m measures.Separability
		m, err := measures.SeparabilityOfKernel(context.Background(), k, x, y, &measures.Options{Workers: 2})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: KTA %.3f, centred %.3f; FSM %.3f, a training error of at most %.3f\n", k, m.KTA, m.CentredKTA, m.FSM, m.FSMErr)
	}
	// Output:
	// Linear: KTA 0.001, centred 0.001; FSM 35.656, a training error of at most 0.999
	// RBF(gamma=0.3): KTA 0.133, centred 0.233; FSM 0.067, a training error of at most 0.004
}

// This example computes the separability of a feature map, without the kernel matrix of its features.
func ExampleSeparabilityOfFeatures() {
	x := mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3})
	y := []int{1, 1, 0, 0, 1, 1} // the outer ones
	var square mat.Dense
	square.MulElem(x, x)
	for _, phi := range []mat.Matrix{x, &square} {
		m, err := measures.SeparabilityOfFeatures(context.Background(), phi, y, nil)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("FSM %.2f\n", m.FSM)
	}
	// Output:
	// FSM +Inf
	// FSM 0.52
}

func ExampleAlignment() {
	x := mat.NewDense(5, 1, []float64{0, 1, 2, 3, 4})
	y := []float64{10, 11, 12, 13, 14}
	var a measures.Alignment
	a, err := measures.AlignmentOfKernel(context.Background(), kernels.Linear{}, x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f, centred %.3f\n", a.KTA, a.CentredKTA)
	// Output: 0.772, centred 1.000
}

// This example compares two projections of two classes onto a line. The second also separates them by their widths, which the
// reduced form ignores.
func ExampleDivergence() {
	y := []int{0, 0, 0, 1, 1, 1}
	for _, z := range [][]float64{{0, 1, 2, 4, 5, 6}, {0, 1, 2, 4.9, 5, 5.1}} {
		var d measures.Divergence
		d, err := measures.DivergenceOfProjection(z, y)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("D_CS %.2f, of the means %.2f\n", d.CauchySchwarz, d.Means)
	}
	// Output:
	// D_CS 12.00, of the means 12.00
	// D_CS 25.38, of the means 23.76
}

func ExampleCondition() {
	c, err := measures.Condition(context.Background(), mat.NewSymDense(2, []float64{2, 1, 1, 2}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", c)
	// Output: 3.0
}

// Bounds on the entropy of 2000 rows are computed from a few dozen pivots, without a 2000×2000 matrix.
func ExampleLowRankEntropy() {
	x := mat.NewDense(2000, 2, nil)
	x.Apply(func(i, j int, _ float64) float64 { return math.Sin(float64(i*(3+j)) + float64(j)) }, x)
	// It is easier to decide whether the entropy exceeds 0.3 than to compute it.
	options := measures.LowRankOptions{Decided: func(b measures.Bounds) bool { return b.High.Entropy < 0.3 || b.Low.Entropy > 0.3 }}
	var e *measures.LowRank
	e, err := measures.LowRankEntropy(context.Background(), kernels.RBF{Gamma: 0.5}, x, &options)
	if err != nil {
		fmt.Println(err)
		return
	}
	var b measures.Bounds = e.Bounds
	fmt.Println("below:", b.High.Entropy < 0.3, "pivots below 100:", e.Rank < 100)
	// Output: below: true pivots below 100: true
}
