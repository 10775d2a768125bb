package columnwise_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// A few incomes are large and would dominate the distance between two rows.
var incomes = mat.NewDense(8, 1, []float64{9, 12, 14, 18, 25, 38, 90, 640})

func ExamplePowerTransformer() {
	even := &columnwise.PowerTransformer{}
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
	ranks := &columnwise.QuantileTransformer{}
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
	for _, output := range []columnwise.Output{columnwise.Uniform, columnwise.Normal} {
		ranks := &columnwise.QuantileTransformer{Output: output}
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
	// One height was entered in centimetres instead of metres.
	heights := mat.NewDense(6, 1, []float64{1.62, 1.75, 181, 1.58, 1.90, 1.70})
	bound := &columnwise.Winsorizer{NoLower: true, Upper: 0.8}
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

func ExampleImputer() {
	missing := math.NaN()
	x := mat.NewDense(4, 2, []float64{
		190, 7,
		118, missing,
		149, 12,
		missing, 18,
	})
	imputer := &columnwise.Imputer{Statistic: columnwise.Median, Indicators: true}
	if err := imputer.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	z, err := imputer.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(z))
	// Output:
	// ⎡190    7    0    0⎤
	// ⎢118   12    0    1⎥
	// ⎢149   12    0    0⎥
	// ⎣149   18    1    0⎦
}

func ExampleOneHot() {
	// The columns are a colour, as a code, and a weight.
	x := mat.NewDense(3, 2, []float64{
		2, 0.5,
		0, 1.5,
		2, 2.5,
	})
	encoder := &columnwise.OneHot{Columns: []int{0}}
	if err := encoder.Fit(context.Background(), x); err != nil {
		log.Fatal(err)
	}
	z, err := encoder.Transform(x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(mat.Formatted(z))
	for j, e := range encoder.Encoding() {
		fmt.Println(j, e.Column, e.Level, e.Copied)
	}
	// Output:
	// ⎡  0    1  0.5⎤
	// ⎢  1    0  1.5⎥
	// ⎣  0    1  2.5⎦
	// 0 0 0 false
	// 1 0 2 false
	// 2 1 0 true
}

func ExampleStatistic() {
	column := mat.NewDense(5, 1, []float64{1, 1, 2, 8, math.NaN()})
	for _, s := range []columnwise.Statistic{columnwise.Mean, columnwise.Median, columnwise.MostFrequent} {
		imputer := &columnwise.Imputer{Statistic: s}
		if err := imputer.Fit(context.Background(), column); err != nil {
			log.Fatal(err)
		}
		fmt.Println(s, imputer.Values())
	}
	// Output:
	// Mean [3]
	// Median [1.5]
	// MostFrequent [1]
}

func ExampleDrop() {
	// The columns are answers, no and yes, and one of three sizes.
	x := mat.NewDense(3, 2, []float64{
		0, 1,
		1, 2,
		1, 3,
	})
	for _, d := range []columnwise.Drop{columnwise.DropNone, columnwise.DropBinary, columnwise.DropFirst} {
		encoder := &columnwise.OneHot{Drop: d}
		if err := encoder.Fit(context.Background(), x); err != nil {
			log.Fatal(err)
		}
		var first columnwise.Encoded = encoder.Encoding()[0]
		fmt.Println(len(encoder.Encoding()), "columns, the first is of level", first.Level)
	}
	// Output:
	// 5 columns, the first is of level 0
	// 4 columns, the first is of level 1
	// 3 columns, the first is of level 1
}

func ExampleTargetEncoder() {
	// x holds the city of each row as a code, and rent its rent.
	x := mat.NewDense(6, 1, []float64{1, 1, 2, 2, 2, 3})
	rent := mat.NewDense(6, 1, []float64{900, 1100, 500, 600, 550, 2000})
	encoder := &columnwise.TargetEncoder{Smoothing: 1}
	// A model is fitted to these means, which exclude the row's own rent.
	if _, err := encoder.FitTransformTargets(context.Background(), x, rent); err != nil {
		log.Fatal(err)
	}
	// New rows get the means over all rows, and an unknown city gets the mean rent.
	z, err := encoder.Transform(mat.NewDense(4, 1, []float64{1, 2, 3, 4}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.0f\n", mat.Formatted(z))
	// Output:
	// ⎡ 981⎤
	// ⎢ 648⎥
	// ⎢1471⎥
	// ⎣ 942⎦
}
