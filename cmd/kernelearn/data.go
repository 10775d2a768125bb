package main

import (
	"bufio"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v3"

	"github.com/kernelearn/kernelearn/adapters/table"
)

// formatFlags returns the flags for the format of the cells of a table.
func formatFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "comma", Usage: "the `MARK` between cells; \\t is a tab (default: a comma; for .tsv files a tab)"},
		&cli.StringFlag{Name: "decimal", Usage: "the decimal `MARK` of numbers (default: a point)"},
		&cli.StringFlag{Name: "thousands", Usage: "the `MARK` between groups of three digits"},
		&cli.BoolFlag{Name: "percent", Usage: "read 10% as 0.1"},
		&cli.BoolFlag{Name: "no-header", Usage: "the first line is a row, and columns are named 0, 1, ..."},
		&cli.BoolFlag{Name: "latin1", Usage: "the file is Latin-1 as Windows writes it"},
		&cli.StringSliceFlag{Name: "missing",
			Usage: "`CELLS` that are gaps, separated by commas (default: the usual ones, such as NA and ?)"},
		&cli.BoolFlag{Name: "words-as-gaps", Usage: "treat words in a column of nearly all numbers as gaps"},
	}
}

// columnFlags returns the flags for the purposes of the columns of a table.
func columnFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "target", Aliases: []string{"t"}, Usage: "the `COLUMN` to predict"},
		&cli.StringFlag{Name: "task",
			Usage: "the `TASK`, regression or classification (default: classes of words and of two whole numbers, else numbers)"},
		&cli.StringFlag{Name: "group", Usage: "the `COLUMN` with the group of each row, such as a patient's number"},
		&cli.StringFlag{Name: "weight", Usage: "the `COLUMN` of the weights of rows"},
		&cli.StringSliceFlag{Name: "drop", Usage: "`COLUMNS` to leave out, separated by commas"},
		&cli.StringMapFlag{Name: "kind", Usage: "the kind of a column, as `COLUMN=KIND`: number, category, time, text or id"},
	}, formatFlags()...)
}

// oneRune returns the character that a flag sets. Any other text is an error.
func oneRune(c *cli.Command, name string) (rune, error) {
	text := strings.ReplaceAll(c.String(name), `\t`, "\t")
	if text == "" {
		return 0, nil
	}
	r, size := utf8.DecodeRuneInString(text)
	if size < len(text) {
		return 0, usagef("-%s %q: want one character", name, text)
	}
	return r, nil
}

func format(c *cli.Command, path string) (f table.Format, err error) {
	f = table.Format{NoHeader: c.Bool("no-header"), Percent: c.Bool("percent"), WordsAsGaps: c.Bool("words-as-gaps"),
		Latin1: c.Bool("latin1")}
	if c.IsSet("missing") { // nil selects the defaults
		f.Missing = c.StringSlice("missing")
	}
	if f.Comma, err = oneRune(c, "comma"); err != nil {
		return f, err
	}
	if f.Comma == 0 && slices.Contains(strings.Split(filepath.Base(path), "."), "tsv") {
		f.Comma = '\t'
	}
	if f.Decimal, err = oneRune(c, "decimal"); err != nil {
		return f, err
	}
	f.Thousands, err = oneRune(c, "thousands")
	return f, err
}

// options returns the options with which a table is read for a fit.
func options(c *cli.Command, path string) (*table.Options, error) {
	o := &table.Options{Target: c.String("target"), Group: c.String("group"), Weight: c.String("weight"), Drop: c.StringSlice("drop")}
	var err error
	if o.Format, err = format(c, path); err != nil {
		return nil, err
	}
	if task := c.String("task"); task != "" {
		if err := o.Task.UnmarshalText([]byte(task)); err != nil || o.Task == table.Auto {
			return nil, usagef("-task %q: want regression or classification", task)
		}
	}
	if o.Target == "" && !svmlight(path) {
		return nil, usagef("want -target, the column to predict")
	}
	o.Kinds, err = kinds(c)
	return o, err
}

// kinds returns the kinds of columns that the flag sets, or nil if it is not set.
func kinds(c *cli.Command) (out map[string]table.Kind, err error) {
	for column, kind := range c.StringMap("kind") {
		var k table.Kind
		if err := k.UnmarshalText([]byte(kind)); err != nil {
			return nil, usagef("-kind %s=%s: want number, category, time, text or id", column, kind)
		}
		if out == nil {
			out = map[string]table.Kind{}
		}
		out[column] = k
	}
	return out, nil
}

// extension returns the ending of a file's name, without .gz.
func extension(path string) string {
	return strings.ToLower(filepath.Ext(strings.TrimSuffix(path, ".gz")))
}

func svmlight(path string) bool {
	return slices.Contains([]string{".svm", ".svmlight", ".libsvm"}, extension(path))
}

// readTable reads a file in the format that its extension indicates, or a CSV file from standard input.
func readTable(_ context.Context, s *streams, path string, o *table.Options) (*table.Table, error) {
	switch {
	case path == "-":
		return table.ParseCSV("standard input", bufio.NewReader(s.in), o)
	case svmlight(path):
		return table.ReadSVMLight(path, o)
	case extension(path) == ".arff":
		return table.ReadARFF(path, o)
	}
	return table.ReadCSV(path, o)
}

// readToLearn reads the table that is the only argument, and must have a target.
func readToLearn(ctx context.Context, s *streams, c *cli.Command) (*table.Table, error) {
	if c.Args().Len() != 1 {
		return nil, usagef("want one table, not %d arguments", c.Args().Len())
	}
	path := c.Args().First()
	o, err := options(c, path)
	if err != nil {
		return nil, err
	}
	t, err := readTable(ctx, s, path, o)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(s.progress, "%d rows of %d columns\n%v\n", t.Rows(), len(t.Schema.Columns), t.Schema)
	return t, nil
}
