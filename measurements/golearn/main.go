// Golearn measures the gain from changing one line of a golearn program. It compares golearn's models with the zero values of
// golearn.Classifier and golearn.Regressor, on golearn's own data sets and with golearn's own calls.
//
// It prints a table for each set. The columns are the share of correct classes, or the squared error divided by the variance of the
// targets, and the wall-clock seconds of a fit and of its predictions. The last column is the gain of the last line over each other
// line, with the corrected resampled t-test.
//
//	go run -C measurements ./golearn
//	go run -C measurements ./golearn -sets iris,titanic -splits 3
//
// The sets are those of golearn's examples folder with 100 rows or more and a column to predict. Splits are 75/25, seeded, and by
// class if there are classes. Three of golearn's models (KNN, RandomForest, LinearRegression) need a C compiler. They draw without
// a seed, so their numbers differ a little in each run.
package main

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"
	"github.com/sjwhitworth/golearn/trees"
	"gonum.org/v1/gonum/stat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/selection/validation"
)

const testFraction = 0.25

// set is a data set of golearn.
type set struct {
	name, file string
	options    table.Options
	numbers    bool // the targets are numbers instead of classes
}

var sets = []set{
	{name: "iris", file: "iris_headers.csv"},
	{name: "house-votes", file: "house-votes-84.csv"},
	{name: "titanic", file: "titanic.csv",
		options: table.Options{Format: table.Format{NoHeader: true}, Kinds: map[string]table.Kind{"3": table.Category}}},
	{name: "digits", file: "mnist_test.csv", options: table.Options{Target: "label", Task: table.Classification}},
	{name: "house-prices", file: "boston_house_prices.csv",
		options: table.Options{Format: table.Format{NoHeader: true}, Task: table.Regression}, numbers: true},
	{name: "random", file: "randomdata.csv", numbers: true},
}

// line is a line of a golearn program that constructs a model.
type line struct {
	text   string
	build  func(train base.FixedDataGrid) golearn.Model
	widest int // above this number of features, a fit takes minutes; 0: no limit
}

// The last line of classifiers is compared with all others, and so is the last line of regressors.
var classifiers = slices.Concat(theirCgoClassifiers, []line{
	{text: "trees.NewID3DecisionTree(0.6)", build: func(base.FixedDataGrid) golearn.Model { return trees.NewID3DecisionTree(0.6) }},
	{text: `trees.NewDecisionTreeClassifier("gini", 10, labels)`, build: func(base.FixedDataGrid) golearn.Model { return &cart{} }},
	{text: "&golearn.Classifier{Estimator: &lssvm.Classifier{}}",
		build: func(base.FixedDataGrid) golearn.Model { return &golearn.Classifier{Estimator: &lssvm.Classifier{}} }},
	{text: "&golearn.Classifier{}", build: func(base.FixedDataGrid) golearn.Model { return &golearn.Classifier{} }},
})

var regressors = slices.Concat(theirCgoRegressors, []line{
	{text: `trees.NewDecisionTreeRegressor("mse", 10)`, build: func(base.FixedDataGrid) golearn.Model { return &cart{numbers: true} }},
	{text: "&golearn.Regressor{Estimator: &lssvm.Regressor{}}",
		build: func(base.FixedDataGrid) golearn.Model { return &golearn.Regressor{Estimator: &lssvm.Regressor{}} }},
	{text: "&golearn.Regressor{}", build: func(base.FixedDataGrid) golearn.Model { return &golearn.Regressor{} }},
})

func main() { cli.Main("beside", run) }

func run(_ context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("beside", "beside compares estimators of kernelearn with golearn's on golearn's own data sets.", out)
	names := flags.String("sets", "", "comma separated `names`; empty: all")
	splits := flags.Int("splits", 10, "splits of a set")
	dir := flags.String("data", "", "`folder` of golearn's data sets; empty: that of the module")
	flags.AtLeast(2, "splits")
	flags.Reads("data")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := setsNamed(*names)
	if err != nil {
		return err
	}
	if *dir == "" {
		found, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/sjwhitworth/golearn").Output()
		if err != nil {
			return fmt.Errorf("-data is empty, and go list does not find golearn: %w", err)
		}
		*dir = filepath.Join(strings.TrimSpace(string(found)), "examples", "datasets")
	}
	for _, s := range chosen {
		if err := s.compare(out, *dir, *splits); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func setsNamed(names string) ([]set, error) {
	if names == "" {
		return sets, nil
	}
	var chosen []set
	for _, name := range strings.Split(names, ",") {
		i := slices.IndexFunc(sets, func(s set) bool { return s.name == name })
		if i < 0 {
			var known []string
			for _, s := range sets {
				known = append(known, s.name)
			}
			return nil, fmt.Errorf("-sets %s: no such set; there are %s", name, strings.Join(known, ", "))
		}
		chosen = append(chosen, sets[i])
	}
	return chosen, nil
}

// measured holds the scores and seconds of a line, one for each split.
type measured struct{ scores, fit, predict []float64 }

func (s set) compare(out io.Writer, dir string, splits int) error {
	grid, err := grids.ReadCSV(filepath.Join(dir, s.file), &s.options)
	if err != nil {
		return err
	}
	lines, split, what := classifiers, grids.StratifiedSplit, "accuracy"
	if s.numbers {
		lines, split, what = regressors, grids.Split, "NMSE"
	}
	features, total := grid.Size()
	features-- // without the class
	lines = slices.DeleteFunc(slices.Clone(lines), func(l line) bool { return l.widest > 0 && features > l.widest })
	all := make([]measured, len(lines))
	var rows, tested int
	for i := range splits {
		train, test, err := split(grid, testFraction, uint64(i+1))
		if err != nil {
			return err
		}
		_, rows = train.Size()
		_, tested = test.Size()
		for k, l := range lines {
			if err := all[k].add(l, train, test, s.numbers); err != nil {
				return fmt.Errorf("%s: %w", l.text, err)
			}
		}
	}
	fmt.Fprintf(out, "%s: %d × %d, %d splits\n\n", s.name, total, features, splits)
	w := tabwriter.NewWriter(out, 0, 0, 1, ' ', tabwriter.Debug)
	fmt.Fprintf(w, " line\t %s\t s of fit\t s of prediction\t the last line's gain\t\n", what)
	last := all[len(all)-1]
	for k, l := range lines {
		gain := "-"
		if k < len(lines)-1 {
			a, b := last.scores, all[k].scores
			if s.numbers { // smaller is better
				a, b = b, a
			}
			d, err := validation.PairedDifference(a, b, rows, tested)
			if err != nil {
				return err
			}
			gain = d.String()
		}
		fmt.Fprintf(w, " %s\t %.4f\t %.2g\t %.2g\t %s\t\n", l.text, stat.Mean(all[k].scores, nil), stat.Mean(all[k].fit, nil),
			stat.Mean(all[k].predict, nil), gain)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	fmt.Fprintln(out)
	return nil
}

// add fits the model of a line and scores it.
func (m *measured) add(l line, train, test *base.DenseInstances, numbers bool) error {
	cls := l.build(train)
	began := time.Now()
	if err := cls.Fit(train); err != nil {
		return err
	}
	fitted := time.Now()
	predicted, err := cls.Predict(test)
	if err != nil {
		return err
	}
	m.fit = append(m.fit, fitted.Sub(began).Seconds())
	m.predict = append(m.predict, time.Since(fitted).Seconds())
	if numbers {
		summary, err := golearn.SummarizeRegression(test, predicted)
		m.scores = append(m.scores, summary.NMSE)
		return err
	}
	confusion, err := evaluation.GetConfusionMatrix(test, predicted)
	m.scores = append(m.scores, evaluation.GetAccuracy(confusion))
	return err
}
