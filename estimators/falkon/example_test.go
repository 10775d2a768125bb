package falkon_test

import (
	"context"
	"fmt"
	"iter"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/streaming"
)

// wave returns a sine at n points, in no particular order.
func wave(n int) (*mat.Dense, []float64) {
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		x.Set(i, 0, 6*math.Mod(float64(i)*.618034, 1))
		y[i] = math.Sin(x.At(i, 0)) + .1*math.Sin(1000*x.At(i, 0))
	}
	return x, y
}

func ExampleRegressor() {
	x, y := wave(3000)
	r := &falkon.Regressor{} // Matérn kernel with the length and the ridge chosen by leave-one-out
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	mean, variance, err := r.PredictVariance(mat.NewDense(2, 1, []float64{math.Pi / 2, 60}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("at π/2: %.2f ± %.2f\n", mean[0], math.Sqrt(variance[0]))
	fmt.Println("less certain at 60:", variance[1] > 10*variance[0])
	// Output:
	// at π/2: 1.00 ± 0.07
	// less certain at 60: true
}

func ExampleClassifier() {
	x, y := wave(2000)
	labels := make([]int, len(y))
	for i, v := range y {
		if v > 0 {
			labels[i] = 1
		}
	}
	at := mat.NewDense(2, 1, []float64{1, 5})
	for _, loss := range []falkon.Loss{falkon.SquaredLoss, falkon.LogisticLoss} {
		c := &falkon.Classifier{Loss: loss, Components: 50}
		if err := c.Fit(context.Background(), x, labels); err != nil {
			fmt.Println(err)
			return
		}
		predicted, err := c.Predict(at)
		if err != nil {
			fmt.Println(err)
			return
		}
		p, err := c.PredictProba(at)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(loss, predicted, p.At(0, 1) > .9, p.At(1, 0) > .9)
	}
	// Output:
	// SquaredLoss [1 0] true true
	// LogisticLoss [1 0] true true
}

func ExampleSolver() {
	x, y := wave(3000)
	for _, solver := range []falkon.Solver{falkon.Direct, falkon.ConjugateGradients} {
		r := &falkon.Regressor{Solver: solver, Components: 40, Ridge: .01, Tolerance: 1e-6}
		if err := r.Fit(context.Background(), x, y); err != nil {
			fmt.Println(err)
			return
		}
		at, err := r.Predict(mat.NewDense(1, 1, []float64{2}))
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %.4f\n", solver, at[0])
	}
	// Output:
	// Direct: 0.9099
	// ConjugateGradients: 0.9099
}

func ExampleLandmarkRule() {
	x, y := wave(3000)
	for _, rule := range []falkon.LandmarkRule{falkon.UniformLandmarks, falkon.LeverageScores, falkon.PivotedCholesky} {
		r := &falkon.Regressor{Rule: rule, Components: 20}
		if err := r.Fit(context.Background(), x, y); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: %d landmarks, leave-one-out error %.3f\n", rule, r.Details().Landmarks, r.Details().LeaveOneOut)
	}
	// Output:
	// UniformLandmarks: 20 landmarks, leave-one-out error 0.005
	// LeverageScores: 20 landmarks, leave-one-out error 0.005
	// PivotedCholesky: 20 landmarks, leave-one-out error 0.005
}

// This example fits rows from a stream, such as a file or a database, which is read again for each pass.
func ExampleRegressor_FitBlocks() {
	rows := func() iter.Seq2[streaming.Block[float64], error] {
		return func(yield func(streaming.Block[float64], error) bool) {
			x, y := wave(3000) // a program would open a file here
			for i := 0; i < len(y); i += 250 {
				if !yield(streaming.Block[float64]{X: x.Slice(i, i+250, 0, 1).(*mat.Dense), Y: y[i : i+250]}, nil) {
					return
				}
			}
		}
	}
	r := &falkon.Regressor{Components: 50}
	if err := r.FitBlocks(context.Background(), rows()); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Details().Rows, "rows,", r.Details().Landmarks, "landmarks")
	// Output: 3000 rows, 50 landmarks
}

// This example continues a cancelled fit from its last state.
func ExampleState() {
	x, y := wave(3000)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var last *falkon.State
	r := &falkon.Regressor{Solver: falkon.ConjugateGradients, Components: 60, Ridge: 1e-4, Tolerance: 1e-6, Checkpoint: func(s *falkon.State) {
		if last = s; s.Iteration == 3 {
			cancel()
		}
	}}
	fmt.Println(r.Fit(ctx, x, y))
	r.Resume, r.Checkpoint = last, nil
	fmt.Println(r.Fit(context.Background(), x, y), r.Report().Converged)
	// Output:
	// context canceled
	// <nil> true
}

func ExampleDetails() {
	x, y := wave(3000)
	r := &falkon.Regressor{Components: 50}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	d := r.Details()
	fmt.Printf("%v of %d rows in %d passes, effective dimension below %d: %v\n", d.Solver, d.Rows, d.Passes, d.Landmarks, d.EffectiveDimension < 50)
	// Output: Direct of 3000 rows in 3 passes, effective dimension below 50: true
}

// This example fits two targets, which share the landmarks and the passes over the rows.
func ExampleMultiRegressor() {
	const n = 2000
	x, y := mat.NewDense(n, 1, nil), mat.NewDense(n, 2, nil)
	for i := range n {
		v := 10 * float64(i) / n
		x.Set(i, 0, v)
		y.SetRow(i, []float64{math.Sin(v), 1e6 * v * v})
	}
	model := &falkon.MultiRegressor{Components: 60}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	low, high, err := model.PredictInterval(mat.NewDense(1, 1, []float64{5}), .95)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(low.At(0, 0) < math.Sin(5), math.Sin(5) < high.At(0, 0))
	fmt.Println(low.At(0, 1) < 25e6, 25e6 < high.At(0, 1))
	// Output:
	// true true
	// true true
}
