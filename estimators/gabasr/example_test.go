package gabasr_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
)

// beat returns the sum of two waves, with 1 and 1.2 cycles per unit, at 120 points.
func beat() (*mat.Dense, []float64) {
	x, y := mat.NewDense(120, 1, nil), make([]float64, 120)
	for i := range y {
		t := float64(i)/8 + 0.05*math.Sin(float64(i*i))
		x.Set(i, 0, t)
		y[i] = math.Sin(2*math.Pi*t) + math.Cos(2*math.Pi*1.2*t) + 0.05*math.Sin(37*float64(i*i))
	}
	return x, y
}

func ExampleRegressor() {
	x, y := beat()
	model := &gabasr.Regressor{Pairs: 10}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	at := 7.7
	low, high, err := model.PredictInterval(mat.NewDense(1, 1, []float64{at}), 0.95)
	if err != nil {
		log.Fatal(err)
	}
	f := math.Sin(2*math.Pi*at) + math.Cos(2*math.Pi*1.2*at)
	fmt.Println("within the interval:", low[0] < f && f < high[0])

	// The learned kernel can be used in any other estimator.
	other := &lssvm.Regressor{Kernel: model.LearnedKernel()}
	if err := other.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	got, err := other.Predict(mat.NewDense(1, 1, []float64{at}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("lssvm on it is as near:", math.Abs(got[0]-f) < 0.1)
	// Output:
	// within the interval: true
	// lssvm on it is as near: true
}

// A trend in the model continues beyond the rows, and its uncertainty grows.
func ExampleRegressor_trend() {
	x, y := beat()
	for i := range y {
		y[i] += 0.1 * x.At(i, 0) * x.At(i, 0)
	}
	model := &gabasr.Regressor{Pairs: 10, Trend: 2}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	at := mat.NewDense(3, 1, []float64{10, 20, 30})
	mean, variance, err := model.PredictVariance(at)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("grows:", variance[0] < variance[1] && variance[1] < variance[2])
	for i, v := range mean {
		t := at.At(i, 0)
		f := math.Sin(2*math.Pi*t) + math.Cos(2*math.Pi*1.2*t) + 0.1*t*t
		fmt.Println("near at", t, math.Abs(v-f) < 3*math.Sqrt(variance[i]) && math.Abs(v-f) < 0.1*f)
	}
	// Output:
	// grows: true
	// near at 10 true
	// near at 20 true
	// near at 30 true
}

func ExampleClassifier() {
	// The two classes lie on two rings.
	x, y := mat.NewDense(80, 2, nil), make([]int, 80)
	for i := range y {
		a, r := 0.7*float64(i), 1+float64(i%2)
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
		y[i] = i % 2
	}
	for _, likelihood := range []gabasr.Likelihood{gabasr.Normal, gabasr.PolyaGamma} {
		model := &gabasr.Classifier{Pairs: 10, Likelihood: likelihood}
		if err := model.Fit(context.Background(), x, y); err != nil {
			log.Fatal(err)
		}
		p, err := model.PredictProba(mat.NewDense(2, 2, []float64{0, 1, 0, 2}))
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(likelihood, p.At(0, 1) < 0.2, p.At(1, 1) > 0.8)
	}
	// Output:
	// Normal true true
	// PolyaGamma true true
}

// With this map, the kernel is larger for rows near the mean.
func ExampleMap() {
	x, y := beat()
	for _, m := range []gabasr.Map{gabasr.Stationary, gabasr.Paired, gabasr.AllPairs} {
		model := &gabasr.Regressor{Pairs: 9, Features: m, Sweeps: 5}
		if err := model.Fit(context.Background(), x, y); err != nil {
			log.Fatal(err)
		}
		rows, _ := model.Frequencies().Dims()
		fmt.Println(m, rows, "frequencies, local ones:", model.LocalFrequencies() != nil)
	}
	// Output:
	// Stationary 9 frequencies, local ones: false
	// Paired 9 frequencies, local ones: true
	// AllPairs 3 frequencies, local ones: true
}

// The trace shows the states of the chains.
func ExampleSweep() {
	x, y := beat()
	model := &gabasr.Regressor{Pairs: 10, Chains: 1, Sweeps: 8}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	var last gabasr.Sweep
	for _, s := range model.Trace() {
		last = s
	}
	fmt.Println("start and", last.Number, "sweeps")
	// Output: start and 8 sweeps
}

// The example prints the share of the spectral density near the cycles of the series.
func ExampleComponent() {
	x, y := beat()
	model := &gabasr.Regressor{Pairs: 10}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	weight := 0.0
	var mixture []gabasr.Component = model.Mixture()
	for _, c := range mixture {
		weight += c.Weight
	}
	density, err := model.SpectralDensity(mat.NewDense(2, 1, []float64{2 * math.Pi, 2 * math.Pi * 3}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("weights sum to %.2f; denser at 1 cycle than at 3: %v\n", weight, density[0] > 3*density[1])
	// Output: weights sum to 1.00; denser at 1 cycle than at 3: true
}
