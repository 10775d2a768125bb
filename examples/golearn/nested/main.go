// Nested saves a pipeline of golearn filters, our transformers and another pipeline as one file, and loads it into a value with the
// same configuration. If the configuration differs, the error states the reason.
//
//	go run ./examples/golearn/nested
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/filters"
	"github.com/sjwhitworth/golearn/trees"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func main() {
	cli.NoFlags("nested saves a pipeline of golearn filters, transformers and another pipeline as one file, and loads it.")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

// model returns the configuration, which must be the same for saving and loading.
func model(bins int) *golearn.Pipeline {
	return &golearn.Pipeline{
		Steps: []golearn.Step{golearn.Transform(&scalers.StandardScaler{})},
		Final: &golearn.Pipeline{
			// The filter is created from the training grid, which is already scaled.
			Steps: []golearn.Step{golearn.Filter(func(train base.FixedDataGrid) (base.Filter, error) {
				f := filters.NewBinningFilter(train, bins)
				for _, a := range base.NonClassFloatAttributes(train) {
					if err := f.AddAttribute(a); err != nil {
						return nil, err
					}
				}
				return f, f.Train()
			})},
			Final: trees.NewID3DecisionTree(0.6),
		},
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
	dir, err := os.MkdirTemp("", "nested")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "model")

	first := model(6)
	if err := first.Fit(train); err != nil {
		return err
	}
	if err := first.Save(path); err != nil {
		return err
	}
	second := model(6)
	if err := second.Load(path); err != nil {
		return err
	}
	predictions, err := second.Predict(test)
	if err != nil {
		return err
	}
	confusion, err := evaluation.GetConfusionMatrix(test, predictions)
	if err != nil {
		return err
	}
	fmt.Printf("golearn's tree behind golearn's filter behind our scaler, from one file: accuracy %.3f\n",
		evaluation.GetAccuracy(confusion))
	fmt.Println("with other bins:", model(9).Load(path))
	return nil
}
