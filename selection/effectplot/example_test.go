package effectplot_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/effectplot"
	"github.com/kernelearn/kernelearn/selection/inspection"
)

// Both pictures of what a search has learnt.
func ExampleSaveEffects() {
	x, y := mat.NewDense(60, 2, nil), make([]float64, 60)
	for i := range y {
		x.SetRow(i, []float64{float64(i % 10), math.Cos(float64(7 * i))})
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	ctx, opt := context.Background(), &inspection.Options{Names: []string{"month", "load"}}
	r := &selection.Regressor{}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	relevances, err := inspection.RegressorRelevances(ctx, r, x, opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	var effects []inspection.Effect
	for _, v := range relevances {
		e, err := inspection.RegressorEffect(ctx, r, x, v.Columns[0], opt)
		if err != nil {
			fmt.Println(err)
			return
		}
		effects = append(effects, e)
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fmt.Println(effectplot.SaveRelevances(relevances, filepath.Join(dir, "relevances.png")))
	fmt.Println(effectplot.SaveEffects(effects, "sales in 1000 €", filepath.Join(dir, "effects.png")))
	// Output:
	// <nil>
	// <nil>
}
