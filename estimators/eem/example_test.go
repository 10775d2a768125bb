package eem_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/eem"
)

// rings returns two classes, one around the other.
func rings() (*mat.Dense, []int) {
	x, y := mat.NewDense(120, 2, nil), make([]int, 120)
	for i := range y {
		a, r := 0.7*float64(i), 1+float64(i%2)
		x.SetRow(i, []float64{r * math.Cos(a), r * math.Sin(a)})
		y[i] = i % 2
	}
	return x, y
}

func ExampleClassifier() {
	x, y := rings()
	model := &eem.Classifier{Units: 40}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	labels, err := model.Predict(mat.NewDense(2, 2, []float64{0, 1, 2, 0}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(labels)
	// Output: [0 1]
}

func ExampleKernelClassifier() {
	x, y := rings()
	model := &eem.KernelClassifier{Components: 20}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	labels, err := model.Predict(mat.NewDense(2, 2, []float64{0, 1, 2, 0}))
	fmt.Println(labels, err)
	// Output: [0 1] <nil>
}

// This example fits rows that arrive in chunks. The first chunk contains only one class.
func ExampleClassifier_PartialFit() {
	x, y := rings()
	model := &eem.Classifier{Units: 40, Labels: []int{0, 1}}
	for first := 0; first < 120; first += 30 {
		if err := model.PartialFit(context.Background(), x.Slice(first, first+30, 0, 2), y[first:first+30]); err != nil {
			log.Fatal(err)
		}
	}
	labels, err := model.Predict(mat.NewDense(2, 2, []float64{0, 1, 2, 0}))
	fmt.Println(labels, err)
	// Output: [0 1] <nil>
}

// This example prints the thresholds of a machine, which are the positions along its direction where its decision changes.
func ExamplePair() {
	x, y := rings()
	model := &eem.Classifier{Units: 40}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	var p eem.Pair = model.Pairs()[0]
	var t eem.Thresholds = p.Thresholds
	var r eem.Region = t.Region
	fmt.Printf("class %d against %d, means %.1f apart, %v: %t\n", p.Positive, p.Negative, p.Means[1]-p.Means[0], r, t.Near < t.Far)
	// Output:
	// class 1 against 0, means 2.0 apart, Outside: false
}

// This example merges and subtracts the moments of rows.
func ExampleStatistics() {
	var all, part eem.Statistics
	if err := all.Add(mat.NewDense(3, 1, []float64{1, 2, 6})); err != nil {
		log.Fatal(err)
	}
	if err := part.Add(mat.NewDense(1, 1, []float64{6})); err != nil {
		log.Fatal(err)
	}
	fmt.Println(all.N(), all.Mean())
	if err := all.Unmerge(&part); err != nil {
		log.Fatal(err)
	}
	fmt.Println(all.N(), all.Mean(), all.Covariance().At(0, 0))
	// Output:
	// 3 [3]
	// 2 [1.5] 0.25
}

// This example fits machines of several sizes at the cost of the largest, and cross-validates their accuracy with HeldOut.
func ExampleClassifier_FitPath() {
	x, y := rings()
	path, err := (&eem.Classifier{}).FitPath(context.Background(), x, y, []int{2, 10, 40})
	if err != nil {
		log.Fatal(err)
	}
	fold := make([]int, len(y))
	for i := range fold {
		fold[i] = i / 2 % 5
	}
	for _, c := range path {
		p, err := c.HeldOut(context.Background(), x, y, fold)
		if err != nil {
			log.Fatal(err)
		}
		right := 0
		for i, label := range y {
			if p.At(i, label) > 0.5 {
				right++
			}
		}
		fmt.Printf("%d units: %d of %d\n", c.Units, right, len(y))
	}
	// Output:
	// 2 units: 81 of 120
	// 10 units: 120 of 120
	// 40 units: 120 of 120
}

// This example models four classes as Gaussians in the plane of the discriminant directions.
func ExampleMulticlass() {
	x, y := mat.NewDense(80, 2, nil), make([]int, 80)
	for i := range y {
		y[i] = i % 4
		x.SetRow(i, []float64{float64(y[i]%2)*4 + math.Sin(float64(i*i)), float64(y[i]/2)*4 + math.Cos(float64(3*i))})
	}
	var way eem.Multiclass = eem.Discriminant
	model := &eem.Classifier{Units: 30, Multiclass: way}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	labels, err := model.Predict(mat.NewDense(4, 2, []float64{0, 0, 4, 0, 0, 4, 4, 4}))
	fmt.Println(labels, err)
	// Output: [0 1 2 3] <nil>
}
