//go:build cgo

package golearn_test

import (
	"fmt"

	"github.com/sjwhitworth/golearn/linear_models"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// This example fits golearn's linear regression to kernel features, so that it can represent a square.
func ExampleRefitted() {
	x, y := mat.NewDense(60, 1, nil), make([]float64, 60)
	for i := range y {
		v := float64(i)/10 - 3
		x.Set(i, 0, v)
		y[i] = v * v
	}
	train, err := grids.TargetGrid(x, nil, "y", y)
	if err != nil {
		fmt.Println(err)
		return
	}
	model := &golearn.Pipeline{
		Steps: []golearn.Step{golearn.Transform(&featuremap.Nystroem{Components: 8})},
		Final: &golearn.Refitted{New: func() golearn.Model { return linear_models.NewLinearRegression() }},
	}
	if err := model.Fit(train); err != nil {
		fmt.Println(err)
		return
	}
	predicted, err := model.Predict(train)
	if err != nil {
		fmt.Println(err)
		return
	}
	values, err := grids.Targets(predicted)
	fmt.Printf("%.1f %.1f %v\n", values[0], values[30], err)
	// Output: 9.0 0.0 <nil>
}
