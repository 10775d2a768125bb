package pipeline_test

import (
	"context"
	"fmt"
	"log"
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// The columns are in metres and millimetres, so they are scaled before the regression. Final can be any estimator of this module.
func ExampleRegressor() {
	x := mat.NewDense(4, 2, []float64{1, 3000, 2, 1000, 3, 4000, 4, 2000})
	y := []float64{5, 4, 8, 7} // 1 + column 0 + column 1 / 1000
	model := &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}},
		Final: &lssvm.Regressor{Kernel: kernels.Linear{}, Ridge: 1e-9},
	}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	got, err := model.Predict(mat.NewDense(1, 2, []float64{10, 5000}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.4f\n", got)
	// Output: [16.0000]
}

// Numbers are imputed and scaled, each make of car gets its own column, and the doors stay unchanged.
func ExampleColumnTransformer() {
	cars := mat.NewDense(3, 3, []float64{4, 1, 20, 2, 3, math.NaN(), 4, 1, 40}) // doors, make, price
	table := &pipeline.ColumnTransformer{Parts: []pipeline.ColumnPart{
		{Columns: []int{2}, Of: &pipeline.Transformer{Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.MinMaxScaler{}}}},
		{Columns: []int{1}, Of: &columnwise.OneHot{}},
	}}
	if err := table.Fit(context.Background(), cars); err != nil {
		log.Fatal(err)
	}
	z, err := table.Transform(cars)
	if err != nil {
		log.Fatal(err)
	}
	names, err := table.FeatureNames([]string{"doors", "make", "price"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(names)
	fmt.Println(mat.Formatted(z))
	// Output:
	// [price make=1 make=3 doors]
	// ⎡  0    1    0    4⎤
	// ⎢0.5    0    1    2⎥
	// ⎣  1    1    0    4⎦
}

// A pipeline is stored in one file, which is decoded into a pipeline with the same configuration.
func ExampleClassifier() {
	build := func() *pipeline.Classifier {
		return &pipeline.Classifier{
			Steps: []transformers.Transformer{&scalers.StandardScaler{}},
			Final: &lssvm.Classifier{},
		}
	}
	x := mat.NewDense(4, 2, []float64{1, 3000, 2, 3100, 8, 1000, 9, 1100})
	model := build()
	if err := model.Fit(context.Background(), x, []int{10, 10, -3, -3}); err != nil {
		log.Fatal(err)
	}
	data, err := model.MarshalBinary()
	if err != nil {
		log.Fatal(err)
	}
	read := build()
	if err := read.UnmarshalBinary(data); err != nil {
		log.Fatal(err)
	}
	got, err := read.Predict(mat.NewDense(2, 2, []float64{0, 3000, 10, 1000}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(read.Classes(), got)
	// Output: [-3 10] [10 -3]
}

// Steps that are fitted once can be used for several estimators, or row by row.
func ExampleTransformer() {
	steps := &pipeline.Transformer{Steps: []transformers.Transformer{&scalers.StandardScaler{}, &scalers.UnitRows{}}}
	x := mat.NewDense(4, 2, []float64{1, 3000, 2, 1000, 3, 4000, 4, 2000})
	z, err := steps.FitTransform(context.Background(), x)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", mat.Formatted(z))
	row, dst := mat.NewDense(1, 2, []float64{2.5, 9000}), &mat.Dense{}
	if err := steps.TransformTo(dst, row); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.3f\n", mat.Formatted(dst))
	// Output:
	// ⎡-0.949   0.316⎤
	// ⎢-0.316  -0.949⎥
	// ⎢ 0.316   0.949⎥
	// ⎣ 0.949  -0.316⎦
	// [0.000  1.000]
}

// A pipeline predicts several targets, such as the latitude and the longitude of an object.
func ExampleMultiRegressor() {
	x := mat.NewDense(5, 2, []float64{0, 100, 1, 300, 2, 200, 3, 500, 4, 400})
	y := mat.NewDense(5, 2, []float64{48, 8, 49, 11, 50, 10, 51, 14, 52, 13})
	model := &pipeline.MultiRegressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}},
		Final: &ridge.MultiRegressor{Ridge: .001},
	}
	if err := model.Fit(context.Background(), x, y); err != nil {
		log.Fatal(err)
	}
	f, err := model.Predict(mat.NewDense(1, 2, []float64{2, 350}))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%.1f %.1f\n", f.At(0, 0), f.At(0, 1))
	// Output:
	// 50.0 11.8
}
