// Directkernel reproduces the direct-kernel paper (Embrechts, IJCNN 2004). It runs the chain in the paper's Figures 2 and 3:
// Mahalanobis scaling, kernel, centring and ridge. It also tests the claim that the heuristic ridge, equation (20), is nearly as
// good as a tuned one.
//
// For each set it prints three test errors: with the heuristic ridge, with the ridge of exact leave-one-out, and with the best of
// 17 ridges on the test rows, which no user can know. The last column is the largest difference between the predictions of the
// chain and of package lssvm, in standard deviations of the target.
//
// The kernel is the RBF with γ = 1/median squared distance, whereas the paper tunes σ.
//
//	go run -C measurements ./papers/directkernel
//	go run -C measurements ./papers/directkernel -data DIR
//	go run -C measurements ./papers/directkernel -data DIR -sets boston,heart -splits 20
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
)

const (
	shippedSets = "diabetes-progression,breast-cancer-wdbc"
	defaultSets = "airquality,auto,auto-mpg,boston,breast-prognostic,diabetes-progression,energy,prostate,slump,student,triazines,yacht," +
		"australian,blood-transfusion,breast-cancer,diabetes-pima,german-numer,heart,ionosphere,liver-disorders,sonar,splice"
)

func main() { cli.Main("directkernel", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("directkernel",
		"directkernel reproduces the direct-kernel paper: its chain of transformations and its heuristic ridge.", out)
	dir := flags.String("data", "", "`folder` of CSV files; empty: the files of the repository")
	names := flags.String("sets", "", "comma separated names; empty: 22 sets of up to 1000 rows, or what is shipped")
	splits := flags.Int("splits", 10, "75/25 splits")
	seed := flags.Uint64("seed", 1, "of the splits")
	flags.AtLeast(1, "splits")
	flags.Reads("data")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *names == "" {
		*names = shippedSets
		if *dir != "" {
			*names = defaultSets
		}
	}
	var sets []*dataset.Set
	for _, name := range strings.Split(*names, ",") {
		set, err := dataset.Open(*dir, name)
		if err != nil {
			return err
		}
		sets = append(sets, set)
	}
	bar := progressbar.New(progress, "splits", len(sets)**splits)
	var text strings.Builder // printed after the progress bar has finished
	if err := tables(ctx, &text, sets, *splits, *seed, func() { bar.Add(1) }); err != nil {
		return err
	}
	bar.Finish()
	_, err := fmt.Fprint(out, text.String())
	return err
}

func tables(ctx context.Context, out io.Writer, sets []*dataset.Set, splits int, seed uint64, done func()) error {
	for _, kind := range []struct {
		regression bool
		heading    string
	}{{true, "test NMSE"}, {false, "test error, share of rows"}} {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(table, "set\ttraining rows\tcolumns\tridge heuristic\tleave-one-out\terror "+
			"heuristic\tleave-one-out\tbest\theuristic / "+
			"leave-one-out\tchain - lssvm\t")
		count, logs, worst := 0.0, 0.0, 0.0
		for _, set := range sets {
			if (set.Y != nil) != kind.regression {
				continue
			}
			o, err := compare(ctx, set, splits, seed, done)
			if err != nil {
				return fmt.Errorf("%s: %w", set.Name, err)
			}
			_, d := set.X.Dims()
			ratio := o.heuristic / o.leaveOneOut
			fmt.Fprintf(table, "%s\t%d\t%d\t%.4f\t%.4f\t%.4f\t%.4f\t%.4f\t%.3f\t%.1g\t\n", set.Name, o.rows, d,
				lssvm.HeuristicRidge(o.rows), math.Exp(o.logRidge), o.heuristic, o.leaveOneOut, o.best, ratio, o.difference)
			count, logs, worst = count+1, logs+math.Log(ratio), max(worst, o.difference)
		}
		if count == 0 {
			continue
		}
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintf(out, "\n%s, means of %d splits; the ridge of leave-one-out is a geometric mean.\n", kind.heading, splits)
		fmt.Fprintf(out, "heuristic over leave-one-out, geometric mean: %.3f\n", math.Exp(logs/count))
		fmt.Fprintf(out, "the chain differs from lssvm by at most %.1g\n\n", worst)
	}
	return nil
}
