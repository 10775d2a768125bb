package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/shape"
	"github.com/kernelearn/kernelearn/selection/validation"
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

func ExampleResult() {
	x, y := wave()
	r := &selection.Regressor{Search: &entropy.Search{}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	data, err := json.Marshal(r.Result()) // store it in a file; reading the JSON returns an equal value
	if err != nil {
		fmt.Println(err)
		return
	}
	var again search.Result
	if err := json.Unmarshal(data, &again); err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range again.Trace[:2] {
		fmt.Printf("%d: entropy %.2f at gamma %.2g: %s\n", row.Iteration, row.Entropy, row.Param, row.Decision())
	}
	// Output:
	// 1: entropy 0.35 at gamma 0.11: towards entropy 0.2
	// 2: entropy 0.29 at gamma 0.065: towards entropy 0.2; taken for 0.3 (ok)
}

// One field selects the strategy.
func ExampleStrategy_swap() {
	x, y := wave()
	for _, strategy := range []search.Strategy{&entropy.Search{}, &grid.Search{Points: 6}} {
		r := &selection.Regressor{Search: strategy}
		if err := r.Fit(context.Background(), x, y); err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(r.Result().Strategy, r.Result().Fits)
	}
	// Output:
	// entropy 1
	// grid 19
}

// Every evaluated parameter is a row of the trace, and is passed to Observe as soon as it is known.
func ExampleTraceRow() {
	x, y := wave()
	seen := 0
	r := &selection.Regressor{Search: &entropy.Search{Targets: []float64{0.25}}, Observe: func(row search.TraceRow) {
		if row.Step == nil {
			seen++
		}
	}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	trace := r.Result().Trace
	last := trace[len(trace)-1]
	fmt.Printf("%d of %d rows, the last at entropy %.2f\n", seen, len(trace), last.Entropy)
	// Output: 2 of 2 rows, the last at entropy 0.25
}

// The example prints the scores that an entropy.Search computed for the chosen kernel at the chosen ridge.
func ExampleRidgeScore() {
	x, y := wave()
	r := &selection.Regressor{Search: &entropy.Search{}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	var chosen search.RidgeScore
	for _, row := range r.Result().Trace {
		for _, at := range row.Ridges {
			if row.Chosen && at.Ridge == r.Result().Ridge {
				chosen = at
			}
		}
	}
	fmt.Println(chosen.Score == r.Result().Score, chosen.StandardError > 0, chosen.Evidence > 0)
	// Output: true true true
}

// The example prints fields of a trace row: its target, the basis of its score, and whether it was chosen.
func ExampleTraceRow_fields() {
	x, y := wave()
	r := &selection.Regressor{Search: &entropy.Search{Targets: []float64{.2, .4}}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	for _, row := range r.Result().Trace {
		for _, taken := range row.Taken {
			fmt.Println(taken.Target, taken.Status, row.Basis == search.OnMatrix, row.Unscored == "", row.Chosen)
		}
	}
	r = &selection.Regressor{Search: &entropy.GoldenSection{Lo: 1e-3, Hi: 1e3}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	trace := r.Result().Trace
	fmt.Println(trace[len(trace)-1].Band == search.InBand)
	var basis search.Basis = search.OnFolds
	var why search.Unscored = search.BudgetSpent
	var band search.Band = search.BelowBand
	fmt.Println(basis, "|", why, "|", band, "|", search.Taken{Target: .3, Status: search.StatusOK})
	// Output:
	// 0.4 ok true true true
	// 0.2 ok true true false
	// true
	// folds | the budget was spent | below the band | {0.3 ok}
}

// EntropyRow and ClimbRow hold the fields that only some strategies set.
func ExampleClimbRow() {
	x, y := wave()
	r := &selection.Regressor{Search: &shape.Search{}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	last := r.Result().Trace[len(r.Result().Trace)-1]
	var (
		climb   search.ClimbRow   = last.ClimbRow
		entropy search.EntropyRow = last.EntropyRow
	)
	fmt.Println(len(climb.Theta), "logarithms: a length and the ridge; an entropy:", !math.IsNaN(entropy.Entropy))
	// Output: 2 logarithms: a length and the ridge; an entropy: false
}

// This search needs no estimator: a grid finds the parameter with the smallest score, which is a formula here.
func ExampleNew() {
	x, y := wave()
	problem := search.Problem{
		Settings: search.Settings{Type: "example: Search"},
		Family:   families.RBF{}, X: x, Targets: y, Metric: metrics.ForRegression(), Splitter: validation.KFold{},
		Try: func(_ context.Context, _ families.Family, a search.Attempt) (search.Attempted, error) {
			out := search.Attempted{Folds: make([]int, len(a.Points)), Failed: make([]error, len(a.Points))}
			for i, p := range a.Points {
				out.Folds[i] = len(a.Folds)
				a.Observe(i, math.Abs(math.Log(p.Param/2)), 0)
			}
			return out, nil
		},
	}
	budget, err := search.NewBudget(problem.Type, time.Minute, nil, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	run := search.New(problem, budget)
	strategy := &grid.Search{Params: []float64{1, 2, 4}}
	choice, err := strategy.Choose(context.Background(), run)
	if err != nil {
		fmt.Println(err)
		return
	}
	result, err := run.Finish(strategy.Name(), choice)
	fmt.Println(result.Point, result.Status, result.Score, err)
	// Output: 2 grid 0 <nil>
}

// Two searches share a budget. Each may use an equal part of the time that remains when it begins.
func ExampleBudget() {
	now := time.Unix(0, 0)
	budget, err := search.NewBudget("example: Search", time.Minute, func() time.Time { return now }, 2)
	if err != nil {
		fmt.Println(err)
		return
	}
	for range 2 {
		share := budget.Begin()
		fmt.Println(share.Limit, share.Spent())
		now = now.Add(10 * time.Second)
	}
	var over search.Share // without a limit
	fmt.Println(over.Spent())
	// Output:
	// 30s false
	// 50s false
	// false
}

// An entropy.Search compares the kernels of several families itself. For a grid.Search, the families are compared by their scores.
func ExampleFamilyChooser() {
	for _, s := range []search.Strategy{&entropy.Search{}, &grid.Search{}} {
		_, ok := s.(search.FamilyChooser)
		fmt.Println(s.Name(), ok)
	}
	// Output:
	// entropy true
	// grid false
}

// An evaluation appends a row to the trace. Resume identifies it by its point, its round and its number of rows.
func ExampleEvaluation() {
	x, y := wave()
	budget, err := search.NewBudget("example: Search", 0, nil, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	run := search.New(search.Problem{Family: families.RBF{}, X: x, Targets: y}, budget)
	row, err := run.Evaluate(context.Background(), search.Evaluation{Point: search.ParamPoint(0.5), Rows: len(y)}, func(_ context.Context, row *search.TraceRow) error {
		row.SetScore(0.25, 0.1, search.OnMatrix, 0)
		return nil
	})
	fmt.Println(row.Iteration, row.Point, row.Score, row.Basis, err)
	// Output: 1 0.5 0.25 matrix <nil>
}
