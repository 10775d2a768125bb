package threshold_test

import (
	"context"
	"fmt"
	"log"

	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/threshold"
)

// One row in five has class 1. The classifier must find at least nine of ten rows of this class.
func ExampleClassifier() {
	x, y := blobs(600, 1)
	c := &threshold.Classifier{MinRecall: .9}
	if err := c.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("above %.2f\n", c.Choice().Threshold)
	other, truth := blobs(1000, 2)
	predicted, err := c.Predict(other)
	if err != nil {
		log.Fatal(err)
	}
	table, err := metrics.NewConfusion(truth, predicted, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(table)
	// Output:
	// above 0.11
	// y \ predicted      0      1  recall
	//             0    474    326   0.593
	//             1     14    186   0.930
	//     precision  0.971  0.363   0.660
}

func ExampleChoice() {
	x, y := blobs(600, 1)
	c := &threshold.Classifier{FalsePositiveCost: 1, FalseNegativeCost: 10}
	if err := c.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	choice := c.Choice()
	fmt.Printf("precision %.2f, recall %.2f, cost of a row %.2f\n", choice.Precision, choice.Recall, -choice.Score)
	// Output: precision 0.32, recall 0.99, cost of a row 0.44
}
