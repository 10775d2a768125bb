package selection_test

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection"
)

// The models whose mean is predicted.
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
