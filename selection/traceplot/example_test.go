package traceplot_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/traceplot"
)

// This example draws a search.
func ExampleSave() {
	x, y := mat.NewDense(40, 1, nil), make([]float64, 40)
	for i := range y {
		x.Set(i, 0, float64(i)/4)
		y[i] = math.Sin(x.At(i, 0))
	}
	r := &selection.Regressor{Search: &entropy.Search{}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	path := filepath.Join(os.TempDir(), "search.png")
	defer os.Remove(path)
	fmt.Println(traceplot.Save(r.Result(), path))
	// Output: <nil>
}
