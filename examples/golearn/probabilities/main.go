// Probabilities prints the class probabilities of single rows and the variance of predicted numbers, which golearn's own models do
// not provide.
//
//	go run ./examples/golearn/probabilities
package main

import (
	"fmt"
	"log"
	"math"

	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/examples/data"
	"github.com/kernelearn/kernelearn/internal/cli"
)

func main() {
	cli.NoFlags("probabilities prints the class probabilities of single rows and the variance of predicted numbers.")
	if err := classes(); err != nil {
		log.Fatal(err)
	}
	if err := numbers(); err != nil {
		log.Fatal(err)
	}
}

func classes() error {
	train, test, err := halves("breast-cancer-wdbc.csv")
	if err != nil {
		return err
	}
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := cls.Fit(train); err != nil {
		return err
	}
	p, err := cls.PredictProba(test)
	if err != nil {
		return err
	}
	fmt.Println("row", cls.Labels())
	for i := range 3 {
		fmt.Printf("%3d %.3f (it is %s)\n", i, p.RawRowView(i), base.GetClass(test, i))
	}
	return nil
}

func numbers() error {
	train, test, err := halves("diabetes-progression.csv")
	if err != nil {
		return err
	}
	reg := &golearn.Regressor{Estimator: &rvm.Regressor{}}
	if err := reg.Fit(train); err != nil {
		return err
	}
	mean, variance, err := reg.PredictVariance(test)
	if err != nil {
		return err
	}
	y, err := grids.Targets(test)
	if err != nil {
		return err
	}
	inside := 0
	for i := range y {
		if math.Abs(y[i]-mean[i]) < 1.96*math.Sqrt(variance[i]) {
			inside++
		}
	}
	fmt.Printf("%s of row 0: %.0f ± %.0f (it is %.0f)\n", reg.Target(), mean[0], 1.96*math.Sqrt(variance[0]), y[0])
	fmt.Printf("inside their 95%% intervals: %d of %d\n", inside, len(y))
	return nil
}

func halves(name string) (train, test *base.DenseInstances, err error) {
	f, err := data.FS.Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	grid, err := grids.ParseCSV(name, f, nil)
	if err != nil {
		return nil, nil, err
	}
	return grids.Split(grid, 0.5, 1)
}
