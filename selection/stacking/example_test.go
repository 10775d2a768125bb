package stacking_test

import (
	"context"
	"fmt"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/selection/stacking"
)

// The prediction is the mean of a linear model and a machine. Their shares depend on their errors on unseen rows.
func ExampleRegressor() {
	x, y := curvedRows(200, 1)
	r := &stacking.Regressor{Models: []estimators.Regressor{&ridge.Regressor{}, &lssvm.Regressor{}}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	for _, s := range r.Shares() {
		fmt.Printf("%T %.1f\n", s.Model, s.Share)
	}
	// Output:
	// *lssvm.Regressor 0.9
	// *ridge.Regressor 0.1
}

func ExampleClassifier() {
	x, values := curvedRows(200, 1)
	labels := make([]int, len(values))
	for i, v := range values {
		if v > 0 {
			labels[i] = 1
		}
	}
	c := &stacking.Classifier{Models: []estimators.Classifier{&lssvm.Classifier{}, &eem.Classifier{Units: 50}}}
	err := c.Fit(context.Background(), x, labels)
	fmt.Println(c.Classes(), len(c.Shares()) > 0, err)
	// Output: [0 1] true <nil>
}

func ExampleShare() {
	x, y := curvedRows(60, 1)
	r := &stacking.Regressor{Models: []estimators.Regressor{&lssvm.Regressor{}}}
	err := r.Fit(context.Background(), x, y)
	var all []stacking.Share[estimators.Regressor] = r.Shares()
	fmt.Println(all[0].Share, err)
	// Output: 1 <nil>
}
