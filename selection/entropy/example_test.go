package entropy_test

import (
	"context"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/search"
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
	// With a single target, Search finds the parameter with this entropy. Nothing is scored.
	r := &selection.Regressor{Search: &entropy.Search{Targets: []float64{0.25}}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	result := r.Result()
	fmt.Println(result.Status, math.Abs(result.Entropy-0.25) <= 0.02)
	// Output: ok true
}

func ExampleGoldenSection() {
	x, y := wave()
	// Nothing is scored: the first kernel with an entropy between 0.3 and 0.5 is chosen.
	r := &selection.Regressor{Search: &entropy.GoldenSection{Lo: 0.01, Hi: 1}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range r.Result().Trace {
		fmt.Printf("entropy %.2f at gamma %.2f: %s\n", row.Entropy, row.Param, row.Decision())
	}
	// Output:
	// entropy 0.12 at gamma 0.01: below the band
	// entropy 0.62 at gamma 1.00: above the band
	// entropy 0.50 at gamma 0.39: in the band: chosen
}

// A search can use scores other than the leave-one-out error.
func ExampleScore() {
	x, y := wave()
	for _, score := range []entropy.Score{entropy.LeaveOneOut, entropy.LogEvidence, entropy.CrossValidation} {
		r := &selection.Regressor{Search: &entropy.Search{Score: score}}
		if err := r.Fit(context.Background(), x, y); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%v: by %s, learner fits %d\n", score, r.Result().ScoreName, r.Result().Fits)
	}
	// Output:
	// LeaveOneOut: by leave-one-out NMSE, learner fits 1
	// LogEvidence: by log evidence, learner fits 1
	// CrossValidation: by NMSE, learner fits 22
}

func ExampleSearch_budget() {
	x, y := wave()
	r := &selection.Regressor{Search: &entropy.Search{}, Budget: time.Hour} // for a service with a time limit
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("spent:", r.Result().Status == search.StatusBudget)
	// Output: spent: false
}

// The entropies of 1500 rows are computed from bounds, so the kernel matrix of all rows is never computed.
func ExampleMethod() {
	x, y := mat.NewDense(1500, 1, nil), make([]float64, 1500)
	for i := range y {
		x.Set(i, 0, 0.01*float64(i))
		y[i] = math.Sin(x.At(i, 0)) + 0.1*math.Cos(float64(7*i))
	}
	var how entropy.Method = entropy.LowRank
	model := &selection.Regressor{
		Space:  selection.Kernels(func(k kernels.Kernel) estimators.Regressor { return &rvm.Regressor{Kernel: k} }),
		Search: &entropy.Search{Method: how},
	}
	if err := model.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	r := model.Result()
	fmt.Println(r.KernelMatrices, "kernel matrices,", r.Trace[0].Rows, "rows, at most", 100*(r.Trace[0].Rank/100+1), "pivots")
	// Output: 0 kernel matrices, 1500 rows, at most 100 pivots
}
