// Onnx fits a pipeline, writes it as an ONNX model, and prints its predictions for two rows. A runtime in another language must
// print the same predictions. docs/onnx.md contains programs for Python, the browser and C#.
//
//	go run ./examples/onnx              # writes model.onnx
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/onnx"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

func main() { cli.Main("onnx", run) }

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("onnx", "onnx fits a pipeline, writes it as an ONNX model, and prints its predictions for two rows.", out)
	path := flags.String("out", "model.onnx", "the `file` to write")
	flags.Writes("out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := mat.NewDense(200, 2, nil), make([]float64, 200)
	for i := range y {
		hour, temperature := 24*rng.Float64(), 15+10*rng.NormFloat64()
		x.SetRow(i, []float64{hour, temperature})
		y[i] = 100 + 30*math.Sin(hour*math.Pi/12) + temperature + 5*rng.NormFloat64()
	}
	model := &pipeline.Regressor{
		Steps: []transformers.Transformer{&columnwise.PowerTransformer{Clip: true}},
		Final: &lssvm.Regressor{},
	}
	if err := model.Fit(ctx, x, y); err != nil {
		return err
	}
	file, err := os.Create(*path)
	if err != nil {
		return err
	}
	err = onnx.Write(file, model, 2, &onnx.Options{Variance: true, Columns: []string{"hour", "temperature"}})
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		return err
	}
	mean, variance, err := model.PredictVariance(mat.NewDense(2, 2, []float64{6.5, 20, 18, 5}))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "%.9f %.9f\n", mean, variance)
	return err
}
