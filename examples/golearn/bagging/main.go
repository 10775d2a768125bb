// Bagging lets several models vote, or averages their predictions, like golearn's BaggedModel. Unlike BaggedModel, golearn.Bagging
// has a seed, returns errors, and also works for numbers.
//
//	go run ./examples/golearn/bagging
package main

import (
	"fmt"
	"log"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/trees"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/internal/cli"
)

func main() {
	cli.NoFlags("bagging lets several models of kernelearn or golearn vote, or averages them.")
	if err := classes(); err != nil {
		log.Fatal(err)
	}
	if err := numbers(); err != nil {
		log.Fatal(err)
	}
}

func classes() error {
	train, test, err := thirds("breast-cancer-wdbc.csv")
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		new  func() base.Classifier
	}{
		{"least-squares SVMs", func() base.Classifier { return &golearn.Classifier{Estimator: &lssvm.Classifier{}} }},
		{"golearn's trees", func() base.Classifier { return trees.NewID3DecisionTree(0.6) }},
	} {
		bag := &golearn.Bagging{New: c.new, Models: 11, Features: 10, Seed: 1}
		if err := bag.Fit(train); err != nil {
			return err
		}
		predictions, err := bag.Predict(test)
		if err != nil {
			return err
		}
		confusion, err := evaluation.GetConfusionMatrix(test, predictions)
		if err != nil {
			return err
		}
		fmt.Printf("11 of %s: accuracy %.3f\n", c.name, evaluation.GetAccuracy(confusion))
	}
	// golearn's BaggedModel would not return this error.
	err = (&golearn.Bagging{New: func() base.Classifier { return &golearn.Classifier{Estimator: &lssvm.Classifier{Ridge: -1}} }}).Fit(train)
	fmt.Println("an error:", err)
	return nil
}

func numbers() error {
	train, test, err := thirds("diabetes-progression.csv")
	if err != nil {
		return err
	}
	bag := &golearn.Bagging{New: func() base.Classifier { return &golearn.Regressor{Estimator: &lssvm.Regressor{}} }, Fraction: 0.6,
		Seed: 1}
	if err := bag.Fit(train); err != nil {
		return err
	}
	predictions, err := bag.Predict(test)
	if err != nil {
		return err
	}
	summary, err := golearn.SummarizeRegression(test, predictions)
	if err != nil {
		return err
	}
	fmt.Print(summary)
	return nil
}

func thirds(name string) (train, test *base.DenseInstances, err error) {
	f, err := data.FS.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	grid, err := grids.ParseCSV(name, f, nil)
	if err != nil {
		return nil, nil, err
	}
	return grids.Split(grid, 1./3, 1)
}
