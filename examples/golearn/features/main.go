// Features fits a model to words and gaps. A categorical feature becomes a column for each of its words, and the gaps of a number
// are replaced by the mean of the training rows. golearn's own parser reads a gap as 0, and its numeric models drop words silently.
//
//	go run ./examples/golearn/features
package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/cli"
)

const plants = `height,soil,kind
4.1,sand,pine
,sand,pine
3.9,?,pine
0.4,clay,moss
0.5,clay,moss
,clay,moss
`

func main() {
	cli.NoFlags("features fits a model to rows with words and gaps.")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	train, err := grids.ParseCSV("plants", strings.NewReader(plants), nil)
	if err != nil {
		return err
	}
	if err := (&golearn.Classifier{Estimator: &lssvm.Classifier{}}).Fit(train); err != nil {
		fmt.Println("without Impute:", err)
	}
	if err := (&golearn.Classifier{Estimator: &lssvm.Classifier{}, Missing: golearn.Impute, NoOneHot: true}).Fit(train); err != nil {
		fmt.Println("with NoOneHot: ", err)
	}
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}, Missing: golearn.Impute}
	if err := cls.Fit(train); err != nil {
		return err
	}
	fmt.Printf("the columns are %q\n", cls.Features())

	// The file has its columns in another order, a gap, and a soil that is missing from the training rows.
	rows, err := table.ParseCSV("test", strings.NewReader("soil,height\nclay,\npeat,4.0\n"), nil)
	if err != nil {
		return err
	}
	test, err := grids.FromTable(rows)
	if err != nil {
		return err
	}
	predictions, err := cls.Predict(test)
	if err != nil {
		return err
	}
	report, err := cls.Inspect(test)
	if err != nil {
		return err
	}
	fmt.Println(base.GetClass(predictions, 0), base.GetClass(predictions, 1), "with unseen categories", report.Unseen)
	return nil
}
