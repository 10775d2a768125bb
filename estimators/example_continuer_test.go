package estimators_test

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

// This example fits a part of a stream, and continues in another program from the bytes of the model and of its statistics.
func ExampleContinuer() {
	ctx := context.Background()
	model := &ridge.Regressor{Ridge: 1e-6}
	if err := model.PartialFit(ctx, mat.NewDense(2, 1, []float64{0, 1}), []float64{1, 3}); err != nil {
		panic(err)
	}
	var continuer estimators.Continuer = model
	fitted, err := model.MarshalBinary()
	if err != nil {
		panic(err)
	}
	statistics, err := continuer.MarshalStatistics()
	if err != nil {
		panic(err)
	}

	read := &ridge.Regressor{Ridge: 1e-6}
	if err := errors.Join(read.UnmarshalBinary(fitted), read.UnmarshalStatistics(statistics)); err != nil {
		panic(err)
	}
	if err := read.PartialFit(ctx, mat.NewDense(2, 1, []float64{2, 3}), []float64{5, 7}); err != nil {
		panic(err)
	}
	y, err := read.Predict(mat.NewDense(1, 1, []float64{10}))
	fmt.Printf("%.3f %v\n", y, err)
	// Output: [21.000] <nil>
}
