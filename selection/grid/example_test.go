package grid_test

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/grid"
)

// wave returns 40 rows of a sine.
func wave() (*mat.Dense, []float64) {
	x, y := mat.NewDense(40, 1, nil), make([]float64, 40)
	for i := range y {
		x.Set(i, 0, float64(i)/4)
		y[i] = math.Sin(x.At(i, 0))
	}
	return x, y
}

func ExampleSearch() {
	x, y := wave()
	r := &selection.Regressor{Search: &grid.Search{Params: []float64{0.01, 1, 100}}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Result().Kernel, "of", len(r.Result().Trace), "after", r.Result().Fits, "fits")
	// Output: RBF(gamma=1) of 3 after 10 fits
}

// If the budget is spent immediately, the search chooses the first parameter and fits a model.
func ExampleSearch_budget() {
	x, y := wave()
	r := &selection.Regressor{Search: &grid.Search{Params: []float64{1, 0.01, 100}}, Budget: time.Nanosecond, Workers: 1}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	result := r.Result()
	fmt.Println(result.Status, result.Kernel)
	fmt.Println(result.Warnings[0])
	fmt.Println(result.Trace[1].Decision())
	// Output:
	// budget RBF(gamma=1)
	// the budget of 1ns ended the search: 1 of 3 parameters were tried
	// not scored: the budget was spent
}

// Successive halving fits all parameters to a third of the rows, and the best third of the parameters to all rows.
func ExampleHalving() {
	x, y := mat.NewDense(300, 1, nil), make([]float64, 300)
	for i := range y {
		x.Set(i, 0, 0.05*float64(i))
		y[i] = math.Sin(x.At(i, 0)) + 0.1*math.Cos(float64(7*i))
	}
	model := &selection.Regressor{Search: &grid.Halving{Points: 9}}
	if err := model.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range model.Result().Trace[8:10] {
		fmt.Println(row.Rows, "training rows")
	}
	// Output:
	// 66 training rows
	// 200 training rows
}

// The search compares a linear and a kernel machine by cross-validation, and then predicts with the better one. The candidates are
// complete estimators rather than kernels.
func ExampleSearch_candidates() {
	x, y := wave()
	r := &selection.Regressor{
		Space: selection.Candidates[estimators.Regressor](
			&ridge.Regressor{},
			&lssvm.Regressor{},
		),
		Search: &grid.Search{},
	}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Result().Choice())
	// Output: candidate 1 (*lssvm.Regressor)
}

// An axis can set a setting of any step of a pipeline. One of these axes exists only for a particular choice of another.
func ExampleAxis() {
	points, err := grid.Points(
		grid.Axis{Name: "degree", Low: 1, High: 3, Points: 3, Integer: true},
		grid.Axis{Name: "kernel", Choices: []string{"linear", "rbf"}},
		grid.Axis{Name: "gamma", Low: 0.1, High: 10, Points: 2, Log: true, When: func(v grid.Values) bool { return v.Choice("kernel") == "rbf" }},
	)
	fmt.Println(len(points), err)
	for _, v := range points[:4] {
		fmt.Println(v)
	}
	few, err := grid.QuasiRandom(4, 1, grid.Axis{Name: "ridge", Low: 1e-6, High: 1, Log: true})
	fmt.Println(len(few), err)
	// Output:
	// 9 <nil>
	// degree=1, kernel=linear
	// degree=1, kernel=rbf, gamma=0.1
	// degree=1, kernel=rbf, gamma=10
	// degree=2, kernel=linear
	// 4 <nil>
}
