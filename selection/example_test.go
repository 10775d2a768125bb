package selection_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
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

// rings returns two classes, one surrounding the other.
func rings() (*mat.Dense, []int) {
	x, y := mat.NewDense(60, 2, nil), make([]int, 60)
	for i := range y {
		a, r := 0.7*float64(i), 1+float64(i%2)
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
		y[i] = i % 2
	}
	return x, y
}

func ExampleRegressor() {
	x, y := wave()
	r := &selection.Regressor{
		Preprocess: []transformers.Transformer{&scalers.StandardScaler{}},
		Space:      selection.Kernels(func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }, families.RBF{}),
		Search:     &entropy.Search{},
	}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	at, err := r.Predict(mat.NewDense(1, 1, []float64{math.Pi / 2}))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("sin(π/2) = %.2f after %d fit\n", at[0], r.Result().Fits)
	// Output: sin(π/2) = 1.00 after 1 fit
}

func ExampleClassifier() {
	x, y := rings()
	c := &selection.Classifier{Search: &entropy.Search{}} // RBF, lssvm, by entropy
	if err := c.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	at := mat.NewDense(2, 2, []float64{0, 1, 2, 0})
	labels, err := c.Predict(at)
	fmt.Println(labels, err)
	// Output: [0 1] <nil>
}

// A row with weight three counts as much as three equal rows.
func ExampleRegressor_FitWeighted() {
	x, y := wave()
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = 1 + 2*float64(i%2)
	}
	r := &selection.Regressor{Search: &entropy.Search{}}
	if err := r.FitWeighted(context.Background(), x, y, weights); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Supports(estimators.Weighted), r.Result().Status)
	// Output: true ok
}

func ExampleClassifier_FitWeighted() {
	x, y := rings()
	weights := make([]float64, len(y))
	for i := range weights {
		weights[i] = 1 + float64(y[i]) // the outer ring counts double
	}
	c := &selection.Classifier{Search: &grid.Search{Points: 5, Metric: metrics.Metric{Name: "LogLoss", Proba: metrics.LogLoss}}}
	if err := c.FitWeighted(context.Background(), x, y, weights); err != nil {
		fmt.Println(err)
		return
	}
	labels, err := c.Predict(mat.NewDense(2, 2, []float64{0, 1, 2, 0}))
	fmt.Println(labels, c.Result().ScoreName, err)
	// Output: [0 1] LogLoss <nil>
}

// The search chooses two parameters for the mean of two RBF kernels, which fit a slow and a fast wave.
func ExampleRegressor_family2() {
	x, y := mat.NewDense(120, 1, nil), make([]float64, 120)
	for i := range y {
		v := float64(i) / 12
		x.Set(i, 0, v)
		y[i] = 3*math.Sin(v/2) + math.Sin(8*v)
	}
	two := &selection.Regressor{Space: selection.Kernels2[estimators.Regressor](nil, families.Sum{First: families.RBF{}, Second: families.RBF{}})}
	if err := two.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	result := two.Result()
	fmt.Println(result.Family, result.Score < 1e-3)
	// Output: Sum(RBF, RBF) true
}

// The example shows the contents of a space and the choice. A kernel is described by its parameter, and a candidate by its number.
func ExampleSpace() {
	x, y := wave()
	var point search.Point
	for _, space := range []selection.Space[estimators.Regressor]{
		{}, // the RBF kernels
		selection.Kernels[estimators.Regressor](nil, families.RBF{}, families.Matern{}),
		selection.Kernels2[estimators.Regressor](nil, families.ShiftedPolynomial{}),
		selection.Candidates[estimators.Regressor](&lssvm.Regressor{}),
	} {
		r := &selection.Regressor{Space: space, Search: &grid.Search{Points: 3}}
		if err := r.Fit(context.Background(), x, y); err != nil {
			fmt.Println(err)
			return
		}
		point = r.Result().Point
		fmt.Println(space, point.IsCandidate())
	}
	fmt.Println(point)
	// Output:
	// RBF false
	// RBF, Matern(nu=1.5) false
	// ShiftedPolynomial false
	// 1 candidates true
	// candidate 0
}

// With default settings, columns are scaled in two ways, kernels are learnt after each scaling, and the models are averaged. Gaps
// are filled.
func ExampleRegressor_nothingSet() {
	x, y := mat.NewDense(60, 3, nil), make([]float64, 60)
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range y {
		for j := range 3 {
			x.Set(i, j, math.Exp(rng.NormFloat64()))
		}
		y[i] = math.Log(x.At(i, 0)) + .1*rng.NormFloat64()
	}
	x.Set(5, 2, math.NaN())
	r := &selection.Regressor{}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	result := r.Result()
	fmt.Println("best:", result.Columns)
	low, high, err := r.PredictInterval(mat.NewDense(1, 3, []float64{math.E, 1, math.NaN()}), .95)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("ln e = 1 is in the interval: %v\n", low[0] < 1 && 1 < high[0])
	// Output:
	// best: Yeo-Johnson
	// ln e = 1 is in the interval: true
}

// The candidates of this search are points on named axes. The names appear in the trace and in the choice.
func ExampleCandidateGrid() {
	x, y := wave()
	points, err := grid.Points(
		grid.Axis{Name: "scale", Choices: []string{"yes", "no"}},
		grid.Axis{Name: "gamma", Values: []float64{0.01, 1, 100}},
	)
	if err != nil {
		fmt.Println(err)
		return
	}
	build := func(v grid.Values) estimators.Regressor {
		machine := &lssvm.Regressor{Kernel: kernels.RBF{Gamma: v.Number("gamma")}}
		if v.Choice("scale") == "no" {
			return machine
		}
		return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: machine}
	}
	r := &selection.Regressor{Space: selection.CandidateGrid(build, points), Search: &grid.Search{}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Result().Name)
	// Output: scale=yes, gamma=1
}

// A smooth and a rough kernel fit a target with a jump. Each model's share depends on its predictions for left-out rows.
func ExampleRegressor_kinds() {
	x, y := mat.NewDense(60, 1, nil), make([]float64, 60)
	for i := range y {
		x.Set(i, 0, float64(i))
		y[i] = float64(i / 15)
	}
	r := &selection.Regressor{Kinds: []families.Family{families.Matern{Nu: 2.5}, families.Laplacian{}}}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	share := map[string]float64{}
	for _, m := range append(r.Result().Others, r.Result()) {
		share[m.Family] += m.Share
	}
	fmt.Println(r.Result().Family, share["Laplacian"] > share["Matern(nu=2.5)"])
	// Output: Laplacian true
}

// Candidates with user-defined names.
func ExampleCandidate() {
	x, y := wave()
	r := &selection.Regressor{Search: &grid.Search{}, Space: selection.NamedCandidates(
		selection.Candidate[estimators.Regressor]{Name: "a straight line", Estimator: &ridge.Regressor{}},
		selection.Candidate[estimators.Regressor]{Name: "a machine", Estimator: &lssvm.Regressor{}},
	)}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Result().Choice())
	// Output: a machine (*lssvm.Regressor)
}

// Prices are often lognormal. The model is fitted to their logarithms, and predicts means of the prices themselves.
func ExampleTarget() {
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(200, 1, nil), make([]float64, 200)
	for i := range y {
		x.Set(i, 0, rng.NormFloat64())
		y[i] = 100 * math.Exp(x.At(i, 0)+.5*rng.NormFloat64())
	}
	r := &selection.Regressor{Target: selection.LogTarget} // AutomaticTarget also finds it
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	low, high, err := r.PredictInterval(mat.NewDense(1, 1, []float64{0}), .9)
	fmt.Println(r.Target, low[0] > 35 && low[0] < 55, high[0] > 180 && high[0] < 300, err)
	// Output: LogTarget true true <nil>
}
