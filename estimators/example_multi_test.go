package estimators_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

// This example computes deciles of a new observation with two models. The first assumes a normal distribution. The second
// guarantees only the probability between two deciles.
func ExamplePredictQuantiles() {
	const n = 200
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range n {
		x.Set(i, 0, float64(i)/20)
		y[i] = 2*x.At(i, 0) + math.Sin(float64(i*i)) // the sine is noise to the model
	}
	fresh := mat.NewDense(2, 1, []float64{1, 5})
	levels := []float64{.1, .5, .9}
	for _, model := range []estimators.Regressor{&ridge.Regressor{}, &conformal.Regressor{Estimator: &ridge.Regressor{}, Method: conformal.Split}} {
		if err := model.Fit(context.Background(), x, y); err != nil {
			log.Fatal(err)
		}
		q, err := estimators.PredictQuantiles(model, fresh, levels)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f\n%.1f\n", q.RawRowView(0), q.RawRowView(1))
	}
	// Output:
	// [1.1 2.0 2.9]
	// [9.1 10.0 10.9]
	// [1.0 1.9 2.9]
	// [9.1 10.0 11.0]
}

// This example finds the capabilities of a MultiRegressor, as for any other estimator.
func ExampleMultiRegressor() {
	x := mat.NewDense(5, 1, []float64{1, 2, 3, 4, 5})
	y := mat.NewDense(5, 2, []float64{2.1, 90, 3.9, 80, 6.2, 72, 7.8, 60, 10.1, 49})
	var model estimators.MultiRegressor = &ridge.MultiRegressor{}
	ctx := context.Background()
	if weighted, ok := model.(estimators.MultiWeightedFitter); ok {
		if err := weighted.FitWeighted(ctx, x, y, []float64{1, 1, 1, 1, 2}); err != nil {
			log.Fatal(err)
		}
	}
	fresh := mat.NewDense(1, 1, []float64{6})
	if estimators.Supports(model, estimators.Variance) {
		mean, variance, err := model.(estimators.MultiVariancePredictor).PredictVariance(fresh)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("means %.1f %.1f, variances %.2f %.2f\n", mean.At(0, 0), mean.At(0, 1), variance.At(0, 0), variance.At(0, 1))
	}
	if m, ok := model.(estimators.MultiIntervalPredictor); ok {
		low, high, err := m.PredictInterval(fresh, .9)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("the second between %.0f and %.0f\n", low.At(0, 1), high.At(0, 1))
	}
	if m, ok := model.(estimators.MultiLeaveOneOutPredictor); ok {
		left, err := m.LeaveOneOutResiduals(ctx)
		if err != nil {
			log.Fatal(err)
		}
		n, k := left.Dims()
		fmt.Println(n, "rows left out of", k, "targets")
	}
	if m, ok := model.(estimators.MultiPredictorTo); ok {
		into := mat.NewDense(1, model.Targets(), nil)
		if err := m.PredictTo(into, fresh); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%.1f\n", into.RawRowView(0))
	}
	// Output:
	// means 12.0 39.2, variances 0.05 2.39
	// the second between 37 and 42
	// 5 rows left out of 2 targets
	// [12.0 39.2]
}
