package svm_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
)

func ExampleClassifier() {
	// One of the two classes lies within the other, so no line separates them.
	x := mat.NewDense(9, 1, []float64{-4, -3, -2, -0.5, 0, 0.5, 2, 3, 4})
	y := []int{0, 0, 0, 1, 1, 1, 0, 0, 0}

	c := &svm.Classifier{C: 10, Balanced: true, Probabilities: true}
	if err := c.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	at := mat.NewDense(3, 1, []float64{-3.5, 0.2, 3.5})
	labels, err := c.Predict(at)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, err := c.PredictProba(at)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(labels, p.At(1, 1) > p.At(0, 1), c.Report().Converged)
	// Output: [0 1 0] true true
}

func ExampleRegressor() {
	// The targets are y = |x|. C is in the units of y.
	x := mat.NewDense(9, 1, []float64{-4, -3, -2, -1, 0, 1, 2, 3, 4})
	y := []float64{4, 3, 2, 1, 0, 1, 2, 3, 4}

	r := &svm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, C: 100, Epsilon: 0.05}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	f, err := r.Predict(mat.NewDense(2, 1, []float64{-2.5, 2}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.1f\n", f)
	// Output: [2.5 2.1]
}

// If C and Epsilon are not set, Fit chooses them, and the targets need not be scaled.
func ExampleRegressor_chosen() {
	x := mat.NewDense(40, 1, nil)
	y := make([]float64, 40)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range y {
		x.Set(i, 0, float64(i)/4)
		y[i] = 5000 + 300*math.Sin(x.At(i, 0)) + 30*noise.NormFloat64()
	}
	r := &svm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	f, err := r.Predict(mat.NewDense(1, 1, []float64{math.Pi / 2}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("tube ± %.0f, C = %.0f, f(π/2) = %.0f\n", r.ChosenEpsilon(), r.ChosenC(), f[0])
	// Output: tube ± 24, C = 320, f(π/2) = 5305
}

// Nu is the share of rows that may be errors. Their cost need not be known.
func ExampleClassifier_nu() {
	x, y := mat.NewDense(200, 2, nil), make([]int, 200)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range y {
		y[i] = i % 2
		x.SetRow(i, []float64{2*float64(y[i]) + noise.NormFloat64(), noise.NormFloat64()})
	}
	for _, nu := range []float64{0.4, 0.6} {
		c := &svm.Classifier{Kernel: kernels.RBF{Gamma: 0.5}, Nu: nu, Tolerance: 1e-8}
		if err := c.Fit(context.Background(), x, y); err != nil {
			fmt.Println(err)
			return
		}
		f, err := c.PairDecision(x)
		if err != nil {
			fmt.Println(err)
			return
		}
		within := 0
		for i := range y {
			if float64(2*y[i]-1)*f.At(i, 0) < 0.9999 {
				within++
			}
		}
		fmt.Printf("ν = %v: %d rows within the margin, %d support vectors\n", nu, within, len(c.SupportIndices()))
	}
	y[0] = 1
	err := (&svm.Classifier{Nu: 0.996}).Fit(context.Background(), x, y)
	fmt.Println(err)
	// Output:
	// ν = 0.4: 71 rows within the margin, 94 support vectors
	// ν = 0.6: 117 rows within the margin, 125 support vectors
	// svm: Classifier: Nu = 0.996, want at most 0.99 for the classes 0 and 1: twice the share of the smaller of the two; Balanced makes it 1
}

func ExampleRegressor_nu() {
	x, y := mat.NewDense(100, 1, nil), make([]float64, 100)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range y {
		x.Set(i, 0, float64(i)/10)
		y[i] = math.Sin(x.At(i, 0)) + 0.1*noise.NormFloat64()
	}
	r := &svm.Regressor{Kernel: kernels.RBF{Gamma: 0.5}, C: 10, Nu: 0.3, Tolerance: 1e-8}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	f, err := r.Predict(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	outside := 0
	for i := range y {
		if math.Abs(y[i]-f[i]) > 1.0001*r.ChosenEpsilon() {
			outside++
		}
	}
	fmt.Printf("tube ± %.3f, %d of 100 rows outside\n", r.ChosenEpsilon(), outside)
	// Output: tube ± 0.095, 23 of 100 rows outside
}

// With more than two classes there is one machine for each pair of classes.
func ExamplePair() {
	x := mat.NewDense(6, 1, []float64{0, 1, 5, 6, 10, 11})
	c := &svm.Classifier{Kernel: kernels.Linear{}}
	if err := c.Fit(context.Background(), x, []int{7, 7, 8, 8, 9, 9}); err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range c.Pairs() {
		var pair svm.Pair = p
		fmt.Printf("%d or %d: f(x) = %.2f at 6\n", pair.Negative, pair.Positive, value(c, pair, 6))
	}
	// Output:
	// 7 or 8: f(x) = 1.50 at 6
	// 7 or 9: f(x) = 0.11 at 6
	// 8 or 9: f(x) = -1.00 at 6
}

// value returns the decision value of a pair, computed from its support vectors.
func value(c *svm.Classifier, p svm.Pair, at float64) float64 {
	f := p.Intercept
	for i, b := range p.Coefficients {
		f += b * c.SupportVectors().At(p.Support[i], 0) * at
	}
	return f
}

// The model is fitted to rows without labels, and excludes at most one row in twenty.
func ExampleOneClass() {
	x := mat.NewDense(200, 2, nil)
	noise := rand.New(rand.NewPCG(1, 2))
	for i := range 200 {
		x.SetRow(i, []float64{noise.NormFloat64(), noise.NormFloat64()})
	}
	o := &svm.OneClass{Nu: 0.05}
	if err := o.Fit(context.Background(), x); err != nil {
		fmt.Println(err)
		return
	}
	novel, err := o.Predict(mat.NewDense(3, 2, []float64{0.5, 0.5, 1, -1, 5, 5}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(novel, len(o.SupportIndices()) >= 10)
	// Output: [false false true] true
}
