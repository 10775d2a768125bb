package kernelbeam_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"

	kernelbeam "github.com/kernelearn/kernelearn/adapters/beam"
	"github.com/kernelearn/kernelearn/estimators/ridge"
)

var trend = kernelbeam.Register("trend", func() *ridge.Regressor { return &ridge.Regressor{Ridge: 1e-6} })

// showFn prints predictions, as a step of the program's own pipeline.
type showFn struct{}

// ProcessElement prints a prediction.
func (*showFn) ProcessElement(p kernelbeam.Prediction) { fmt.Printf("%s: %.1f\n", p.ID, p.Y) }

// showBadFn prints the rows that cannot be predicted.
type showBadFn struct{}

// ProcessElement prints a bad row.
func (*showBadFn) ProcessElement(b kernelbeam.BadRow) { fmt.Println(b.ID, "is left out") }

func init() {
	beam.RegisterType(reflect.TypeFor[showFn]())
	beam.RegisterType(reflect.TypeFor[showBadFn]())
}

// This example fits a model to a PCollection of rows, and predicts with the model as a side input.
func ExamplePrediction() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	data := &kernelbeam.Data{Rows: func(s beam.Scope) beam.PCollection {
		return beam.Create(s, kernelbeam.Row{X: []float64{0}, Y: 1}, kernelbeam.Row{X: []float64{1}, Y: 3}, kernelbeam.Row{X: []float64{2}, Y: 5})
	}}
	ctx := context.Background()
	fitted, report, err := trend.Fit(ctx, data, nil)
	if err != nil {
		log.Fatal(err)
	}
	var r kernelbeam.Report = *report
	fmt.Println(r.Rows, "rows")
	path := filepath.Join(dir, "model.keln")
	if err := trend.Save(ctx, fitted, path); err != nil {
		log.Fatal(err)
	}
	p, s := beam.NewPipelineWithRoot()
	predicted, bad := trend.PredictRows(s, path, beam.Create(s, kernelbeam.Row{X: []float64{10}, ID: "ten"}))
	beam.ParDo0(s, &showFn{}, predicted)
	beam.ParDo0(s, &showBadFn{}, bad)
	if _, err := beam.Run(ctx, "prism", p); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 3 rows
	// ten: 21.0
}
