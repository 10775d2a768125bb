package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/gabasr"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/validation"
)

const (
	// comparedSplits is the number of splits, and of seeds, on which covariances are compared.
	comparedSplits = 3
	// comparedRows is the largest number of training rows in this comparison.
	comparedRows = 1000
	// everyone is a number of covariances that exceeds the number of sweeps of a chain.
	everyone = 1 << 20
	// otherSeeds is added to the seeds for a second run, whose differences serve as a reference.
	otherSeeds = 1000
)

// variant is a variant in the comparison. It sets how many sweeps of a chain save their covariance. The last variant saves all,
// with another seed.
type variant struct {
	label       string
	covariances int
	seed        uint64
}

var variants = []variant{{"all", everyone, 0}, {"1", 1, 0}, {"2", 2, 0}, {"4", 4, 0}, {"8", 8, 0},
	{"all, another seed", everyone, otherSeeds}}

// compared is a line of the comparison. It holds sums over the splits.
type compared struct {
	bytes, seconds, nmse, density, cover float64
	off                                  []float64 // relative differences of the standard deviations from those with all covariances
}

// compareCovariances prints costs and results for each regression set if only some sweeps of a chain save the covariance of their
// coefficients. For a set with one column, it also prints them for a forecast of the last quarter.
func (s settings) compareCovariances(ctx context.Context, sets []*dataset.Set, out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "set\trows\tcovariances\tkB\tseconds\tNMSE\tlog density\twithin 95%\tdeviations off by: median\t95%\tmost")
	for _, set := range sets {
		if set.Y == nil {
			continue
		}
		_, d := set.X.Dims()
		for _, forecast := range []bool{false, true} {
			if forecast && d > 1 {
				continue
			}
			folds, err := s.comparedFolds(set, forecast)
			if err != nil {
				return fmt.Errorf("%s: %w", set.Name, err)
			}
			lines := make([]compared, len(variants))
			for at, fold := range folds {
				if err := s.compareFold(ctx, set, fold, forecast, uint64(at), lines); err != nil {
					return fmt.Errorf("%s: %w", set.Name, err)
				}
			}
			name := set.Name
			if forecast {
				name += ", forecast"
			}
			k := float64(len(folds))
			for i, l := range lines {
				slices.Sort(l.off)
				fmt.Fprintf(t, "%s\t%d\t%s\t%.0f\t%.4f\t%.4f\t%.3f\t%.1f%%\t%.2f%%\t%.2f%%\t%.1f%%\n", name, len(folds[0].Train),
					variants[i].label,
					l.bytes/k/1000,
					l.seconds/k, l.nmse/k, l.density/k, 100*l.cover/k, 100*l.off[len(l.off)/2], 100*l.off[len(l.off)*95/100], 100*l.off[len(l.off)-1])
			}
		}
	}
	return t.Flush()
}

// comparedFolds splits a set at random. For a forecast it splits the set at a value of its column, so that only the seed of the fit
// varies.
func (s settings) comparedFolds(set *dataset.Set, forecast bool) ([]validation.Fold, error) {
	n, _ := set.X.Dims()
	folds, err := validation.ShuffleSplit{Splits: comparedSplits, TestFraction: 0.25, Seed: s.seed}.Split(n, nil)
	if err != nil {
		return nil, err
	}
	for i := range folds {
		f := &folds[i]
		if forecast {
			order := make([]int, n)
			for row := range order {
				order[row] = row
			}
			slices.SortStableFunc(order, func(a, b int) int {
				return cmp.Compare(set.X.At(a, 0), set.X.At(b, 0))
			})
			f.Train, f.Test = order[:3*n/4], order[3*n/4:]
		}
		f.Train = f.Train[max(0, len(f.Train)-comparedRows):]
		f.Test = f.Test[:min(len(f.Test), comparedRows)]
		if s.quick {
			f.Train, f.Test = f.Train[:min(len(f.Train), quickRows/5)], f.Test[:min(len(f.Test), quickRows/5)]
		}
	}
	return folds, nil
}

// compareFold adds the results of each variant on a split.
func (s settings) compareFold(ctx context.Context, set *dataset.Set, fold validation.Fold, forecast bool, at uint64,
	lines []compared) error {
	x, y, _ := set.Rows(fold.Train)
	test, truth, _ := set.Rows(fold.Test)
	x, test, err := dataset.Impute(x, test)
	if err != nil {
		return err
	}
	var all []float64
	for i, v := range variants {
		model := &gabasr.Regressor{Sweeps: sweeps, Seed: s.seed + at + v.seed, Covariances: v.covariances, Workers: s.workers}
		if forecast {
			model.Trend = 2
		}
		if err := model.Fit(ctx, x, y); err != nil {
			return err
		}
		variance, err := lines[i].add(model, test, truth)
		if err != nil {
			return err
		}
		if i == 0 {
			all = variance
		}
		for row, e := range variance {
			lines[i].off = append(lines[i].off, math.Abs(math.Sqrt(e/all[row])-1))
		}
	}
	return nil
}

// add adds the results of a model for test rows, and returns the predicted variances.
func (c *compared) add(model *gabasr.Regressor, test *mat.Dense, truth []float64) (variance []float64, err error) {
	file, err := model.MarshalBinary()
	if err != nil {
		return nil, err
	}
	begin := time.Now()
	mean, variance, err := model.PredictVariance(test)
	if err != nil {
		return nil, err
	}
	c.seconds += time.Since(begin).Seconds()
	low, high, err := model.PredictInterval(test, 0.95)
	if err != nil {
		return nil, err
	}
	nmse, err := metrics.NMSE(truth, mean, nil)
	if err != nil {
		return nil, err
	}
	density, err := metrics.LogDensity(truth, mean, variance, nil)
	if err != nil {
		return nil, err
	}
	share, _, err := metrics.Coverage(truth, low, high, nil)
	if err != nil {
		return nil, err
	}
	c.bytes += float64(len(file))
	c.nmse, c.density, c.cover = c.nmse+nmse, c.density+density, c.cover+share
	return variance, nil
}
