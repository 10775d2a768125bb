// Sources trains on an ARFF file that golearn reads. It predicts the rows of a CSV file whose columns and categories have another
// order, and the rows of a dataframe-go frame. Then it chooses another column as the class.
//
//	go run ./examples/golearn/sources
package main

import (
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/rocketlaunchr/dataframe-go"
	"github.com/sjwhitworth/golearn/base"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/cli"
)

const arff = `@relation weather
@attribute sky {grey,sunny}
@attribute temperature real
@attribute play {no,yes}
@data
sunny,21,yes
grey,8,no
sunny,24,yes
grey,6,no
grey,19,yes
`

func main() {
	cli.NoFlags("sources trains on an ARFF file and predicts the rows of a CSV file and of a data frame.")
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	dir, err := os.MkdirTemp("", "sources")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weather.arff")
	if err := os.WriteFile(path, []byte(arff), 0o600); err != nil {
		return err
	}
	train, err := base.ParseDenseARFFToInstances(path)
	if err != nil {
		return err
	}
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := cls.Fit(train); err != nil {
		return err
	}

	csv, err := grids.ParseCSV("csv", strings.NewReader("play,temperature,sky\nyes,22,sunny\nno,7,grey\n"),
		&table.Options{Target: "play"})
	if err != nil {
		return err
	}
	frame := base.ConvertDataFrameToInstances(dataframe.NewDataFrame(
		dataframe.NewSeriesString("play", nil, "no", "yes"),
		dataframe.NewSeriesString("sky", nil, "grey", "sunny"),
		dataframe.NewSeriesFloat64("temperature", nil, 5.0, 25.0),
	), 0)
	for _, test := range []base.FixedDataGrid{csv, frame} {
		predictions, err := cls.Predict(test)
		if err != nil {
			return err
		}
		for i := range 2 {
			fmt.Printf("play: %s (it is %s)\n", base.GetClass(predictions, i), base.GetClass(test, i))
		}
	}

	bySky, err := grids.WithClass(train, "sky")
	if err != nil {
		return err
	}
	if err := cls.Fit(bySky); err != nil {
		return err
	}
	predictions, err := cls.Predict(bySky)
	if err != nil {
		return err
	}
	fmt.Printf("from %q the sky: %s (it is %s)\n", cls.Features(), base.GetClass(predictions, 0), base.GetClass(bySky, 0))
	return nil
}
