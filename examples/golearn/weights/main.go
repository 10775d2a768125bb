// Weights gives one class, identified by its name, a larger weight than the other. It can also give all classes the same total
// weight, independent of their numbers of rows.
//
//	go run ./examples/golearn/weights
package main

import (
	"fmt"
	"log"

	"github.com/sjwhitworth/golearn/evaluation"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/internal/cli"
)

func main() {
	cli.NoFlags("weights gives one class more weight than the other.")
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
	train, test, err := grids.StratifiedSplit(grid, 0.5, 1)
	if err != nil {
		return err
	}
	for _, c := range []struct {
		name string
		cls  *golearn.Classifier
	}{
		{"as they come", &golearn.Classifier{Estimator: &svm.Classifier{}}},
		{"balanced", &golearn.Classifier{Estimator: &svm.Classifier{}, Balanced: true}},
		{"malignant × 20", &golearn.Classifier{Estimator: &svm.Classifier{}, ClassWeights: map[string]float64{"malignant": 20}}},
	} {
		if err := c.cls.Fit(train); err != nil {
			return err
		}
		predictions, err := c.cls.Predict(test)
		if err != nil {
			return err
		}
		confusion, err := evaluation.GetConfusionMatrix(test, predictions)
		if err != nil {
			return err
		}
		fmt.Printf("%-15s recall of malignant %.3f, of benign %.3f\n", c.name,
			evaluation.GetRecall("malignant", confusion), evaluation.GetRecall("benign", confusion))
	}
	return nil
}
