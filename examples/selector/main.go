// Selector compares the two searches for a kernel parameter, entropy and grid, on
// regression sets: test error, learner fits, kernel matrices and seconds.
//
// The sets are read from -data DIR, a folder of CSV files with the target last
// (words are one-hot encoded, gaps filled by the training median, rows without a
// target dropped). Without -data it runs on the one regression set that the
// repository ships for this.
//
//	go run ./examples/selector
//	go run ./examples/selector -data DIR -sets boston,slump
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/schollz/progressbar/v3"
	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/examples/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
)

// paperSets are the regression sets of the entropy paper that are to be had, less
// abalone, whose size makes the grid slow.
const paperSets = "airquality,auto,auto-mpg,boston,breast-prognostic,energy,prostate,slump,student,triazines,yacht"

// preprocessing is one way to scale features.
type preprocessing struct {
	name  string
	steps func() []transformers.Transformer
}

var preprocessings = []preprocessing{
	{"z-score", func() []transformers.Transformer {
		return []transformers.Transformer{&transformers.StandardScaler{}}
	}},
	{"rms, unit rows", func() []transformers.Transformer {
		return []transformers.Transformer{&transformers.RMSScaler{}, &transformers.UnitRows{}}
	}},
}

// tally is what one search cost and reached, summed over splits.
type tally struct {
	nmse, seconds  float64
	fits, matrices int
	entropy        float64
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "selector:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := flag.NewFlagSet("selector", flag.ContinueOnError)
	flags.SetOutput(progress)
	dir := flags.String("data", "", "`folder` of CSV files; empty: what the repository ships")
	sets := flags.String("sets", "", "comma separated names; empty: the entropy paper's, or diabetes-progression without -data")
	splits := flags.Int("splits", selection.DefaultSplits, "seeded 75/25 splits")
	seed := flags.Uint64("seed", 1, "of the splits")
	family := flags.String("family", "rbf", "rbf or poly")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *sets == "" {
		*sets = "diabetes-progression"
		if *dir != "" {
			*sets = paperSets
		}
	}
	families := map[string]kernels.Family{"rbf": kernels.RBFFamily{}, "poly": kernels.PolynomialFamily{}}
	chosen, ok := families[*family]
	if !ok {
		return fmt.Errorf("-family %s: want rbf or poly", *family)
	}
	names := strings.Split(*sets, ",")

	bar := progressbar.NewOptions(len(names)*len(preprocessings)**splits, progressbar.OptionSetWriter(progress),
		progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(true), progressbar.OptionClearOnFinish(), progressbar.OptionThrottle(200*time.Millisecond))
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "set\trows\tscaling\tE\tNMSE entropy\tNMSE grid\tratio\tfits\tgrid\tmatrices\tgrid\tseconds\tgrid\t")
	logs := make([]float64, len(preprocessings)) // sums of log ratios
	var total [2]tally
	for _, name := range names {
		set, err := dataset.Open(*dir, name)
		if err != nil {
			return err
		}
		if set.Y == nil {
			return fmt.Errorf("data set %s: the last column is not numeric", name)
		}
		n, _ := set.X.Dims()
		for i, p := range preprocessings {
			entropy, grid, err := compare(ctx, set, p, chosen, *splits, *seed, func() { _ = bar.Add(1) })
			if err != nil {
				return fmt.Errorf("%s, %s: %w", name, p.name, err)
			}
			k := float64(*splits)
			ratio := entropy.nmse / grid.nmse
			logs[i] += math.Log(ratio)
			fmt.Fprintf(table, "%s\t%d\t%s\t%.2f\t%.4f\t%.4f\t%.3f\t%d\t%d\t%d\t%d\t%.1f\t%.1f\t\n", name, n, p.name, entropy.entropy/k,
				entropy.nmse/k, grid.nmse/k, ratio, entropy.fits, grid.fits, entropy.matrices, grid.matrices, entropy.seconds, grid.seconds)
			for j, t := range []tally{entropy, grid} {
				total[j].fits += t.fits
				total[j].matrices += t.matrices
				total[j].seconds += t.seconds
			}
		}
	}
	if err := bar.Finish(); err != nil {
		return err
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, "\n%d splits; E is the mean entropy chosen; fits, matrices and seconds are sums over the splits. A matrix is one\nthat the search made, or one for each fit.\n\n", *splits)
	all := 0.0
	for i, p := range preprocessings {
		fmt.Fprintf(out, "geometric mean of the ratio, %-16s %.4f\n", p.name+":", math.Exp(logs[i]/float64(len(names))))
		all += logs[i]
	}
	fmt.Fprintf(out, "geometric mean of the ratio, both:            %.4f\n", math.Exp(all/float64(len(names)*len(preprocessings))))
	fmt.Fprintf(out, "learner fits     %6d against %6d: 1/%.0f\n", total[0].fits, total[1].fits, float64(total[1].fits)/float64(total[0].fits))
	fmt.Fprintf(out, "kernel matrices  %6d against %6d: 1/%.1f\n", total[0].matrices, total[1].matrices, float64(total[1].matrices)/float64(total[0].matrices))
	fmt.Fprintf(out, "seconds          %6.1f against %6.1f: 1/%.1f\n", total[0].seconds, total[1].seconds, total[1].seconds/total[0].seconds)
	return nil
}

// compare runs both searches on the same splits of a set.
func compare(ctx context.Context, set *dataset.Set, p preprocessing, family kernels.Family, splits int, seed uint64, done func()) (entropy, grid tally, err error) {
	n, _ := set.X.Dims()
	folds, err := selection.ShuffleSplit{Splits: splits, Seed: seed}.Split(n, nil)
	if err != nil {
		return entropy, grid, err
	}
	for i, f := range folds {
		xTrain, yTrain, _ := set.Rows(f.Train)
		xTest, yTest, _ := set.Rows(f.Test)
		dataset.Impute(xTrain, xTest)
		if err := entropy.add(ctx, &selection.Entropy{}, p, family, xTrain, yTrain, xTest, yTest); err != nil {
			return entropy, grid, fmt.Errorf("split %d: %w", i, err)
		}
		if err := grid.add(ctx, &selection.Grid{Splitter: selection.KFold{Folds: 3, Seed: uint64(i)}}, p, family, xTrain, yTrain, xTest, yTest); err != nil {
			return entropy, grid, fmt.Errorf("split %d: %w", i, err)
		}
		done()
	}
	return entropy, grid, nil
}

func (t *tally) add(ctx context.Context, search selection.Strategy, p preprocessing, family kernels.Family, x *mat.Dense, y []float64, xt *mat.Dense, yt []float64) error {
	r := &selection.Regressor{
		Preprocess: p.steps(), Family: family, Search: search,
		Build: func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} },
	}
	begun := time.Now()
	if err := r.Fit(ctx, x, y); err != nil {
		return err
	}
	t.seconds += time.Since(begun).Seconds()
	predicted, err := r.Predict(xt)
	if err != nil {
		return err
	}
	v, err := metrics.NMSE(yt, predicted)
	if err != nil {
		return err
	}
	res := r.Result()
	t.nmse += v
	t.entropy += res.Entropy
	t.fits += res.Fits
	t.matrices += res.KernelMatrices + res.Fits
	return nil
}
