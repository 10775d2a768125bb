package novelty_test

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/novelty"
)

// The measurements form a ring. Its centre is as unusual as points outside the ring.
func ExampleDensity() {
	rng := rand.New(rand.NewPCG(1, 2))
	x := mat.NewDense(300, 2, nil)
	for i := range 300 {
		a, b := rng.NormFloat64(), rng.NormFloat64()
		r := (5 + 0.3*rng.NormFloat64()) / mat.Norm(mat.NewVecDense(2, []float64{a, b}), 2)
		x.SetRow(i, []float64{a * r, b * r})
	}
	d := &novelty.Density{}
	if err := d.Fit(context.Background(), x); err != nil {
		fmt.Println(err)
		return
	}
	at := mat.NewDense(3, 2, []float64{3, 4, 0, 0, 9, 9})
	novel, err := d.Predict(at)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(novel)

	// PredictP states how unusual a row is.
	var detector estimators.Detector = d
	p, err := detector.(estimators.PPredictor).PredictP(at)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("%.3f\n", p)
	// Output:
	// [false true true]
	// [0.538 0.003 0.003]
}
