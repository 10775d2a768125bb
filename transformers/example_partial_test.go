package transformers_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Rows arrive over time, and the scaler is fitted to all of them.
func ExamplePartialFitter() {
	scaler := &scalers.MinMaxScaler{}
	var learner transformers.PartialFitter = scaler
	for _, rows := range [][]float64{{3, 5}, {4}, {9, 1}} {
		if err := learner.PartialFit(context.Background(), mat.NewDense(len(rows), 1, rows)); err != nil {
			fmt.Println(err)
		}
		fmt.Println(scaler.Min()[0], scaler.Max()[0])
	}
	// Output:
	// 3 5
	// 3 5
	// 1 9
}
