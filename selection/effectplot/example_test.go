package effectplot_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/effectplot"
	"github.com/kernelearn/kernelearn/selection/inspection"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

// This example draws the relevances of the columns of a fitted search, and their effects.
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

// This example draws the ROC and the precision-recall curve of some scores.
func ExampleSaveROC() {
	y, scores := []int{0, 0, 1, 1, 0, 1}, []float64{-1, 0.5, 0.2, 2, 0.1, 0.7}
	roc, err := metrics.ROC(y, 1, scores, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	found, err := metrics.PrecisionRecall(y, 1, scores, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fmt.Println(effectplot.SaveROC([]metrics.ROCCurve{roc}, []string{"ours"}, filepath.Join(dir, "roc.png")))
	fmt.Println(effectplot.SavePrecisionRecall([]metrics.PrecisionRecallCurve{found}, nil, filepath.Join(dir, "precision.svg")))
	// Output:
	// <nil>
	// <nil>
}

// This example computes and draws a learning curve and the importances of the columns.
func ExampleSaveCurve() {
	x, y := mat.NewDense(60, 2, nil), make([]float64, 60)
	for i := range y {
		x.SetRow(i, []float64{float64(i % 10), math.Cos(float64(7 * i))})
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	ctx := context.Background()
	c, err := inspection.RegressorLearningCurve(ctx, &lssvm.Regressor{}, x, y, []int{10, 20, 40}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	r := &lssvm.Regressor{}
	if err := r.Fit(ctx, x.Slice(0, 40, 0, 2), y[:40]); err != nil {
		fmt.Println(err)
		return
	}
	importances, err := inspection.RegressorImportances(ctx, r, x.Slice(40, 60, 0, 2), y[40:], &inspection.ImportanceOptions{Names: []string{"month", "load"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fmt.Println(effectplot.SaveCurve(c, filepath.Join(dir, "learning.png")))
	fmt.Println(effectplot.SaveImportances(importances, filepath.Join(dir, "importance.png")))
	// Output:
	// <nil>
	// <nil>
}

// This example draws the contributions to one prediction as a waterfall.
func ExampleSaveWaterfall() {
	x, y := mat.NewDense(60, 2, nil), make([]float64, 60)
	for i := range y {
		x.SetRow(i, []float64{float64(i % 10), math.Cos(float64(7 * i))})
		y[i] = math.Sin(x.At(i, 0)) + x.At(i, 1)
	}
	ctx := context.Background()
	r := &lssvm.Regressor{}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	e, err := inspection.Explain(ctx, r, []float64{2, -1}, x, &inspection.ExplainOptions{Names: []string{"month", "load"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	fmt.Println(effectplot.SaveWaterfall(e, "sales in 1000 €", filepath.Join(dir, "reasons.png")))
	// Output: <nil>
}
