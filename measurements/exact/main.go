// Exact measures regressors for many rows, on the splits that github.com/treforevans/uci_datasets contains for each of its sets. It
// reports the root mean squared error and the negative log density of the standardised target, the share of test rows in the 95%
// intervals, the seconds, and the peak memory of the process.
//
//	git clone https://github.com/treforevans/uci_datasets
//	go run -C measurements ./exact -uci uci_datasets
//	go run -C measurements ./exact -uci uci_datasets -sets kin40k -rows 10000 -methods selection,falkon
//
// The method matern has one kernel, whose lengths maximise the evidence of 2000 rows. The method gradient continues from these
// lengths with the evidence of all rows.
//
// The methods of benchmark/peers/cells.py, such as catboost-tuned, lightgbm-tuned and gpytorch, need -python. The method base is
// the selection of another checkout of this library:
//
//	git worktree add --detach ../base 33c38d1
//	go run -C measurements ./exact -uci uci_datasets -base ../../base -methods base,selection -repeat 2
//
// Each of these methods runs in a process of its own. To measure the memory of a method of this checkout, run it alone.
package main

import (
	"compress/gzip"
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/linalg"
	"github.com/kernelearn/kernelearn/measurements/internal/peak"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// level is the nominal coverage of the intervals.
const level = 0.95

func main() { cli.Main("exact", run) }

// methods holds a constructor for each method, by name.
var methods = map[string]func() estimators.Regressor{
	"selection": func() estimators.Regressor { return &selection.Regressor{} },
	"falkon":    func() estimators.Regressor { return standardised(&falkon.Regressor{}) },
	"lssvm":     func() estimators.Regressor { return standardised(&lssvm.Regressor{}) },
	"matern":    func() estimators.Regressor { return oneMatern() },
	"gradient":  func() estimators.Regressor { return &gradientMatern{iterations: 12} },
}

// baseMethod is the name of the method that is the selection of another checkout.
const baseMethod = "base"

// repeated returns a list that contains names the given number of times.
func repeated(names []string, times int) (out []string) {
	for range times {
		out = append(out, names...)
	}
	return out
}

func standardised(final estimators.Regressor) estimators.Regressor {
	return &pipeline.Regressor{Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: final}
}

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("exact", "exact measures regressors of many rows on the splits of github.com/treforevans/uci_datasets.", out)
	uci := flags.String("uci", "", "the `folder` of a clone of github.com/treforevans/uci_datasets")
	sets := flags.String("sets", "pol,elevators,kin40k,protein,keggdirected", "comma separated `names`")
	names := flags.String("methods", "selection",
		"comma separated `names`: selection, falkon, lssvm, matern, gradient, base, and those of benchmark/peers/cells.py")
	splits := flags.String("splits", "0", "comma separated `numbers`")
	python := flags.String("python", "", "a Python `program` with the libraries of other methods")
	script := flags.String("script", "benchmark/peers/cells.py", "the Python `file` with those methods")
	base := flags.String("base", "", "the `folder` of a checkout whose selection is the method base")
	repeat := flags.Int("repeat", 1, "how often each cell is measured, the methods in turns")
	rows := flags.Int("rows", 0, "most training rows, drawn with the split for a seed; 0: all")
	budget := flags.Duration("budget", 0, "the Budget of the method selection; 0: none")
	flags.AtLeast(0, "rows")
	flags.AtLeast(1, "repeat")
	flags.Reads("uci", "base")
	flags.Runs("python", "script")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *uci == "" {
		return errors.New("want -uci")
	}
	other := external{python: *python, script: *script, env: []string{"BENCHMARK_THREADS=" + strconv.Itoa(runtime.GOMAXPROCS(0))}}
	for _, name := range strings.Split(*names, ",") {
		if methods[name] == nil && (name == baseMethod && *base == "" || name != baseMethod && *python == "") {
			return fmt.Errorf("-methods: %q, want selection, falkon, lssvm, matern or gradient, base with -base, or another library's with -python", name)
		}
	}
	if *base != "" {
		dir, err := os.MkdirTemp("", "exact")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		if other.base, err = buildBase(ctx, *base, dir); err != nil {
			return err
		}
	}
	fmt.Fprintf(out, "%-13s %5s %6s %-14s %7s %7s %9s %7s %7s %6s\n",
		"set", "split", "rows", "method", "RMSE", "NLPD", "intervals", "seconds",
		"predict", "GiB")
	for _, set := range strings.Split(*sets, ",") {
		for _, text := range strings.Split(*splits, ",") {
			split, err := strconv.Atoi(text)
			if err != nil {
				return fmt.Errorf("-splits: %w", err)
			}
			p, err := read(filepath.Join(*uci, "uci_datasets", set), split, *rows)
			if err != nil {
				return fmt.Errorf("%s: %w", set, err)
			}
			for _, name := range repeated(strings.Split(*names, ","), *repeat) {
				var c cell
				if made, ours := methods[name]; ours {
					e := made()
					if r, ok := e.(*selection.Regressor); ok {
						r.Budget = *budget
					}
					c, err = p.measure(ctx, e)
				} else {
					c, err = other.measure(ctx, name, p)
				}
				if err != nil {
					return fmt.Errorf("%s: %s: %w", set, name, err)
				}
				fmt.Fprintf(out, "%-13s %5d %6d %-14s %7.4f %7.3f %8.1f%% %7.1f %7.2f %6.1f\n", set, split, len(p.y), name, c.rmse, c.nlpd,
					100*c.covered, c.fit.Seconds(), c.predict.Seconds(), c.gib)
			}
		}
	}
	return nil
}

// problem is a split of a set. Its targets are divided by the standard deviation of the training rows.
type problem struct {
	x, xNew *mat.Dense
	y, yNew []float64
}

// read reads a split of a set, with at most the given number of training rows.
func read(dir string, split, most int) (*problem, error) {
	data, err := table(filepath.Join(dir, "data.csv.gz"))
	if err != nil {
		return nil, err
	}
	mask, err := table(filepath.Join(dir, "test_mask.csv.gz"))
	if err != nil {
		return nil, err
	}
	n, d := data.Dims()
	if m, k := mask.Dims(); m != n || split < 0 || split >= k {
		return nil, fmt.Errorf("split %d of %d, of %d rows where the set has %d", split, k, m, n)
	}
	var train, test []int
	for i := range n {
		if mask.At(i, split) > 0 {
			test = append(test, i)
		} else {
			train = append(train, i)
		}
	}
	if most > 0 && len(train) > most {
		order := rand.New(rand.NewPCG(1, uint64(split))).Perm(len(train))[:most]
		train = linalg.Pick(train, order)
	}
	p := &problem{}
	part := func(rows []int) (*mat.Dense, []float64) {
		all := linalg.Rows(data, rows)
		return mat.DenseCopyOf(all.Slice(0, len(rows), 0, d-1)), mat.Col(nil, d-1, all)
	}
	p.x, p.y = part(train)
	p.xNew, p.yNew = part(test)
	mean, deviation := stat.PopMeanStdDev(p.y, nil)
	for _, y := range [][]float64{p.y, p.yNew} {
		floats.AddConst(-mean, y)
		floats.Scale(1/deviation, y)
	}
	return p, nil
}

// table reads a table of numbers. True and False are read as 1 and 0.
func table(path string) (*mat.Dense, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	r := csv.NewReader(z)
	r.TrimLeadingSpace = true
	lines, err := r.ReadAll()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if len(lines) == 0 {
		return nil, fmt.Errorf("%s: no rows", path)
	}
	words := []string{"False", "True"}
	out := mat.NewDense(len(lines), len(lines[0]), nil)
	for i, line := range lines {
		for j, cell := range line {
			cell = strings.TrimSpace(cell)
			v := float64(slices.Index(words, cell))
			if v < 0 {
				if v, err = strconv.ParseFloat(cell, 64); err != nil {
					return nil, fmt.Errorf("%s: row %d, column %d: %w", path, i, j, err)
				}
			}
			out.Set(i, j, v)
		}
	}
	return out, nil
}

// cell holds the measurements of a method on a split.
type cell struct {
	rmse, nlpd, covered float64
	fit, predict        time.Duration
	gib                 float64
}

func (p *problem) measure(ctx context.Context, r estimators.Regressor) (c cell, err error) {
	peak.Reset()
	begun := time.Now()
	if err := r.Fit(ctx, p.x, p.y); err != nil {
		return c, err
	}
	c.fit = time.Since(begun)
	begun = time.Now()
	if _, err := r.Predict(p.xNew); err != nil {
		return c, err
	}
	c.predict = time.Since(begun)
	mean, variance, err := r.(estimators.VariancePredictor).PredictVariance(p.xNew)
	if err != nil {
		return c, err
	}
	low, high, err := r.(estimators.IntervalPredictor).PredictInterval(p.xNew, level)
	if err != nil {
		return c, err
	}
	c.score(p.yNew, mean, variance, low, high)
	if most := peak.Bytes(); most != nil {
		c.gib = float64(*most) / (1 << 30)
	}
	return c, nil
}

// score computes the scores of predictions. Without variances, it computes only the error, and all other scores are NaN. Without
// bounds of intervals, it uses those of the normal distribution.
func (c *cell) score(truth, mean, variance, low, high []float64) {
	n, normal := float64(len(truth)), distuv.UnitNormal.Quantile((1+level)/2)
	for i, y := range truth {
		e := y - mean[i]
		c.rmse += e * e / n
		if variance == nil {
			c.nlpd, c.covered = math.NaN(), math.NaN()
			continue
		}
		c.nlpd += (math.Log(2*math.Pi*variance[i]) + e*e/variance[i]) / (2 * n)
		half := normal * math.Sqrt(variance[i])
		if low == nil && math.Abs(e) <= half || low != nil && low[i] <= y && y <= high[i] {
			c.covered += 1 / n
		}
	}
	c.rmse = math.Sqrt(c.rmse)
}
