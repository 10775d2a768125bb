package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/kernelearn/kernelearn/adapters/table"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/selection/drift"
)

func driftCommand(s *streams) *cli.Command {
	return &cli.Command{
		Name:      "drift",
		Usage:     "tests whether the rows of a new table differ from the rows of an old one.",
		UsageText: "kernelearn drift houses.csv new.csv -drop price",
		Description: "Numbers are compared by the Kolmogorov-Smirnov test, categories by χ², and all columns together by the\n" +
			"maximum mean discrepancy. " +
			"The adjusted p allows for the number of columns.\n" +
			"The new table must have the columns of the old one: leave out others by -drop.",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "drop", Usage: "`COLUMNS` to leave out, separated by commas"},
			&cli.StringMapFlag{Name: "kind", Usage: "the kind of a column, as `COLUMN=KIND`: number, category, time, text or id"},
			&cli.IntFlag{Name: "permutations", Usage: "the `NUMBER` of random divisions of the rows (default: 999)"},
			&cli.IntFlag{Name: "rows",
				Usage: "the `NUMBER` of rows of each table for the comparison of all columns together (default: 1000)"},
			&cli.Uint64Flag{Name: "seed", Usage: "the `SEED` of the random numbers"},
			&cli.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "show no progress"},
		}, formatFlags()...),
		Action: func(ctx context.Context, c *cli.Command) error { return compareTables(ctx, s, c) },
	}
}

func compareTables(ctx context.Context, s *streams, c *cli.Command) error {
	if c.Args().Len() != 2 {
		return usagef("want an old table and a new one, not %d arguments", c.Args().Len())
	}
	o := &drift.Options{Permutations: c.Int("permutations"), Rows: c.Int("rows"), Seed: c.Uint64("seed")}
	if o.Permutations < 0 {
		return usagef("-permutations %d: want 1 or more, or 0 for 999", o.Permutations)
	}
	if o.Rows < 0 || o.Rows == 1 {
		return usagef("-rows %d: want 2 or more, or 0 for 1000", o.Rows)
	}
	before, now, err := readBoth(ctx, s, c)
	if err != nil {
		return err
	}
	if !c.Bool("quiet") {
		bar := progressbar.New(s.progress, "drift", 0)
		defer bar.Finish()
		o.Observe = func(s estimators.Step) { bar.Set(s.Done, s.Message) }
	}
	o.Names, o.Categories = before.Schema.Names(), before.Schema.Categories()
	report, err := drift.Test(ctx, before.X, now.X, o)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(s.out, report)
	return err
}

// readBoth reads the old table, and then the new table with the schema of the old one.
func readBoth(ctx context.Context, s *streams, c *cli.Command) (before, now *table.Table, err error) {
	o := &table.Options{Drop: c.StringSlice("drop")}
	if o.Format, err = format(c, c.Args().Get(0)); err != nil {
		return nil, nil, err
	}
	if o.Kinds, err = kinds(c); err != nil {
		return nil, nil, err
	}
	if before, err = readTable(ctx, s, c.Args().Get(0), o); err != nil {
		return nil, nil, err
	}
	fmt.Fprintf(s.progress, "%d rows of %d columns\n%v\n", before.Rows(), len(before.Schema.Columns), before.Schema)
	by := &table.Options{Schema: before.Schema}
	if by.Format, err = format(c, c.Args().Get(1)); err != nil {
		return nil, nil, err
	}
	if now, err = readTable(ctx, s, c.Args().Get(1), by); err != nil {
		return nil, nil, err
	}
	warnOfColumns(s, now)
	return before, now, nil
}
