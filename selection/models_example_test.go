package selection_test

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
)

// This example prints the models whose weighted mean is the prediction.
func ExampleModel() {
	x, y := mat.NewDense(20, 1, nil), make([]float64, 20)
	for i := range y {
		x.Set(i, 0, float64(i*i))
		y[i] = float64(i % 7)
	}
	r := &selection.Regressor{}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	share := 0.0
	var m selection.Model[estimators.Regressor]
	for _, m = range r.Models() {
		share += m.Share
	}
	z, err := m.Transform(x)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, columns := z.Dims()
	fmt.Println(share, columns)
	// Output: 1 1
}

// A cancelled Fit returns an error that contains its results, and another Fit continues from them.
func ExampleSearchError() {
	x, y := mat.NewDense(60, 1, nil), make([]float64, 60)
	for i := range y {
		x.Set(i, 0, float64(i)/10)
		y[i] = math.Sin(float64(i) / 10)
	}
	model := &selection.Regressor{Search: &grid.Search{Points: 8}, Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor {
		return &lssvm.Regressor{Kernel: k, Ridge: .01}
	}, families.RBF{})}
	ctx, cancel := context.WithCancel(context.Background())
	points := 0
	model.Observe = func(row search.TraceRow) {
		if row.Step == nil { // a point of the search rather than a step within one
			if points++; points == 3 {
				cancel()
			}
		}
	}
	err := model.Fit(ctx, x, y)
	var unfinished *selection.SearchError
	fmt.Println(err, errors.As(err, &unfinished))

	model.Resume, model.Observe = unfinished.Trace, nil
	if err := model.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(len(model.Result().Trace), "points in all")
	// Output:
	// context canceled true
	// 8 points in all
}
