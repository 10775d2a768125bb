package main

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/urfave/cli/v3"
	"gonum.org/v1/gonum/floats"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/internal/progressbar"
)

func compareCommand(s *streams) *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "compares methods on the same held-out rows of a table.",
		UsageText: "kernelearn compare houses.csv -target price -methods selection,lssvm,ridge",
		Description: "Each method is cross-validated on the same folds. P is the probability of a difference from the first\n" +
			"method at least as large if both were equally good, by the corrected resampled t-test of Nadeau and Bengio\n" +
			"(2003). More -repeats make it more certain.",
		Flags: append(append([]cli.Flag{
			&cli.StringSliceFlag{Name: "methods", Usage: "`METHODS`, separated by commas: " + methodNames()},
			&cli.StringFlag{Name: "metric", Usage: "the `METRIC` of the test, as evaluate prints it (default: NMSE, or LogLoss)"},
			budgetFlag(), quietFlag(),
		}, foldFlags()...), columnFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error { return compare(ctx, s, c) },
	}
}

func compare(ctx context.Context, s *streams, c *cli.Command) error {
	names := c.StringSlice("methods")
	if len(names) < 2 {
		return usagef("want -methods, two or more of %s", methodNames())
	}
	of := make([]method, len(names))
	for i, name := range names {
		var err error
		if of[i], err = findMethod(name); err != nil {
			return err
		}
	}
	v, err := crossValidationOf(c)
	if err != nil {
		return err
	}
	t, err := readToLearn(ctx, s, c)
	if err != nil {
		return err
	}
	for _, m := range of { // checked before the first long fit
		if _, err := m.model(t.Schema.Task, 0); err != nil {
			return err
		}
	}
	if metric := c.String("metric"); metric != "" && meanings[metric] == "" {
		return usagef("-metric %q: want one of %s", metric, strings.Join(slices.Sorted(maps.Keys(meanings)), ", "))
	}
	divided, err := v.divide(t)
	if err != nil {
		return err
	}
	got := make([]*outOfFold, len(of))
	for i, m := range of {
		var bar *progressbar.Bar
		if !c.Bool("quiet") {
			bar = progressbar.New(s.progress, "compare", 0)
		}
		if got[i], err = v.run(ctx, m, c.Duration("budget"), t, divided, bar); err != nil {
			return err
		}
		if bar != nil {
			bar.Finish()
		}
	}
	metric := c.String("metric")
	if metric == "" {
		metric = "NMSE"
		if t.Schema.Task == table.Classification {
			metric = "LogLoss"
		}
	}
	return printComparison(s, names, got, metric)
}

func printComparison(s *streams, names []string, got []*outOfFold, metric string) error {
	all := got[0].metrics
	if !slices.Contains(all, metric) {
		return usagef("-metric %q: want one of %s", metric, strings.Join(all, ", "))
	}
	w := tabwriter.NewWriter(s.out, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "method\t%s\tdifference of %s\tP\tseconds of a fit\n", strings.Join(all, "\t"), metric)
	for i, o := range got {
		fmt.Fprint(w, names[i])
		for _, name := range all {
			value := "-"
			if o.values[name] != nil {
				mean, _ := o.mean(name)
				value = short(mean)
			}
			fmt.Fprint(w, "\t", value)
		}
		difference, p := "", ""
		if i > 0 && o.values[metric] != nil {
			d, err := o.difference(got[0], metric)
			if err != nil {
				return err
			}
			difference, p = fmt.Sprintf("%s ± %s", short(d.Mean), short(d.StandardError)), fmt.Sprintf("%.3f", d.P)
		}
		fmt.Fprintf(w, "\t%s\t%s\t%s\n", difference, p, short(floats.Sum(o.seconds)/float64(len(o.seconds))))
	}
	return w.Flush()
}
