package kernelbeam_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"path/filepath"

	kernelbeam "github.com/kernelearn/kernelearn/adapters/beam"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
)

// Workers create the models from these names.
var (
	line    = kernelbeam.Register("line", func() *ridge.Regressor { return &ridge.Regressor{Ridge: 1e-6} })
	species = kernelbeam.Register("species", func() *eem.KernelClassifier {
		return &eem.KernelClassifier{Kernel: kernels.RBF{Gamma: .5}, Components: 10, Labels: []int{0, 1}}
	})
	smooth = byGamma(1e-3, 1, 1e3)
)

func byGamma(gammas ...float64) (out []*kernelbeam.Model[float64, *pipeline.Regressor]) {
	for _, g := range gammas {
		out = append(out, kernelbeam.Register(fmt.Sprintf("RBF %g", g), func() *pipeline.Regressor {
			return &pipeline.Regressor{
				Steps: []transformers.Transformer{&featuremap.RandomFourier{Kernel: kernels.RBF{Gamma: g}, Components: 40}},
				Final: &ridge.Regressor{},
			}
		}))
	}
	return out
}

// write creates a directory with two files of 50 rows each, and returns its path. The function row returns the text of a row.
func write(row func(i int) string) string {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	for s := range 2 {
		text := "x,y\n"
		for i := range 50 {
			text += row(50*s+i) + "\n"
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("rows-%d.csv", s)), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}
	return dir
}

func onLine(i int) string { return fmt.Sprintf("%d,%d", i, 1+2*i) }

// This example fits a regression to all files of a pattern. A main function begins with kernelbeam.Init.
func ExampleModel() {
	dir := write(onLine)
	defer os.RemoveAll(dir)
	data := &kernelbeam.Data{Files: []string{filepath.Join(dir, "rows-*.csv")}, Options: table.Options{Target: "y"}}
	fitted, report, err := line.Fit(context.Background(), data, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: %d rows in %d pass, slope %.3f\n", line.Name(), report.Rows, report.Passes, fitted.Coefficients()[0])
	// Output: line: 100 rows in 1 pass, slope 2.000
}

// This example lists estimators of different types, which share the interface Estimator.
func ExampleEstimator() {
	models := []kernelbeam.Estimator[float64]{&ridge.Regressor{}, &pipeline.Regressor{}}
	fmt.Println(len(models), "regressors")
	// Output: 2 regressors
}

// This example reads files without a header whose fields have another separator.
func ExampleData_format() {
	dir, err := os.MkdirTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("a;0;1\nb;1;3\nc;2;5\n"), 0o600); err != nil {
		log.Fatal(err)
	}
	data := &kernelbeam.Data{
		Files: []string{filepath.Join(dir, "*.txt")}, Format: kernelbeam.FormatCSV, ID: "0",
		Options: table.Options{Target: "2", Format: table.Format{Comma: ';', NoHeader: true}},
	}
	fitted, _, err := line.Fit(context.Background(), data, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("slope %.3f\n", fitted.Coefficients()[0])
	// Output: slope 2.000
}

// This example leaves out bad rows up to a limit, and writes their lines to a file.
func ExampleOptions() {
	dir := write(func(i int) string {
		if i == 60 {
			return "60,?"
		}
		return onLine(i)
	})
	defer os.RemoveAll(dir)
	data := &kernelbeam.Data{Files: []string{filepath.Join(dir, "rows-*.csv")}, Options: table.Options{Target: "y"}}
	options := &kernelbeam.Options{MaxBad: 5, DeadLetters: filepath.Join(dir, "dead.csv")}
	_, report, err := line.Fit(context.Background(), data, options)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Rows, "rows,", report.Bad, "bad")

	_, _, err = line.Fit(context.Background(), data, nil)
	var wrong *kernelbeam.DataError
	if errors.As(err, &wrong) {
		fmt.Printf("%s, line %d: %s\n", filepath.Base(wrong.File), wrong.Line, wrong.Reason)
	}
	// Output:
	// 99 rows, 1 bad
	// rows-1.csv, line 12: column "y": the target NaN is not finite (the first of 1 bad rows; MaxBad is 0)
}

// This example sets the format Parquet for files whose names do not end in .parquet.
func ExampleFormat() {
	data := &kernelbeam.Data{Files: []string{"rows/part-*"}, Format: kernelbeam.FormatParquet, Options: table.Options{Target: "y"}}
	fmt.Println(data.Format == kernelbeam.FormatParquet)
	// Output: true
}

// This example compares kernels of several lengths, which are fitted in the same passes.
func ExampleFitAll() {
	dir := write(func(i int) string { return fmt.Sprintf("%g,%g", float64(i)/20, float64((i/10)%3)) })
	defer os.RemoveAll(dir)
	data := &kernelbeam.Data{Files: []string{filepath.Join(dir, "rows-*.csv")}, Options: table.Options{Target: "y"}}
	fitted, report, err := kernelbeam.FitAll(context.Background(), data, nil, smooth...)
	if err != nil {
		log.Fatal(err)
	}
	best := 0
	for i, f := range fitted {
		if f.Report().Objective < fitted[best].Report().Objective { // The objective is the negative log evidence.
			best = i
		}
	}
	fmt.Println(smooth[best].Name(), "in", report.Passes, "passes")
	// Output: RBF 1 in 2 passes
}

// This example scores each model on rows that it was not fitted to.
func ExampleCrossValidate() {
	dir := write(func(i int) string { return fmt.Sprintf("%g,%d", float64(i%2*10)+float64(i)/100, i%2) })
	defer os.RemoveAll(dir)
	data := &kernelbeam.Data{Files: []string{filepath.Join(dir, "rows-*.csv")}, Options: table.Options{Target: "y"}}
	out, _, err := kernelbeam.CrossValidate(context.Background(), data, nil, 2, species)
	if err != nil {
		log.Fatal(err)
	}
	var one kernelbeam.CrossValidated = out[0]
	var all kernelbeam.Score = one.All
	fmt.Printf("%s: %d folds, accuracy %.2f of %d rows\n", one.Name, len(one.Folds), all.Accuracy(), all.Rows)
	// Output: species: 2 folds, accuracy 1.00 of 100 rows
}

// This example computes the entropy of a kernel on rows drawn by the engine.
func ExampleSample() {
	dir := write(onLine)
	defer os.RemoveAll(dir)
	data := &kernelbeam.Data{Files: []string{filepath.Join(dir, "rows-*.csv")}, Options: table.Options{Target: "y"}}
	x, _, report, err := kernelbeam.Sample(context.Background(), data, nil, 40, false)
	if err != nil {
		log.Fatal(err)
	}
	k, err := kernels.Matrix(context.Background(), kernels.RBF{Gamma: 1e-3}, x, nil)
	if err != nil {
		log.Fatal(err)
	}
	e, err := measures.Entropy(context.Background(), k)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d of %d rows, entropy between .1 and .5: %v\n", k.SymmetricDim(), report.Rows, e.Entropy > .1 && e.Entropy < .5)
	// Output: 40 of 100 rows, entropy between .1 and .5: true
}

// This example reports the progress of each pass, without an engine.
func ExampleData() {
	dir := write(onLine)
	defer os.RemoveAll(dir)
	data := &kernelbeam.Data{Files: []string{filepath.Join(dir, "rows-*.csv")}, Options: table.Options{Target: "y"}}
	options := &kernelbeam.Options{NoEngine: true, Observe: func(s estimators.Step) { fmt.Println(s.Message) }}
	if _, _, err := line.Fit(context.Background(), data, options); err != nil {
		log.Fatal(err)
	}
	// Output: pass 1 of 1: 100 rows, 0 left out
}
