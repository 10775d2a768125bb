package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/atomicfile"
)

const defaultLevel = 0.95

func levelFlag() cli.Flag {
	return &cli.FloatFlag{Name: "level", Value: defaultLevel,
		Usage: "the `PROBABILITY` of intervals, between 0 and 1; 0: none (default: 0.95)"}
}

func level(c *cli.Command) (float64, error) {
	v := c.Float("level")
	if !(v >= 0 && v < 1) {
		return 0, usagef("-level %v: want a probability below 1, or 0 for no intervals", v)
	}
	return v, nil
}

func predictCommand(s *streams) *cli.Command {
	return &cli.Command{
		Name:      "predict",
		Usage:     "predicts the rows of a table, and writes the rows with added columns.",
		UsageText: "kernelearn predict price.keln new.csv -o predicted.csv",
		Description: "Columns are found by their names. The column prediction has a number with the bounds of an interval,\n" +
			"or a class with the probability of each.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "output", Aliases: []string{"o"}, Usage: "the `FILE` of the predictions (default: standard output)"},
			levelFlag(),
		}, formatFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error { return predict(ctx, s, c) },
	}
}

func predict(ctx context.Context, s *streams, c *cli.Command) error {
	if c.Args().Len() != 2 {
		return usagef("want a model and a table, not %d arguments", c.Args().Len())
	}
	of, err := level(c)
	if err != nil {
		return err
	}
	model, err := table.Load(c.Args().Get(0))
	if err != nil {
		return err
	}
	path := c.Args().Get(1)
	f, err := format(c, path)
	if err != nil {
		return err
	}
	t, err := readTable(ctx, s, path, &table.Options{Schema: model.Schema(), Format: f})
	if err != nil {
		return err
	}
	warnOfColumns(s, t)
	p, err := predictTable(model, t, of)
	if err != nil {
		return err
	}
	if c.String("output") == "" {
		return t.WriteCSV(s.out, p)
	}
	var b bytes.Buffer
	if err := t.WriteCSV(&b, p); err != nil {
		return err
	}
	return atomicfile.WriteBytes(c.String("output"), b.Bytes())
}

// predictTable returns predictions, with intervals if the model supports them.
func predictTable(model *table.Model, t *table.Table, level float64) (*table.Predictions, error) {
	if _, ok := model.Fitted().(estimators.Regressor); ok && level > 0 {
		p, err := model.PredictInterval(t, level)
		if !errors.Is(err, errors.ErrUnsupported) {
			return p, err
		}
	}
	return model.Predict(t)
}

// warnOfColumns prints the columns and levels of a table that are missing from the model.
func warnOfColumns(s *streams, t *table.Table) {
	if len(t.Ignored) > 0 {
		fmt.Fprintf(s.progress, "columns that the model does not use: %s\n", strings.Join(t.Ignored, ", "))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Unseen)) {
		fmt.Fprintf(s.progress, "column %s: %d rows with levels that are new to the model\n", name, t.Unseen[name])
	}
}
