package ridge_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func ExampleRegressor() {
	x := mat.NewDense(5, 2, []float64{
		1, 0,
		2, 1,
		3, 0,
		4, 1,
		5, 0,
	})
	y := []float64{3.1, 6.9, 7.0, 11.1, 10.9} // about 1 + 2·x[0] + 2·x[1]
	model := &ridge.Regressor{}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	mean, variance, err := model.PredictVariance(mat.NewDense(2, 2, []float64{6, 1, 60, 1}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f %.2f\n", model.Intercept(), model.Coefficients())
	fmt.Printf("%.1f, variance %.2f %.2f\n", mean, variance[0], variance[1]) // 60 is far from all rows
	// Output:
	// 1.08 [1.98 1.97]
	// [14.9 121.6], variance 0.05 6.45
}

// The pipeline of the direct-kernel paper, with scaling, kernel, centring and ridge, is equivalent to the least-squares support
// vector machine.
func ExampleDirectKernel() {
	ctx := context.Background()
	x := mat.NewDense(6, 1, []float64{-3, -2, -1, 1, 2, 3})
	y := []float64{9, 4, 1, 1, 4, 9}
	kernel := kernels.RBFOfLength(1)
	chain := &pipeline.Regressor{
		Steps: []transformers.Transformer{
			&scalers.StandardScaler{},
			&featuremap.KernelMap{Kernel: kernel},
			&featuremap.KernelCenterer{},
		},
		Final: &ridge.DirectKernel{RidgeRule: ridge.Heuristic},
	}
	machine := &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}},
		Final: &lssvm.Regressor{Kernel: kernel, RidgeRule: lssvm.Heuristic},
	}
	for _, model := range []estimators.Regressor{chain, machine} {
		if err := model.Fit(ctx, x, y); err != nil {
			log.Fatal(err)
		}
		f, err := model.Predict(mat.NewDense(2, 1, []float64{0, 2.5}))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.6f\n", f)
	}
	// Output:
	// [0.072982 6.336486]
	// [0.072982 6.336486]
}

func ExampleRidgeRule() {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	y := []float64{1, 4, 2, 3, 6, 4}
	for _, rule := range []ridge.RidgeRule{ridge.LeaveOneOut, ridge.Heuristic} {
		r := &ridge.Regressor{RidgeRule: rule}
		if err := r.Fit(context.Background(), x, y); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: ridge %.2g, leave-one-out error %.2f\n", rule, r.ChosenRidge(), r.Report().Objective)
	}
	// Output:
	// LeaveOneOut: ridge 7, leave-one-out error 2.96
	// Heuristic: ridge 0.00025, leave-one-out error 3.26
}

func ExampleMultiRegressor() {
	x := mat.NewDense(6, 1, []float64{1, 2, 3, 4, 5, 6})
	y := mat.NewDense(6, 2, []float64{ // 1 + 2x, and a target in other units that is nearly all noise
		3, 4e6,
		5, -1e6,
		7, 3e6,
		9, -3e6,
		11, 5e6,
		13, 1e6,
	})
	for _, own := range []bool{false, true} {
		model := &ridge.MultiRegressor{RidgePerTarget: own}
		if err := model.Fit(context.Background(), x, y); err != nil {
			log.Fatal(err)
		}
		f, err := model.Predict(mat.NewDense(1, 1, []float64{7}))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("ridges %.2g: %.2f, %.2g\n", model.ChosenRidges(), f.At(0, 0), f.At(0, 1))
	}
	// Output:
	// ridges [3 3]: 13.99, 1.2e+06
	// ridges [2.9e-08 2.9e+04]: 15.00, 1.5e+06
}
