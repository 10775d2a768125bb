package calibration_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/calibration"
	"github.com/kernelearn/kernelearn/estimators/svm"
)

func ExampleClassifier() {
	x := mat.NewDense(16, 1, []float64{-4, -3, -2.5, -2, -1.5, -1, -0.5, 0.2, -0.2, 0.5, 1, 1.5, 2, 2.5, 3, 4})
	y := []int{0, 0, 0, 0, 0, 1, 0, 0, 1, 1, 0, 1, 1, 1, 1, 1}
	var method calibration.Method = calibration.Platt
	c := &calibration.Classifier{Estimator: &svm.Classifier{}, Method: method, Folds: 4}
	if err := c.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	p, err := c.PredictProba(mat.NewDense(3, 1, []float64{-3, 0, 3}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%v: %.1f\n", c.ChosenMethod(), mat.Col(nil, 1, p))
	// Output: Platt: [0.3 0.5 0.6]
}
