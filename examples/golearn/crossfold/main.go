// Crossfold cross-validates on reproducible stratified folds, and compares regressors with golearn-like summaries for each fold.
//
//	go run ./examples/golearn/crossfold
package main

import (
	"context"
	"fmt"
	"log"
	"math"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/internal/cli"
)

func main() {
	cli.NoFlags("crossfold cross-validates classifiers and regressors on golearn's data, with reproducible folds.")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	ctx := context.Background()
	cancer, err := read("breast-cancer-wdbc.csv")
	if err != nil {
		return err
	}
	folds, err := golearn.CrossValidateClassifier(ctx, cancer, &golearn.Classifier{Estimator: &lssvm.Classifier{}}, 5, 1)
	if err != nil {
		return err
	}
	mean, variance := evaluation.GetCrossValidatedMetric(folds, evaluation.GetAccuracy)
	fmt.Printf("accuracy %.3f (+/- %.3f)\n\n", mean, 2*math.Sqrt(variance))

	diabetes, err := read("diabetes-progression.csv")
	if err != nil {
		return err
	}
	for _, model := range []base.Classifier{
		&golearn.Regressor{Estimator: &ridge.Regressor{}},
		&golearn.Regressor{Estimator: &lssvm.Regressor{}},
	} {
		folds, err := golearn.CrossValidateRegressor(ctx, diabetes, model, 5, 1)
		if err != nil {
			return err
		}
		fmt.Printf("%v, the first of %d folds:\n%v\n", model, len(folds), folds[0])
	}
	return nil
}

func read(name string) (*base.DenseInstances, error) {
	f, err := data.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return grids.ParseCSV(name, f, nil)
}
