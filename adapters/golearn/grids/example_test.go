package grids_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/sjwhitworth/golearn/base"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/selection/inspection"
)

const weather = `temperature,sky,play
21,sunny,yes
8,grey,no
24,sunny,yes
6,grey,no
19,grey,yes
`

func parse(text string) *base.DenseInstances {
	grid, err := grids.ParseCSV("weather.csv", strings.NewReader(text), nil)
	if err != nil {
		panic(err)
	}
	return grid
}

// This example reads a second file with the schema of the first one.
func ExampleFromTable() {
	train, err := table.ParseCSV("train", strings.NewReader(weather), &table.Options{Target: "play"})
	if err != nil {
		fmt.Println(err)
		return
	}
	test, err := table.ParseCSV("test", strings.NewReader("sky,temperature\ngrey,20\nred,\n"), &table.Options{Schema: train.Schema})
	if err != nil {
		fmt.Println(err)
		return
	}
	grid, err := grids.FromTable(test)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, columns, err := grids.Matrix(grid, nil)
	fmt.Println(columns, mat.Row(nil, 0, x), mat.Row(nil, 1, x), err)
	// Output: [temperature sky=grey sky=sunny sky=(unseen)] [20 1 0 0] [NaN 0 0 1] <nil>
}

func ExampleReadCSV() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "weather.csv")
	if err := os.WriteFile(path, []byte(weather), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	grid, err := grids.ReadCSV(path, nil) // the file has a header, and its last column is the class
	if err != nil {
		fmt.Println(err)
		return
	}
	_, rows := grid.Size()
	fmt.Println(rows, "rows, class", grid.AllClassAttributes()[0].GetName())
	// Output: 5 rows, class play
}

func ExampleParseCSV() {
	grid, err := grids.ParseCSV("rain", strings.NewReader("rain,play\n1.5,no\n,yes\n"), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	x, _, err := grids.Matrix(grid, nil)
	fmt.Println(mat.Col(nil, 0, x), err) // a gap stays a gap
	// Output: [1.5 NaN] <nil>
}

func ExampleSplit() {
	train, test, err := grids.Split(parse(weather), 0.4, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, n := train.Size()
	_, m := test.Size()
	fmt.Println(n, m)
	// Output: 3 2
}

func ExampleLabelledGrid() {
	x := mat.NewDense(3, 2, []float64{1, 2, 3, 4, 5, 6})
	grid, err := grids.LabelledGrid(x, []string{"a", "b"}, "class", []string{"no", "yes", "no"})
	if err != nil {
		fmt.Println(err)
		return
	}
	y, labels, err := grids.Labels(grid)
	fmt.Println(y, labels, err)
	// Output: [0 1 0] [no yes] <nil>
}

func ExampleFold() {
	folds, err := grids.Folds(parse(weather), 2, 1)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, f := range folds {
		fmt.Println(base.GetClassDistribution(f.Test))
	}
	// Output:
	// map[no:1 yes:2]
	// map[no:1 yes:1]
}

func ExampleStructGrid() {
	type day struct {
		Temperature float64
		Sky         string
		Play        string
	}
	train, err := grids.StructGrid([]day{{21, "sunny", "yes"}, {8, "grey", "no"}, {24, "sunny", "yes"}, {6, "grey", "no"}}, "Play")
	if err != nil {
		fmt.Println(err)
		return
	}
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := cls.Fit(train); err != nil {
		fmt.Println(err)
		return
	}
	today, err := grids.StructGrid([]day{{Temperature: 23, Sky: "sunny"}}, "")
	if err != nil {
		fmt.Println(err)
		return
	}
	pred, err := cls.Predict(today)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(base.GetClass(pred, 0))
	// Output:
	// yes
}

func ExampleWithClass() {
	bySky, err := grids.WithClass(parse(weather), "sky")
	if err != nil {
		fmt.Println(err)
		return
	}
	_, classes, err := grids.Labels(bySky)
	fmt.Println(classes, err)
	// Output:
	// [grey sunny] <nil>
}

// This example computes the importance of the columns of a grid. A category counts as one column, under its name in the grid. The
// importance on new rows would be more informative.
func ExampleMatrix_importance() {
	grid := parse(weather + "22,grey,yes\n7,sunny,no\n9,sunny,no\n25,grey,yes\n")
	cls := &golearn.Classifier{Estimator: &lssvm.Classifier{}}
	if err := cls.Fit(grid); err != nil {
		fmt.Println(err)
		return
	}
	x, columns, err := grids.Matrix(grid, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	y, _, err := grids.Labels(grid)
	if err != nil {
		fmt.Println(err)
		return
	}
	all, err := inspection.ClassifierImportances(context.Background(), cls.Fitted(), x, y, &inspection.ImportanceOptions{Names: columns})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range all.Columns {
		fmt.Println(c.Name, c.Columns, c.Mean > 0.1)
	}
	// Output:
	// temperature [0] true
	// sky [1 2] false
}
