// Fewrows measures the cost of a separate length for each column if there are only few rows, or if some columns are noise. It
// reports the test error of shape.Search relative to that of the same kernel with one length for all columns. It does so for
// several numbers of training rows, with and without columns of pure noise. A ratio above 1 is worse than one length.
//
// The sets are read from -data DIR, a folder of CSV files with the target last. Words are one-hot encoded, missing values are
// replaced with the training median, and rows without a target are dropped. Without -data it uses the sets that the repository
// ships.
//
//	go run -C measurements ./fewrows
//	go run -C measurements ./fewrows -data DIR
//	go run -C measurements ./fewrows -data DIR -kinds -rows all -noise 0
//	go run -C measurements ./fewrows -data DIR -sets boston,prostate -rows 60 -noise 0 -splits 10 -seed 2
package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/kernels/families"
)

const (
	shippedSets = "diabetes-progression"
	// noisySets are the regression sets of the papers, except those that are free of noise (energy, slump, yacht), large (abalone,
	// california-housing), or a time series.
	noisySets = "airquality,auto,auto-mpg,boston,breast-prognostic,diabetes-progression,prostate,student,triazines"
)

func main() { cli.Main("fewrows", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("fewrows",
		"fewrows measures what learning one length for each column costs where rows are few or columns are noise.", out)
	dir := flags.String("data", "", "`folder` of CSV files; empty: the files of the repository")
	names := flags.String("sets", "", "comma separated names; empty: nine noisy regression sets of the papers, or what is shipped")
	sizes := flags.String("rows", "30,60,100,200,all", "comma separated numbers of training rows; all: three quarters of a set")
	noise := flags.String("noise", "0,50", "comma separated numbers of columns of pure noise that are added")
	splits := flags.Int("splits", 3, "75/25 splits")
	seed := flags.Uint64("seed", 1, "of the splits, the rows of a size, and the noise")
	compareKinds := flags.Bool("kinds", false, "compare kinds of kernels, all with lengths of columns, in place of ways to learn those")
	nu := flags.Float64("nu", 2.5, "of the Matérn kernel: 0.5, 1.5 or 2.5")
	flags.AtLeast(1, "splits")
	flags.Reads("data")
	if err := flags.Parse(args); err != nil {
		return err
	}
	c := comparison{splits: *splits, seed: *seed, family: families.Matern{Nu: *nu}, ways: shapes}
	if *compareKinds {
		c.ways = kinds
	}
	if !slices.Contains([]float64{.5, 1.5, 2.5}, *nu) {
		return fmt.Errorf("-nu %v: want 0.5, 1.5 or 2.5", *nu)
	}
	var err error
	if c.rows, err = numbers("rows", *sizes, 4); err != nil {
		return err
	}
	if c.noise, err = numbers("noise", *noise, 0); err != nil {
		return err
	}
	if *names == "" {
		*names = shippedSets
		if *dir != "" {
			*names = noisySets
		}
	}
	for _, name := range strings.Split(*names, ",") {
		set, err := dataset.Open(*dir, name)
		if err != nil {
			return err
		}
		if set.Y == nil {
			return fmt.Errorf("%s: its target is a class, want a number", name)
		}
		c.sets = append(c.sets, set)
	}
	bar := progressbar.New(progress, "fits", len(c.sets)**splits*len(c.rows)*len(c.noise))
	c.done = func() { bar.Add(1) }
	table, err := c.measure(ctx)
	if err != nil {
		return err
	}
	bar.Finish()
	return table.print(out)
}

// allRows stands for all training rows of a set.
const allRows = -1

// numbers parses the numbers of a flag. It also accepts "all" for the flag rows.
func numbers(name, text string, least int) ([]int, error) {
	var out []int
	for _, field := range strings.Split(text, ",") {
		v, err := strconv.Atoi(field)
		switch {
		case name == "rows" && field == "all":
			v = allRows
		case err != nil || v < least:
			return nil, fmt.Errorf("-%s %s: want numbers of at least %d", name, field, least)
		}
		out = append(out, v)
	}
	return out, nil
}
