package validation_test

import (
	"context"
	"fmt"
	"math"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
	"gonum.org/v1/gonum/mat"
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

// rings returns two classes, one around the other.
func rings() (*mat.Dense, []int) {
	x, y := mat.NewDense(60, 2, nil), make([]int, 60)
	for i := range y {
		a, r := 0.7*float64(i), 1+float64(i%2)
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
		y[i] = i % 2
	}
	return x, y
}

func ExampleDifference() {
	x, y := wave()
	folds := &validation.Options{
		Splitter: validation.KFold{Folds: 5, Seed: 1},
		Metrics:  []metrics.Metric{{Name: "MAE", Values: metrics.MAE}},
	}
	var scores [2]validation.Scores
	for i, build := range []func() estimators.Regressor{
		func() estimators.Regressor { return &lssvm.Regressor{} },
		func() estimators.Regressor { return &ridge.Regressor{} },
	} {
		var err error
		if scores[i], err = validation.CrossValidateRegressor(context.Background(), build(), x, y, folds); err != nil {
			fmt.Println(err)
			return
		}
	}
	d, err := scores[0].Minus(scores[1], "MAE")
	fmt.Println(d, err)
	// Output: -0.595 ± 0.066, p = 0.00082 <nil>
}

func ExampleScores() {
	x, y := wave()
	var scores validation.Scores
	scores, err := validation.CrossValidateRegressor(context.Background(), &lssvm.Regressor{}, x, y, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for i, name := range scores.Metrics {
		fmt.Println(name, len(scores.Values[i]), scores.Mean(name) < 0.1, scores.SD(name) < 0.1)
	}
	// Output: NMSE 3 true true
}

func ExampleCrossValidateRegressor() {
	x, y := wave()
	build := func() estimators.Regressor {
		return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: &lssvm.Regressor{}}
	}
	scores, err := validation.CrossValidateRegressor(context.Background(), build(), x, y, &validation.Options{
		Splitter: validation.KFold{Folds: 5, Repeats: 2, Seed: 1},
		Metrics:  []metrics.Metric{{Name: "R2", LargerIsBetter: true, Values: metrics.R2}},
	})
	fmt.Println(len(scores.Values[0]), "folds, R2 above 0.99:", scores.Mean("R2") > 0.99, err)
	// Output: 10 folds, R2 above 0.99: true <nil>
}

func ExampleCrossValidateClassifier() {
	x, y := rings()
	scores, err := validation.CrossValidateClassifier(context.Background(), &lssvm.Classifier{}, x, y,
		&validation.Options{Metrics: []metrics.Metric{{Name: "AUC", LargerIsBetter: true, Scores: metrics.AUCOfScores}}})
	fmt.Printf("AUC %.2f %v\n", scores.Mean("AUC"), err)
	// Output: AUC 1.00 <nil>
}

// This example prints scores as a table of means and standard errors.
func ExampleScores_StandardError() {
	scores := validation.Scores{
		Metrics: []string{"NMSE", "MAE"},
		Values:  [][]float64{{0.11, 0.14, 0.12, 0.15, 0.13}, {2.1, 2.3, 2.2, 2.5, 1.9}}, // as CrossValidateRegressor returns them
	}
	fmt.Print(scores)
	fmt.Printf("NMSE %.3f ± %.3f\n", scores.Mean("NMSE"), scores.StandardError("NMSE"))
	// Output:
	// metric  mean  standard error
	// NMSE    0.13  0.0071
	// MAE     2.2   0.1
	// NMSE 0.130 ± 0.007
}

func ExampleFold() {
	folds, err := validation.KFold{Folds: 2, Seed: 1}.Split(4, nil)
	var first validation.Fold = folds[0]
	fmt.Println(first.Train, first.Test, err)
	// Output: [0 1] [2 3] <nil>
}

func ExampleKFold() {
	folds, err := validation.KFold{Folds: 3, Seed: 1}.Split(7, nil)
	for _, f := range folds {
		fmt.Println(len(f.Train), len(f.Test))
	}
	fmt.Println(err)
	// Output:
	// 4 3
	// 5 2
	// 5 2
	// <nil>
}

func ExampleStratifiedKFold() {
	labels := []int{1, 1, 1, 1, 1, 1, 9, 9, 9} // each part gets two rows of class 1 and one of class 9
	folds, err := validation.StratifiedKFold{Folds: 3, Seed: 1}.Split(len(labels), labels)
	for _, f := range folds {
		nines := 0
		for _, row := range f.Test {
			if labels[row] == 9 {
				nines++
			}
		}
		fmt.Println(len(f.Test), nines)
	}
	fmt.Println(err)
	// Output:
	// 3 1
	// 3 1
	// 3 1
	// <nil>
}

func ExampleShuffleSplit() {
	folds, err := validation.ShuffleSplit{Splits: 4, TestFraction: 0.3, Seed: 1}.Split(10, nil)
	fmt.Println(len(folds), len(folds[0].Train), len(folds[0].Test), err)
	// Output: 4 7 3 <nil>
}

func ExampleStratifiedShuffleSplit() {
	labels := []int{1, 1, 1, 1, 1, 1, 1, 1, 9, 9, 9, 9} // a quarter of each class: two rows of class 1 and one of class 9
	folds, err := validation.StratifiedShuffleSplit{Splits: 3, TestFraction: 0.25, Seed: 1}.Split(len(labels), labels)
	for _, f := range folds {
		nines := 0
		for _, row := range f.Test {
			if labels[row] == 9 {
				nines++
			}
		}
		fmt.Println(len(f.Train), len(f.Test), nines)
	}
	fmt.Println(err)
	// Output:
	// 9 3 1
	// 9 3 1
	// 9 3 1
	// <nil>
}

// forward tests each of the last rows after training on the rows before it.
type forward struct{ last int }

func (f forward) Split(n int, _ []int) ([]validation.Fold, error) {
	var out []validation.Fold
	for test := n - f.last; test < n; test++ {
		fold := validation.Fold{Test: []int{test}}
		for row := range test {
			fold.Train = append(fold.Train, row)
		}
		out = append(out, fold)
	}
	return out, nil
}

// This example defines a splitter for rows in the order of time.
func ExampleSplitter() {
	x, y := wave()
	build := func() estimators.Regressor { return &lssvm.Regressor{} }
	scores, err := validation.CrossValidateRegressor(context.Background(), build(), x, y, &validation.Options{
		Splitter: forward{last: 5},
		Metrics:  []metrics.Metric{{Name: "MAE", Values: metrics.MAE}},
	})
	fmt.Println(len(scores.Values[0]), "rows ahead, MAE below 0.1:", scores.Mean("MAE") < 0.1, err)
	// Output: 5 rows ahead, MAE below 0.1: true <nil>
}

// This example scores a fitted estimator on rows that it was not fitted to.
func ExampleScoreRegressor() {
	x := mat.NewDense(40, 1, nil)
	y := make([]float64, 40)
	for i := range y {
		x.Set(i, 0, float64(i)/6)
		y[i] = math.Sin(x.At(i, 0))
	}
	r := &lssvm.Regressor{}
	if err := r.Fit(context.Background(), x.Slice(0, 30, 0, 1), y[:30]); err != nil {
		fmt.Println(err)
		return
	}
	inside, err := validation.ScoreRegressor(r, metrics.Metric{Name: "RMSE", Values: metrics.RMSE}, x.Slice(0, 30, 0, 1), y[:30], nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	beyond, err := validation.ScoreRegressor(r, metrics.Metric{Name: "RMSE", Values: metrics.RMSE}, x.Slice(30, 40, 0, 1), y[30:], nil)
	fmt.Println("worse beyond the rows of the fit:", beyond > 10*inside, err)
	// Output: worse beyond the rows of the fit: true <nil>
}
