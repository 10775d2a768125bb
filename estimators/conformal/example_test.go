package conformal_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/conformal"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
)

// wave returns n points x, and targets sin x with a deterministic disturbance.
func wave(n int) (*mat.Dense, []float64) {
	x, y := mat.NewDense(n, 1, nil), make([]float64, n)
	for i := range y {
		v := 6 * float64(i) / float64(n)
		x.Set(i, 0, v)
		y[i] = math.Sin(v) + 0.1*math.Sin(71*v)
	}
	return x, y
}

func ExampleRegressor() {
	x, y := wave(400)

	// One half of the rows chooses a kernel and a ridge of lssvm.Regressor; the other half measures its errors.
	r := &conformal.Regressor{}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	low, high, err := r.PredictInterval(x, 0.9)
	if err != nil {
		fmt.Println(err)
		return
	}
	within := 0
	for i, v := range y {
		if low[i] <= v && v <= high[i] {
			within++
		}
	}
	var method conformal.Method = r.ChosenMethod()
	fmt.Println(method, "- at least 350 of 400 within:", within >= 350)
	// Output: Full - at least 350 of 400 within: true
}

// In this example the settings do not depend on the rows, so all rows can be used for the intervals.
func ExampleRegressor_given() {
	x, y := wave(60)
	r := &conformal.Regressor{
		Estimator: &lssvm.Regressor{Kernel: kernels.RBF{Gamma: 1}, Ridge: 0.1},
		Method:    conformal.Full, SameRows: true,
	}
	if err := r.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	at := mat.NewDense(2, 1, []float64{3, 30})
	low, high, err := r.PredictInterval(at, 0.9)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("far from all rows it is wider:", high[1]-low[1] > 3*(high[0]-low[0]))
	_, high, err = r.PredictInterval(at, 0.99) // this level needs 99 rows
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(high[0])
	// Output:
	// far from all rows it is wider: true
	// +Inf
}

func ExampleClassifier() {
	// The two classes overlap between 1 and 2.
	n := 240
	x, y := mat.NewDense(n, 1, nil), make([]int, n)
	for i := range y {
		y[i] = i % 2
		x.Set(i, 0, float64(y[i])+2*float64(i/2)/float64(n/2))
	}
	var score conformal.Score = conformal.Adaptive // sets are larger where rows are difficult to classify
	c := &conformal.Classifier{Method: conformal.Split, Score: score}
	if err := c.Fit(context.Background(), x, y); err != nil {
		fmt.Println(err)
		return
	}
	sets, err := c.PredictSet(mat.NewDense(3, 1, []float64{0.1, 1.5, 2.9}), 0.95)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(sets)
	// Output: [[0] [0 1] [1]]
}
