package inspection_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/inspection"
)

var ctx = context.Background()

// sample are 150 rows of three columns: a wave, a bowl, and one that says nothing.
func sample() (x *mat.Dense, y []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y = mat.NewDense(150, 3, nil), make([]float64, 150)
	for i := range y {
		x.SetRow(i, []float64{rng.Float64(), 2*rng.Float64() - 1, rng.Float64()})
		y[i] = math.Sin(6*x.At(i, 0)) + x.At(i, 1)*x.At(i, 1) + 0.1*rng.NormFloat64()
	}
	return x, y
}

// Which columns matter to what a search has learnt.
func ExampleRelevances() {
	x, y := sample()
	r := &selection.Regressor{}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	relevances, err := inspection.RegressorRelevances(ctx, r, x, &inspection.Options{Names: []string{"time", "height", "weight"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range relevances {
		fmt.Printf("%-7s %.2f\n", v.Name, v.Relevance)
	}
	var first inspection.Relevance = relevances[0]
	fmt.Println("the shortest length:", first.Length < relevances[1].Length && first.Length < relevances[2].Length)
	// Output:
	// time    0.79
	// height  0.14
	// weight  0.00
	// the shortest length: true
}

// How predictions follow a column: low where the parabola is, and how sure that is.
func ExampleEffect() {
	x, y := sample()
	r := &selection.Regressor{}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	var e inspection.Effect
	e, err := inspection.RegressorEffect(ctx, r, x, 1, &inspection.Options{Points: 5, Names: []string{"time", "height", "weight"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var band inspection.Band = e.Band
	fmt.Println(e.Name, "band:", band)
	fmt.Println(" value  mean  half the band")
	for g, v := range e.At {
		fmt.Printf("%6.1f %5.1f %14.2f\n", v, e.Mean[g], (e.High[g]-e.Low[g])/2)
	}
	// Output:
	// height band: exact
	//  value  mean  half the band
	//   -0.8   0.5           0.04
	//   -0.3   0.0           0.03
	//    0.1  -0.1           0.03
	//    0.4   0.1           0.03
	//    0.8   0.7           0.04
}

// The parts of a sum of functions of single columns.
func ExampleComponent() {
	x, y := sample()
	r := &lssvm.Regressor{Kernel: kernels.Additive{Kernel: kernels.RBF{Gamma: 0.5}, Lengths: []float64{0.2, 0.5, 1}}}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	e, err := inspection.Component(ctx, r, x, 1, &inspection.Options{Points: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for g, v := range e.At {
		fmt.Printf("%4.1f %4.1f\n", v, e.Mean[g])
	}
	// Output:
	// -0.6  0.0
	//  0.1 -0.4
	//  0.7  0.2
}
