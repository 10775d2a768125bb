package inspection_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/inspection"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

var ctx = context.Background()

// sample returns 150 rows with three columns. The targets are the sum of a wave in the first and a parabola in the second.
func sample() (x *mat.Dense, y []float64) {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y = mat.NewDense(150, 3, nil), make([]float64, 150)
	for i := range y {
		x.SetRow(i, []float64{rng.Float64(), 2*rng.Float64() - 1, rng.Float64()})
		y[i] = math.Sin(6*x.At(i, 0)) + x.At(i, 1)*x.At(i, 1) + 0.1*rng.NormFloat64()
	}
	return x, y
}

// This example shows which columns matter to the predictions of a search.
func ExampleRelevances() {
	x, y := sample()
	r := &selection.Regressor{}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	relevances, err := inspection.RegressorRelevances(ctx, r, x, &inspection.Options{Names: []string{"time", "height", "weight"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range relevances {
		fmt.Printf("%-7s %.2f\n", v.Name, v.Relevance)
	}
	var first inspection.Relevance = relevances[0]
	fmt.Println("the shortest length:", first.Length < relevances[1].Length && first.Length < relevances[2].Length)
	// Output:
	// time    0.79
	// height  0.14
	// weight  0.00
	// the shortest length: true
}

// This example shows how predictions depend on a column: they are lowest at the vertex of the parabola.
func ExampleEffect() {
	x, y := sample()
	r := &selection.Regressor{}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	var e inspection.Effect
	e, err := inspection.RegressorEffect(ctx, r, x, 1, &inspection.Options{Points: 5, Names: []string{"time", "height", "weight"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	var band inspection.Band = e.Band
	fmt.Println(e.Name, "band:", band)
	fmt.Println(" value  mean  half the band")
	for g, v := range e.At {
		fmt.Printf("%6.1f %5.1f %14.2f\n", v, e.Mean[g], (e.High[g]-e.Low[g])/2)
	}
	// Output:
	// height band: exact
	//  value  mean  half the band
	//   -0.8   0.5           0.07
	//   -0.3   0.0           0.05
	//    0.1  -0.1           0.06
	//    0.4   0.1           0.05
	//    0.8   0.7           0.06
}

// This example prints the components of an additive function.
func ExampleComponent() {
	x, y := sample()
	r := &lssvm.Regressor{Kernel: kernels.Additive{Kernel: kernels.RBF{Gamma: 0.5}, Lengths: []float64{0.2, 0.5, 1}}}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	e, err := inspection.Component(ctx, r, x, 1, &inspection.Options{Points: 3})
	if err != nil {
		fmt.Println(err)
		return
	}
	for g, v := range e.At {
		fmt.Printf("%4.1f %4.1f\n", v, e.Mean[g])
	}
	// Output:
	// -0.6  0.0
	//  0.1 -0.4
	//  0.7  0.2
}

// This example shows by how much predictions of new rows are worse without the information in a column.
func ExampleImportances() {
	x, y := sample()
	r := &lssvm.Regressor{}
	if err := r.Fit(ctx, x.Slice(0, 100, 0, 3), y[:100]); err != nil {
		fmt.Println(err)
		return
	}
	var all inspection.Importances
	all, err := inspection.RegressorImportances(ctx, r, x.Slice(100, 150, 0, 3), y[100:], &inspection.ImportanceOptions{
		Names:  []string{"time", "height", "weight"},
		Metric: metrics.Metric{Name: "RMSE", Values: metrics.RMSE},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range all.Columns {
		var c inspection.Importance = v
		fmt.Printf("%-6s %.1f\n", c.Name, c.Mean)
	}
	// Output:
	// time   0.8
	// height 0.3
	// weight 0.0
}

// This example shows how the rows differ. It is the band for estimators without a variance, and for others on request.
func ExampleClassifierEffect() {
	x, y := sample()
	labels := make([]int, len(y))
	for i, v := range y {
		if v > 0.3 {
			labels[i] = 1
		}
	}
	c := &lssvm.Classifier{}
	if err := c.Fit(ctx, x, labels); err != nil {
		fmt.Println(err)
		return
	}
	e, err := inspection.ClassifierEffect(ctx, c, x, 0, 1, &inspection.Options{Points: 3, Spread: true, Names: []string{"time", "height", "weight"}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(e.Name, "band:", e.Band)
	for g, v := range e.At {
		fmt.Printf("%.1f: %.1f, of nearly all rows %.1f to %.1f\n", v, e.Mean[g], e.Low[g], e.High[g])
	}
	// Output:
	// time band: spread
	// 0.1: 1.0, of nearly all rows 0.6 to 1.0
	// 0.5: 0.4, of nearly all rows 0.0 to 1.0
	// 0.9: 0.0, of nearly all rows 0.0 to 0.2
}

// This example shows whether more rows would help: the training and test scores as the number of rows grows.
func ExampleRegressorLearningCurve() {
	x, y := sample()
	c, err := inspection.RegressorLearningCurve(ctx, &lssvm.Regressor{}, x, y, []int{25, 50, 100}, &inspection.CurveOptions{
		Metric: metrics.Metric{Name: "RMSE", Values: metrics.RMSE},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, p := range c.Points {
		train, _ := p.TrainMean()
		held, _ := p.HeldOutMean()
		fmt.Printf("%3.0f rows: %.2f, held out %.2f\n", p.At, train, held)
	}
	// Output:
	// 25 rows: 0.01, held out 0.47
	//  50 rows: 0.03, held out 0.31
	// 100 rows: 0.05, held out 0.17
}

// This example shows for which values a setting is too small, and for which it is too large.
func ExampleRegressorValidationCurve() {
	x, y := sample()
	gamma := inspection.Setting{Name: "gamma", Values: []float64{0.01, 1, 100, 10000}}
	build := func(v float64) estimators.Regressor {
		return &lssvm.Regressor{Kernel: kernels.RBF{Gamma: v}, Ridge: 1e-3}
	}
	var c inspection.Curve
	c, err := inspection.RegressorValidationCurve(ctx, gamma, build, x, y, &inspection.CurveOptions{Seed: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, v := range c.Points {
		var p inspection.CurvePoint = v
		train, _ := p.TrainMean()
		held, _ := p.HeldOutMean()
		note := ""
		if i == c.Best() {
			note = "  the best"
		}
		fmt.Printf("%s %6v: %.2f, held out %.2f%s\n", c.Setting, p.At, train, held, note)
	}
	// Output:
	// gamma   0.01: 0.26, held out 0.30
	// gamma      1: 0.01, held out 0.05  the best
	// gamma    100: 0.00, held out 0.66
	// gamma  10000: 0.00, held out 1.02
}

// This example explains why the prediction for one row differs from the mean. The contributions of the columns sum to the
// difference.
func ExampleExplain() {
	x, y := sample()
	r := &selection.Regressor{}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	opt := &inspection.ExplainOptions{Names: []string{"time", "height", "weight"}}
	var e inspection.Explanation
	e, err := inspection.Explain(ctx, r, []float64{0.25, 0, 0.5}, x, opt)
	if err != nil {
		fmt.Println(err)
		return
	}
	var method inspection.Method = e.Method
	var scale inspection.Scale = e.Scale
	fmt.Printf("%.1f from %.1f, by %v of the %v\n", e.Prediction, e.Base, method, scale)
	var first inspection.Contribution = e.Contributions[0]
	fmt.Printf("%s: %+.1f\n", first.Label(), first.Value)
	sum := 0.0
	for _, c := range e.Contributions {
		sum += c.Value
	}
	fmt.Println(math.Abs(e.Prediction-e.Base-sum) < 1e-9)
	// Output:
	// 0.9 from 0.3, by closed form of the prediction
	// time = 0.25: +1.0
	// true
}

// This example prints the training rows that are most similar to a row according to the learnt kernel.
func ExampleNeighbours() {
	x, y := sample()
	r := &lssvm.Regressor{Kernel: kernels.ARD{Kernel: kernels.RBF{}, Lengths: []float64{0.3, 1, 10}}}
	if err := r.Fit(ctx, x, y); err != nil {
		fmt.Println(err)
		return
	}
	var list inspection.NeighbourList
	list, err := inspection.Neighbours(ctx, r, x.RawRowView(7), x, &inspection.NeighbourOptions{ByKernel: true, Count: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	var nearest inspection.Neighbour = list.Rows[0]
	fmt.Println(nearest.Row, nearest.Kernel)
	// Output: 7 1
}
