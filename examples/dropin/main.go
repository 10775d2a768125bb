// Dropin is a typical golearn program in which one line is changed to use one of our estimators. It prints golearn's own summary
// for both classifiers.
//
//	go run ./examples/dropin
//	go run ./examples/dropin -data DIR
package main

import (
	"context"
	"fmt"
	"io"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
)

func main() { cli.Main("dropin", run) }

func run(_ context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("dropin",
		"dropin runs a golearn program twice: unchanged, and with one line changed to use a classifier of kernelearn.", out)
	dir := flags.String("data", "", "`folder` of CSV files; empty: the files of the repository")
	flags.Reads("data")
	if err := flags.Parse(args); err != nil {
		return err
	}
	fmt.Fprintf(out, "BEFORE: %s\n\n", beforeName)
	if err := program(out, *dir, before()); err != nil {
		return err
	}

	// This is the only line that changes. Before:
	//
	//	cls := knn.NewKnnClassifier("euclidean", "linear", 3)
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}

	fmt.Fprintf(out, "\nAFTER: kernelearn's least-squares SVM, with one line changed\n\n")
	return program(out, *dir, cls)
}

// program is the golearn code, which does not depend on the classifier.
func program(out io.Writer, dir string, cls base.Classifier) error {
	f, err := dataset.Folder(dir).Open("breast-cancer-wdbc.csv")
	if err != nil {
		return err
	}
	defer f.Close()
	rawData, err := grids.ParseCSV("breast-cancer-wdbc.csv", f, nil)
	if err != nil {
		return err
	}

	// base.InstancesTrainTestSplit would work too, but its split is not reproducible.
	trainData, testData, err := grids.Split(rawData, 0.50, 1)
	if err != nil {
		return err
	}
	if err := cls.Fit(trainData); err != nil {
		return err
	}
	predictions, err := cls.Predict(testData)
	if err != nil {
		return err
	}

	confusion, err := evaluation.GetConfusionMatrix(testData, predictions)
	if err != nil {
		return err
	}
	fmt.Fprintln(out, evaluation.GetSummary(confusion))
	return nil
}
