package modelfile_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/modelfile"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// The example writes a model to a file and reads it with its settings.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weather.keln")

	model := &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}},
		Final: &lssvm.Regressor{Kernel: kernels.Matern{Nu: 2.5, Length: 2}, Ridge: .01},
	}
	x, y := mat.NewDense(4, 2, []float64{0, 5, 1, 3, 2, 6, 3, 4}), []float64{1, 2, 3, 4}
	if err := model.Fit(ctx, x, y); err != nil {
		panic(err)
	}
	if err := modelfile.SaveNoted(path, model, modelfile.Notes{Columns: []string{"hour", "wind"}}); err != nil {
		panic(err)
	}

	// Another program reads the file without knowing the type of the model.
	read, err := modelfile.Load[estimators.Regressor](path)
	if err != nil {
		panic(err)
	}
	before, _ := model.Predict(x)
	after, _ := read.Predict(x)
	fmt.Println("the same predictions:", fmt.Sprint(before) == fmt.Sprint(after))

	var info modelfile.Info
	if info, err = modelfile.DescribeFile(path); err != nil {
		panic(err)
	}
	fmt.Println(info.Type, info.Columns, info.ColumnNames)
	for _, s := range info.Settings {
		var setting modelfile.Setting = s
		fmt.Println(setting.Name, "=", setting.Value)
	}

	_, err = modelfile.Load[estimators.Classifier](path)
	fmt.Println(err)
	// Output:
	// the same predictions: true
	// pipeline.Regressor 2 [hour wind]
	// Steps = [transformers.StandardScaler{}]
	// Final = lssvm.Regressor{Kernel: Matern(nu=2.5, length=2), Ridge: 0.01}
	// modelfile: bad model data: the file holds a *pipeline.Regressor, which is not of type estimators.Classifier
}

// One program ends a stream, and another program continues it.
func ExampleCheckpoint() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "stream.keln")

	monday := &ridge.Regressor{Ridge: 1e-6}
	if err := monday.PartialFit(ctx, mat.NewDense(3, 1, []float64{0, 1, 2}), []float64{1, 3, 5}); err != nil {
		panic(err)
	}
	if err := modelfile.Checkpoint(path, monday); err != nil {
		panic(err)
	}

	tuesday, err := modelfile.Load[*ridge.Regressor](path)
	if err != nil {
		panic(err)
	}
	if err := tuesday.PartialFit(ctx, mat.NewDense(3, 1, []float64{3, 4, 5}), []float64{7, 9, 11}); err != nil {
		panic(err)
	}
	y, err := tuesday.Predict(mat.NewDense(1, 1, []float64{10}))
	fmt.Printf("%.3f %v\n", y, err)
	// Output: [21.000] <nil>
}

// The example replaces a model while it is in use. Many goroutines may call Predict on the same value, but not while Fit runs on
// it. The next model is therefore a new value, and each request uses the value that the pointer holds when the request begins.
func Example_swap() {
	ctx := context.Background()
	fit := func(slope float64) *lssvm.Regressor {
		m := &lssvm.Regressor{Kernel: kernels.Linear{}, Ridge: 1e-9}
		if err := m.Fit(ctx, mat.NewDense(3, 1, []float64{0, 1, 2}), []float64{0, slope, 2 * slope}); err != nil {
			panic(err)
		}
		return m
	}
	var serving atomic.Pointer[lssvm.Regressor]
	serving.Store(fit(1))

	var readers sync.WaitGroup
	var wrong atomic.Int64
	for range 4 {
		readers.Go(func() {
			x, y := mat.NewDense(1, 1, []float64{10}), make([]float64, 1)
			for range 1000 {
				model := serving.Load() // the complete request uses the same model
				if err := model.PredictTo(y, x); err != nil || !(y[0] > 9.9 && y[0] < 30.1) {
					wrong.Add(1)
				}
			}
		})
	}
	serving.Store(fit(2)) // the model is complete before readers see it
	old := serving.Swap(fit(3))
	readers.Wait()

	y, err := serving.Load().Predict(mat.NewDense(1, 1, []float64{10}))
	fmt.Printf("%.0f %v, wrong answers: %d\n", y, err, wrong.Load())
	y, err = old.Predict(mat.NewDense(1, 1, []float64{10})) // the old model still works for goroutines that use it
	fmt.Printf("%.0f %v\n", y, err)
	// Output:
	// [30] <nil>, wrong answers: 0
	// [20] <nil>
}
