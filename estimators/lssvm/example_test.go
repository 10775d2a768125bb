package lssvm_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
)

func ExampleRegressor() {
	// y = x² at seven points.
	x := mat.NewDense(7, 1, []float64{-3, -2, -1, 0, 1, 2, 3})
	y := []float64{9, 4, 1, 0, 1, 4, 9}

	r := &lssvm.Regressor{} // RBF with the median distance, ridge chosen by leave-one-out
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	mean, variance, err := r.PredictVariance(mat.NewDense(2, 1, []float64{1.5, 30}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("at 1.5: %.1f\n", mean[0])
	fmt.Println("less certain at 30:", variance[1] > 100*variance[0])
	// Output:
	// at 1.5: 2.2
	// less certain at 30: true
}

func ExampleClassifier() {
	x := mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3})
	y := []int{0, 0, 0, 1, 1, 1}

	c := &lssvm.Classifier{Balanced: true}
	if err := c.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	at := mat.NewDense(2, 1, []float64{-2.5, 2.5})
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
	fmt.Println(labels, p.At(1, 1) > 0.7)
	// Output: [0 1] true
}

func ExampleRidgeRule() {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	y := []float64{1, 3, 2, 5, 4, 6}
	for _, rule := range []lssvm.RidgeRule{lssvm.LeaveOneOut, lssvm.Heuristic} {
		r := &lssvm.Regressor{RidgeRule: rule}
		if err := r.Fit(context.Background(), x, y); err != nil {
			fmt.Println(err)
			return
		}
		left, err := r.LeaveOneOutResiduals(context.Background())
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: ridge %.2g, leave-one-out error %.2f\n", rule, r.ChosenRidge(), floats.Dot(left, left)/6)
	}
	// Output:
	// LeaveOneOut: ridge 1.4, leave-one-out error 3.31
	// Heuristic: ridge 0.00025, leave-one-out error 29.02
}

// The sine and the cosine of an angle share one kernel matrix and its factorisation.
func ExampleMultiRegressor() {
	const n = 30
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		angle := 2 * math.Pi * float64(i) / n
		x.Set(i, 0, angle)
		y.SetRow(i, []float64{math.Sin(angle), 1000 * math.Cos(angle)})
	}
	model := &lssvm.MultiRegressor{}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	mean, err := model.Predict(mat.NewDense(1, 1, []float64{math.Pi / 6}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d targets: %.2f %.0f\n", model.Targets(), mean.At(0, 0), mean.At(0, 1))
	// Output:
	// 2 targets: 0.50 866
}

func ExampleDetails() {
	x, y := mat.NewDense(1500, 1, nil), make([]float64, 1500)
	for i := range y {
		x.Set(i, 0, float64(i)/100)
		y[i] = math.Sin(x.At(i, 0))
	}
	r := &lssvm.Regressor{Kernel: kernels.RBFOfLength(1), Ridge: 0.01, Solver: lssvm.ConjugateGradients}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	d := r.Details()
	fmt.Println(d.Solver, d.Error < 0.01, r.Report().Converged)
	// Output: ConjugateGradients true true
}

func ExampleSolver() {
	for _, s := range []lssvm.Solver{lssvm.Automatic, lssvm.Cholesky, lssvm.ConjugateGradients} {
		fmt.Println(s)
	}
	// Output:
	// Automatic
	// Cholesky
	// ConjugateGradients
}

// A cancelled fit continues from its last state.
func ExampleState() {
	x, y := mat.NewDense(1200, 1, nil), make([]float64, 1200)
	for i := range y {
		x.Set(i, 0, float64(i)/100)
		y[i] = math.Sin(x.At(i, 0)) + 0.1*float64(i%3)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last *lssvm.State
	r := &lssvm.Regressor{Kernel: kernels.Matern{Nu: 1.5, Length: 1}, Ridge: 0.01, Solver: lssvm.ConjugateGradients}
	r.Checkpoint = func(s *lssvm.State) {
		last = s // MarshalBinary encodes the state for a file
		cancel()
	}
	fmt.Println(r.Fit(ctx, x, y))
	r.Resume, r.Checkpoint = last, nil
	fmt.Println(r.Fit(context.Background(), x, y), r.Report().Converged)
	// Output:
	// context canceled
	// <nil> true
}
