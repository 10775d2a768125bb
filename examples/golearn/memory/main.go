// Memory trains on data in memory (a slice of structs, slices of numbers, a gonum matrix) and predicts one row that has no label.
//
//	go run ./examples/golearn/memory
package main

import (
	"fmt"
	"log"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/cli"
)

type house struct {
	Area   float64
	Rooms  int
	Garden bool
	Town   string
	Price  float64
	owner  string // not used, because it is not exported
}

func main() {
	cli.NoFlags("memory trains on structs, slices and matrices that a program already holds, and predicts one row without a label.")
	for _, f := range []func() error{structs, slices, matrix} {
		if err := f(); err != nil {
			log.Fatal(err)
		}
	}
}

func structs() error {
	train, err := grids.StructGrid([]house{
		{60, 2, false, "Aachen", 180, "a"}, {80, 3, true, "Aachen", 260, "b"}, {120, 5, true, "Bonn", 420, "c"},
		{45, 1, false, "Bonn", 150, "d"}, {100, 4, true, "Aachen", 340, "e"}, {70, 3, false, "Bonn", 230, "f"},
	}, "Price")
	if err != nil {
		return err
	}
	reg := &golearn.Regressor{Estimator: &lssvm.Regressor{}}
	if err := reg.Fit(train); err != nil {
		return err
	}
	one, err := grids.StructGrid([]house{{Area: 90, Rooms: 3, Garden: true, Town: "Bonn"}}, "")
	if err != nil {
		return err
	}
	predictions, err := reg.Predict(one)
	if err != nil {
		return err
	}
	price, err := grids.Targets(predictions)
	if err != nil {
		return err
	}
	fmt.Printf("structs: the price is about %.0f\n", price[0])
	return nil
}

func slices() error {
	x, err := grids.Rows([][]float64{{1, 2}, {2, 1}, {8, 9}, {9, 8}})
	if err != nil {
		return err
	}
	return classify("slices", x, []string{"near", "near", "far", "far"}, mat.NewDense(1, 2, []float64{8, 8}))
}

func matrix() error {
	x := mat.NewDense(4, 2, []float64{1, 2, 2, 1, 8, 9, 9, 8})
	return classify("matrix", x, []string{"near", "near", "far", "far"}, x.Slice(0, 1, 0, 2))
}

func classify(name string, x mat.Matrix, labels []string, one mat.Matrix) error {
	train, err := grids.LabelledGrid(x, []string{"east", "north"}, "distance", labels)
	if err != nil {
		return err
	}
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := cls.Fit(train); err != nil {
		return err
	}
	row, err := grids.FeatureGrid(one, []string{"east", "north"})
	if err != nil {
		return err
	}
	predictions, err := cls.Predict(row)
	if err != nil {
		return err
	}
	fmt.Printf("%s: the row is %s\n", name, base.GetClass(predictions, 0))
	return nil
}
