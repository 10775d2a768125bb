// Places uses estimators of this module where golearn accepts a classifier: in its confusion matrix and summary, its
// cross-validation, its bagging and its one-versus-all.
//
//	go run ./examples/golearn/places
package main

import (
	"fmt"
	"log"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/meta"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func main() {
	cli.NoFlags("places puts estimators of kernelearn where golearn takes a classifier.")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	f, err := data.FS.Open("breast-cancer-wdbc.csv")
	if err != nil {
		return err
	}
	defer f.Close()
	grid, err := grids.ParseCSV("breast-cancer-wdbc.csv", f, nil)
	if err != nil {
		return err
	}
	// A third of the rows suffices, so that the program runs for only a few seconds.
	_, grid, err = grids.StratifiedSplit(grid, 0.33, 1)
	if err != nil {
		return err
	}
	train, test, err := grids.StratifiedSplit(grid, 0.5, 1)
	if err != nil {
		return err
	}
	fmt.Printf("%-22s %-8s %-12s %-8s %s\n", "accuracy", "alone", "folds of 3", "bagged", "one against all")
	for _, e := range []estimators.Classifier{
		&lssvm.Classifier{}, &svm.Classifier{}, &rvm.Classifier{}, &eem.Classifier{Units: 50}, &eem.KernelClassifier{},
		&elm.Classifier{Units: 50, Ridge: 1, Balanced: true},
	} {
		build := func() base.Classifier {
			return &golearn.Classifier{Estimator: &pipeline.Classifier{Steps: []transformers.Transformer{&scalers.StandardScaler{}},
				Final: e}}
		}
		fmt.Printf("%-22T", e)
		if err := everywhere(build, train, test); err != nil {
			return err
		}
	}
	return nil
}

// everywhere is golearn code, which also works with a golearn classifier.
func everywhere(build func() base.Classifier, train, test base.FixedDataGrid) error {
	cls := build()
	if err := cls.Fit(train); err != nil {
		return err
	}
	alone, err := cls.Predict(test)
	if err != nil {
		return err
	}
	folds, err := evaluation.GenerateCrossFoldValidationConfusionMatrices(train, build(), 3)
	if err != nil {
		return err
	}
	mean, _ := evaluation.GetCrossValidatedMetric(folds, evaluation.GetAccuracy)
	bag := new(meta.BaggedModel)
	for range 3 {
		bag.AddModel(build())
	}
	bag.Fit(train)
	bagged, err := bag.Predict(test)
	if err != nil {
		return err
	}
	ova := meta.NewOneVsAllModel(func(string) base.Classifier { return build() })
	ova.Fit(train)
	against, err := ova.Predict(test)
	if err != nil {
		return err
	}
	var accuracy []any
	for _, predicted := range []base.FixedDataGrid{alone, bagged, against} {
		confusion, err := evaluation.GetConfusionMatrix(test, predicted)
		if err != nil {
			return err
		}
		accuracy = append(accuracy, evaluation.GetAccuracy(confusion))
	}
	fmt.Printf(" %-8.3f %-12.3f %-8.3f %.3f\n", accuracy[0], mean, accuracy[1], accuracy[2])
	return nil
}
