package transformers_test

import (
	"context"
	"fmt"
	"log"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/transformers"
)

// Incomes: few are large, and a distance between two rows would be theirs alone.
var incomes = mat.NewDense(8, 1, []float64{9, 12, 14, 18, 25, 38, 90, 640})

func ExamplePowerTransformer() {
	even := &transformers.PowerTransformer{}
	if err := even.Fit(context.Background(), incomes); err != nil {
		log.Fatal(err)
	}
	z, err := even.Transform(incomes)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("lambda %.2f\n", even.Lambdas())
	fmt.Printf("%.2f\n", mat.Formatted(z.T()))
	// Output:
	// lambda [-0.59]
	// [-1.43  -0.93  -0.69  -0.34   0.06   0.48   1.10   1.75]
}

func ExampleQuantileTransformer() {
	ranks := &transformers.QuantileTransformer{}
	if err := ranks.Fit(context.Background(), incomes); err != nil {
		log.Fatal(err)
	}
	z, err := ranks.Transform(mat.NewDense(4, 1, []float64{5, 14, 16, 1e6}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", mat.Formatted(z.T()))
	// Output:
	// [0.000  0.286  0.357  1.000]
}

func ExampleOutput() {
	for _, output := range []transformers.Output{transformers.Uniform, transformers.Normal} {
		ranks := &transformers.QuantileTransformer{Output: output}
		if err := ranks.Fit(context.Background(), incomes); err != nil {
			log.Fatal(err)
		}
		z, err := ranks.Transform(incomes)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%v: %.2f\n", output, mat.Formatted(z.T()))
	}
	// Output:
	// Uniform: [0.00  0.14  0.29  0.43  0.57  0.71  0.86  1.00]
	// Normal: [-5.20  -1.07  -0.57  -0.18   0.18   0.57   1.07   5.20]
}

func ExampleWinsorizer() {
	// A height in metres that somebody gave in centimetres.
	heights := mat.NewDense(6, 1, []float64{1.62, 1.75, 181, 1.58, 1.90, 1.70})
	bound := &transformers.Winsorizer{NoLower: true, Upper: 0.8}
	if err := bound.Fit(context.Background(), heights); err != nil {
		log.Fatal(err)
	}
	z, err := bound.Transform(heights)
	if err != nil {
		log.Fatal(err)
	}
	low, high := bound.Bounds()
	fmt.Println(low, high)
	fmt.Println(mat.Formatted(z.T()))
	// Output:
	// [-Inf] [1.9]
	// [1.62  1.75   1.9  1.58   1.9   1.7]
}

func ExampleInverter() {
	var scaler interface {
		transformers.Transformer
		transformers.Inverter
	} = &transformers.StandardScaler{}
	if err := scaler.Fit(context.Background(), mat.NewDense(3, 2, []float64{200, 14, 400, 12, 600, 10})); err != nil {
		log.Fatal(err)
	}
	// A centre that was found among the scaled rows, in metres and degrees.
	centre, err := scaler.InverseTransform(mat.NewDense(1, 2, []float64{0.5, -0.5}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(centre.RawRowView(0))
	// Output:
	// [500 11]
}
