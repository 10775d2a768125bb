package elm_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// This example balances the classes: two rows of one class have the same total weight as six of the other.
func ExampleClassifier() {
	x := mat.NewDense(8, 1, []float64{-4, -3, -2, -1, 0, 0.5, 2, 3})
	y := []int{0, 0, 0, 0, 0, 0, 1, 1}
	model := &elm.Classifier{Units: 50, Activation: featuremap.Tanh, Ridge: .1, Balanced: true}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	labels, err := model.Predict(mat.NewDense(3, 1, []float64{-2.5, 0, 2.5}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [0 0 1]
}
