// Quickstart shows, in a few seconds and on real data, what this module is for:
// an estimator in ordinary golearn code, and one that chooses its own kernel by
// entropy where others search a grid.
//
//	go run ./examples/quickstart
//
// It needs no flag, no network and no file but those of the repository, and
// writes one picture into the folder that it is run from.
package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // gonum's matrix routines, several times as fast
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
)

const (
	seed         = 1
	testFraction = 0.25
	pictureFile  = "quickstart-entropy.png"
)

func main() { cli.Main("quickstart", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("quickstart", "quickstart drops an estimator into golearn code, and lets another one choose its own kernel.", out)
	path := flags.String("picture", pictureFile, "`file` for the picture")
	dir := flags.String("data", "", "`folder` of CSV files; empty: what the repository ships")
	flags.Reads("data")
	flags.Writes("picture")
	if err := flags.Parse(args); err != nil {
		return err
	}
	begun := time.Now()
	if err := classify(out, *dir); err != nil {
		return fmt.Errorf("classification: %w", err)
	}
	if err := choose(ctx, out, progress, *dir, *path); err != nil {
		return fmt.Errorf("selection: %w", err)
	}
	fmt.Fprintf(out, "\nAll of it took %.1f s.\n", time.Since(begun).Seconds())
	return nil
}

// open reads a CSV file into a golearn grid and splits it.
func open(dir, name string, split func(base.FixedDataGrid, float64, uint64) (train, test *base.DenseInstances, err error)) (train, test *base.DenseInstances, err error) {
	f, err := dataset.Folder(dir).Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	grid, err := golearn.ParseCSV(name, f, nil)
	if err != nil {
		return nil, nil, err
	}
	return split(grid, testFraction, seed)
}

// classify runs golearn's own classifier and ours through the same golearn code.
func classify(out io.Writer, dir string) error {
	train, test, err := open(dir, "breast-cancer-wdbc.csv", golearn.StratifiedSplit)
	if err != nil {
		return err
	}
	_, rows := train.Size()
	_, testRows := test.Size()
	fmt.Fprintf(out, "1. DROPPING IN: breast cancer (Wisconsin), 30 features, %d rows to learn from, %d to test\n\n", rows, testRows)

	// The golearn classifier that was here before.
	var cls base.Classifier = theirs()
	var models []model
	models = append(models, model{theirName, cls})

	// The same one behind a transformer of ours: what the scaling alone is worth.
	models = append(models, model{theirName + " after our StandardScaler", &golearn.Pipeline{
		Steps: []golearn.Step{golearn.Transform(&transformers.StandardScaler{})},
		Final: theirs(),
	}})

	// The one line that changes: an estimator of ours takes its place.
	cls = &golearn.Classifier{Estimator: &pipeline.Classifier{Steps: []transformers.Transformer{&transformers.StandardScaler{}}, Final: &lssvm.Classifier{}}}
	models = append(models, forest()...)
	models = append(models, model{"kernelearn LS-SVM, scaled", cls})

	// With nothing set it chooses its kernel, a length for each column and the ridge.
	models = append(models, model{"kernelearn, nothing set", &golearn.Classifier{}})

	truth, err := labels(test)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  classifier\taccuracy\tGMean\tseconds")
	var matrix evaluation.ConfusionMatrix
	for _, m := range models {
		begun := time.Now()
		predictions, err := m.fitPredict(train, test)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		seconds := time.Since(begun).Seconds()
		// golearn's own evaluation takes the predictions of both.
		if matrix, err = evaluation.GetConfusionMatrix(test, predictions); err != nil {
			return err
		}
		predicted, err := labels(predictions)
		if err != nil {
			return err
		}
		gmean, err := metrics.GMean(truth, predicted, nil)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "  %s\t%.4f\t%.4f\t%.2f\n", m.name, evaluation.GetAccuracy(matrix), gmean, seconds)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n  GMean is the geometric mean of the shares of benign and of malignant that are found.\n"+
		"  golearn's confusion matrix of the last one (rows are the truth):\n\n")
	fmt.Fprint(out, "  "+indent(evaluation.ShowConfusionMatrix(matrix)))
	return nil
}

type model struct {
	name string
	base.Classifier
}

func (m model) fitPredict(train, test base.FixedDataGrid) (base.FixedDataGrid, error) {
	if err := m.Fit(train); err != nil {
		return nil, err
	}
	return m.Predict(test)
}

// labels numbers the classes of a grid by their names, so that those of two
// grids compare.
func labels(grid base.FixedDataGrid) ([]int, error) {
	_, rows := grid.Size()
	out := make([]int, rows)
	for i := range out {
		if base.GetClass(grid, i) == "malignant" {
			out[i] = 1
		}
	}
	return out, nil
}

func indent(s string) string {
	var b []byte
	for i := range len(s) {
		b = append(b, s[i])
		if s[i] == '\n' && i < len(s)-1 {
			b = append(b, "  "...)
		}
	}
	return string(b)
}
