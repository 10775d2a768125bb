// Selection chooses the kernel in a golearn program and prints the trace of its search.
//
//	go run ./examples/golearn/selection
package main

import (
	"fmt"
	"log"

	"github.com/sjwhitworth/golearn/evaluation"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func main() {
	cli.NoFlags("selection chooses the kernel inside golearn code and prints the kernels of its search.")
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
	cls := &golearn.Classifier{Estimator: &selection.Classifier{Preprocess: []transformers.Transformer{&scalers.StandardScaler{}},
		Search: &entropy.Search{}}}
	if err := cls.Fit(train); err != nil {
		return err
	}
	predictions, err := cls.Predict(test)
	if err != nil {
		return err
	}
	confusion, err := evaluation.GetConfusionMatrix(test, predictions)
	if err != nil {
		return err
	}
	result := cls.Fitted().(*selection.Classifier).Result()
	fmt.Printf("accuracy %.3f with %v, out of %d kernels:\n", evaluation.GetAccuracy(confusion), result.Kernel, len(result.Trace))
	for _, step := range result.Trace {
		fmt.Printf("  parameter %.4g, entropy %.3f\n", step.Param, step.Entropy)
	}
	return nil
}
