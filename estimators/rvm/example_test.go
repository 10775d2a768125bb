package rvm_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/kernels"
)

// sinc returns sin(x)/x at 50 points, with a little reproducible noise.
func sinc() (*mat.Dense, []float64) {
	x, y := mat.NewDense(50, 1, nil), make([]float64, 50)
	for i := range y {
		v := float64(i)/2.5 - 9.9
		x.Set(i, 0, v)
		y[i] = math.Sin(v)/v + 0.05*math.Sin(37*float64(i*i))
	}
	return x, y
}

func ExampleRegressor() {
	x, y := sinc()
	model := &rvm.Regressor{Kernel: kernels.RBFOfLength(1.5)}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	low, high, err := model.PredictInterval(mat.NewDense(1, 1, []float64{math.Pi}), 0.95)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("vectors:", len(model.RelevanceIndices()), "of 50")
	fmt.Println("0 is within:", low[0] < 0 && 0 < high[0]) // sin(π)/π
	// Output:
	// vectors: 6 of 50
	// 0 is within: true
}

// Basis functions of two widths fit a slow wave with a narrow peak.
func ExampleRegressor_kernels() {
	x, y := mat.NewDense(80, 1, nil), make([]float64, 80)
	for i := range y {
		v := float64(i)/8 - 5
		x.Set(i, 0, v)
		y[i] = math.Sin(v/2) + math.Exp(-20*(v-1)*(v-1)) + 0.02*math.Sin(37*float64(i*i))
	}
	model := &rvm.Regressor{Kernels: []kernels.Kernel{kernels.RBFOfLength(2), kernels.RBFOfLength(0.2)}}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	widths := [2]int{}
	for _, k := range model.RelevanceKernels() {
		widths[k]++
	}
	fmt.Println("vectors of the wide kernel:", widths[0] > 0, "and of the narrow one:", widths[1] > 0)
	// Output: vectors of the wide kernel: true and of the narrow one: true
}

func ExampleClassifier() {
	// The two classes lie on two rings.
	x, y := mat.NewDense(60, 2, nil), make([]int, 60)
	for i := range y {
		a, r := 0.7*float64(i), 1+float64(i%2)
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
		y[i] = i % 2
	}
	model := &rvm.Classifier{}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	p, err := model.PredictProba(mat.NewDense(3, 2, []float64{0, 1, 0, 1.5, 0, 2}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.2f of class 1 on the inner ring, between them, on the outer\n", mat.Col(nil, 1, p))
	// Output: [0.08 0.73 0.97] of class 1 on the inner ring, between them, on the outer
}

// Each machine describes the fit of one class.
func ExampleMachine() {
	x := mat.NewDense(6, 1, []float64{0, 1, 2, 10, 11, 12})
	model := &rvm.Classifier{}
	if err := model.Fit(context.Background(), x, []int{7, 7, 7, 9, 9, 9}); err != nil {
		log.Fatal(err)
	}
	var m rvm.Machine = model.Machines()[0]
	fmt.Println("class", m.Class, "by", len(m.RelevanceIndices), "vector")
	// Output:
	// class 9 by 1 vector
}

// The intercept has three settings.
func ExampleInterceptPrior() {
	x, y := sinc()
	for i := range y {
		y[i] += 5
	}
	for _, model := range []*rvm.Regressor{{InterceptPrior: rvm.FlatPrior}, {InterceptPrior: rvm.ARDPrior}, {NoIntercept: true}} {
		model.Kernel = kernels.RBFOfLength(1.5)
		if err := model.Fit(context.Background(), x, y); err != nil {
			log.Fatal(err)
		}
		fmt.Printf("intercept %.1f, %d vectors\n", model.Intercept(), len(model.RelevanceIndices()))
	}
	// Output:
	// intercept 4.8, 6 vectors
	// intercept 4.8, 6 vectors
	// intercept 0.0, 13 vectors
}
