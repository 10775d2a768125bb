package main

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

func foldFlags() []cli.Flag {
	return []cli.Flag{
		&cli.IntFlag{Name: "folds", Value: 5,
			Usage: "the `NUMBER` of folds, each predicted by a model fitted to the others (default: 5)"},
		&cli.IntFlag{Name: "repeats", Value: 1, Usage: "the `NUMBER` of random divisions into folds; with -group only 1 (default: 1)"},
		&cli.Uint64Flag{Name: "seed", Usage: "the `SEED` of the division"},
		levelFlag(),
	}
}

func crossValidationOf(c *cli.Command) (v crossValidation, err error) {
	v = crossValidation{folds: c.Int("folds"), repeats: c.Int("repeats"), seed: c.Uint64("seed")}
	if v.folds < 2 {
		return v, usagef("-folds %d: want 2 or more", v.folds)
	}
	if v.repeats < 1 {
		return v, usagef("-repeats %d: want 1 or more", v.repeats)
	}
	v.level, err = level(c)
	return v, err
}

func evaluateCommand(s *streams) *cli.Command {
	return &cli.Command{
		Name:      "evaluate",
		Usage:     "measures how well a model predicts held-out rows of a table.",
		UsageText: "kernelearn evaluate houses.csv -target price",
		Description: "The rows are divided into folds, and each fold is predicted by a model fitted to the others.\n" +
			"Rows of a -group are in the same fold. It prints the mean of each metric over the folds with its standard error.",
		Flags:  append(append(foldFlags(), columnFlags()...), fitFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error { return evaluate(ctx, s, c) },
	}
}

func evaluate(ctx context.Context, s *streams, c *cli.Command) error {
	of, err := findMethod(c.String("method"))
	if err != nil {
		return err
	}
	v, err := crossValidationOf(c)
	if err != nil {
		return err
	}
	t, err := readToLearn(ctx, s, c)
	if err != nil {
		return err
	}
	divided, err := v.divide(t)
	if err != nil {
		return err
	}
	var bar *progressbar.Bar
	if !c.Bool("quiet") {
		bar = progressbar.New(s.progress, "evaluate", 0)
		defer bar.Finish()
	}
	got, err := v.run(ctx, of, c.Duration("budget"), t, divided, bar)
	if err != nil {
		return err
	}
	printMetrics(s.out, got, v.level)
	if t.Schema.Task != table.Classification {
		return nil
	}
	return printConfusion(s.out, t, got.labels)
}

// meanings explains the metrics.
var meanings = map[string]string{
	"NMSE": "squared error over the variance of the target; 1 is the mean",
	"R2":   "1 - NMSE",
	"RMSE": "root mean squared error, in the units of the target",
	"MAE":  "mean absolute error, in the units of the target",
	"CRPS": "error of the predicted distribution, in the units of the target",

	"coverage": "share of the rows in their intervals",
	"width":    "mean width of the intervals",

	"Accuracy":         "share predicted rightly",
	"BalancedAccuracy": "mean over the classes of the share predicted correctly",
	"MCC":              "correlation of true and predicted labels",
	"LogLoss":          "minus the mean logarithm of the probability of the class",
	"Brier":            "mean squared error of the probabilities",
	"AUC":              "chance that a row of a class has a higher probability of it than another",
}

func short(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

func printMetrics(out io.Writer, got *outOfFold, level float64) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "metric\tmean of %d folds\tstandard error\t\n", len(got.seconds))
	for _, name := range got.metrics {
		mean, standardError := got.mean(name)
		meaning := meanings[name]
		if name == "coverage" {
			meaning += fmt.Sprintf(" of probability %v", level)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", name, short(mean), short(standardError), meaning)
	}
	fmt.Fprintf(w, "seconds\t%s\t\tof a fit\n", short(floats.Sum(got.seconds)/float64(len(got.seconds))))
	w.Flush()
}

// printConfusion prints, for the rows of each class, how often each class was predicted.
func printConfusion(out io.Writer, t *table.Table, predicted []int) error {
	counts, err := metrics.NewConfusion(t.Labels, predicted, nil)
	if err != nil {
		return err
	}
	names := t.Schema.Classes()
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprint(w, "\nclass \\ predicted")
	for _, k := range counts.Classes {
		fmt.Fprintf(w, "\t%s", names[k])
	}
	fmt.Fprintln(w, "\trecall")
	for i, k := range counts.Classes {
		fmt.Fprint(w, names[k])
		for _, n := range counts.Counts[i] {
			fmt.Fprintf(w, "\t%d", n)
		}
		fmt.Fprintf(w, "\t%.3f\n", counts.Recall(k))
	}
	fmt.Fprint(w, "precision")
	for _, k := range counts.Classes {
		fmt.Fprintf(w, "\t%.3f", counts.Precision(k))
	}
	fmt.Fprintln(w)
	return w.Flush()
}
