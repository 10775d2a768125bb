package onnx_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/onnx"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func Example() {
	x := mat.NewDense(6, 2, []float64{1, 10, 2, 12, 3, 15, 4, 11, 5, 17, 6, 20})
	model := &pipeline.Classifier{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}},
		Final: &lssvm.Classifier{Kernel: kernels.RBF{Gamma: .5}},
	}
	if err := model.Fit(context.Background(), x, []int{3, 3, 3, 8, 8, 8}); err != nil {
		fmt.Println(err)
		return
	}
	var file bytes.Buffer // os.Create("model.onnx")
	err := onnx.Write(&file, model, 2, &onnx.Options{Columns: []string{"age", "weight"}})
	fmt.Println(err, bytes.Contains(file.Bytes(), []byte("probabilities")), bytes.Contains(file.Bytes(), []byte("[3,8]")))

	// A custom kernel can be written if it has the methods Graph and GraphDiag.
	model.Final = &lssvm.Classifier{Kernel: triangle{}, Ridge: 1}
	if err := model.Fit(context.Background(), x, []int{3, 3, 3, 8, 8, 8}); err != nil {
		fmt.Println(err)
		return
	}
	err = onnx.Write(&file, model, 2, nil)
	fmt.Println(errors.Is(err, errors.ErrUnsupported), err)
	// Output:
	// <nil> true true
	// true onnx: pipeline: Classifier: final (lssvm.Classifier): onnx_test.triangle cannot be written as a graph of primitive operators, its kernel has no methods Graph and GraphDiag: unsupported operation
}

// triangle is a kernel defined outside the module.
type triangle struct{}

func (triangle) Eval(x, z []float64) float64 { return kernels.Laplacian{}.Eval(x, z) }
func (triangle) String() string              { return "triangle" }
