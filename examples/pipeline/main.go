// Pipeline combines golearn with this module in three examples:
//
//   - a golearn filter, one of our transformers and a golearn classifier in one pipeline;
//   - one of our estimators in golearn's own cross-validation;
//   - a model that is saved, loaded and used to predict one row without a label.
//
// The data can be read from another folder:
//
//	go run ./examples/pipeline
//	go run ./examples/pipeline -data DIR
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/filters"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func main() { cli.Main("pipeline", run) }

func run(_ context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("pipeline", "pipeline combines golearn's filters and classifiers with transformers and estimators of kernelearn.",
		out)
	dir := flags.String("data", "", "`folder` of CSV files; empty: the files of the repository")
	flags.Reads("data")
	if err := flags.Parse(args); err != nil {
		return err
	}
	f, err := dataset.Folder(*dir).Open("breast-cancer-wdbc.csv")
	if err != nil {
		return err
	}
	defer f.Close()
	grid, err := grids.ParseCSV("breast-cancer-wdbc.csv", f, nil)
	if err != nil {
		return err
	}
	train, test, err := grids.StratifiedSplit(grid, 0.25, 1)
	if err != nil {
		return err
	}
	if err := mixed(out, train, test); err != nil {
		return err
	}
	if err := crossValidated(out, grid); err != nil {
		return err
	}
	return saved(out, train, test)
}

// mixed runs a pipeline of a golearn filter, one of our transformers and a golearn classifier.
func mixed(out io.Writer, train, test base.FixedDataGrid) error {
	model := &golearn.Pipeline{
		Steps: []golearn.Step{
			// A golearn filter is bound to its training grid when it is created, so the pipeline receives a function that creates
			// it.
			golearn.Filter(func(train base.FixedDataGrid) (base.Filter, error) {
				f := filters.NewBinningFilter(train, 8)
				for _, a := range base.NonClassFloatAttributes(train) {
					if a.GetName() == "area_error" || a.GetName() == "worst_area" { // columns with long tails
						if err := f.AddAttribute(a); err != nil {
							return nil, err
						}
					}
				}
				return f, f.Train()
			}),
			golearn.Transform(&scalers.StandardScaler{}),
		},
		Final: theirs(),
	}
	if err := model.Fit(train); err != nil {
		return err
	}
	predictions, err := model.Predict(test)
	if err != nil {
		return err
	}
	confusion, err := evaluation.GetConfusionMatrix(test, predictions)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "golearn's binning filter, our StandardScaler, %s\n  test accuracy %.4f\n\n", theirName,
		evaluation.GetAccuracy(confusion))
	return nil
}

// estimator returns one of our pipelines, which computes its scales from the training rows of each fold.
func estimator() *golearn.Classifier {
	return &golearn.Classifier{Estimator: &pipeline.Classifier{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}},
		Final: &lssvm.Classifier{},
	}}
}

// crossValidated runs our estimator in golearn's cross-validation, which draws its folds at random, without a seed.
func crossValidated(out io.Writer, grid base.FixedDataGrid) error {
	folds, err := evaluation.GenerateCrossFoldValidationConfusionMatrices(grid, estimator(), 5)
	if err != nil {
		return err
	}
	mean, variance := evaluation.GetCrossValidatedMetric(folds, evaluation.GetAccuracy)
	fmt.Fprintf(out, "our StandardScaler and LS-SVM in golearn's cross-validation of 5 folds\n  accuracy: mean %.4f, variance %.6f\n\n",
		mean,
		variance)
	return nil
}

// saved writes a model to a file, reads it back, and predicts one row that has no label.
func saved(out io.Writer, train, test *base.DenseInstances) error {
	model := estimator()
	if err := model.Fit(train); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "pipeline")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model")
	if err := model.Save(path); err != nil {
		return err
	}
	again := estimator() // with the configuration of the saved model
	if err := again.Load(path); err != nil {
		return err
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}

	x, names, err := grids.Matrix(test, nil)
	if err != nil {
		return err
	}
	row, err := grids.FeatureGrid(mat.NewDense(1, len(names), mat.Row(nil, 0, x)), names)
	if err != nil {
		return err
	}
	prediction, err := again.Predict(row)
	if err != nil {
		return err
	}
	p, err := again.PredictProba(row)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "saved (%d bytes), loaded, and applied to one unlabelled row\n  %s:", info.Size(), base.GetClass(prediction, 0))
	for i, label := range again.Labels() {
		fmt.Fprintf(out, " %s %.3f", label, p.At(0, i))
	}
	fmt.Fprintf(out, " (it is %s)\n", base.GetClass(test, 0))
	return nil
}
