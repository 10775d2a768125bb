// Categories compares treatments of columns of names: a column of 0 and 1 for each name, the mean target of each name, and
// categories of the kernel. Each treatment is a step before selection with default settings.
//
// The tables are CSV files in -data DIR with the target last. A column with a cell that is not a number is a category. If a cell of
// the target is not a number, the target is a class. tables.R writes the tables of docs/measured/kinds.md from packages of R.
//
//	Rscript measurements/categories/tables.R DIR
//	go run -C measurements ./categories -data DIR
package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"gonum.org/v1/gonum/mat"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
)

// mostTested is the largest number of test rows of a split.
const mostTested = 3000

func main() { cli.Main("categories", run) }

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("categories", "categories compares what can be made of columns of names.", out)
	dir := flags.String("data", "", "`folder` of CSV files with the target last")
	rows := flags.Int("rows", 1000, "training rows, at most three quarters of a table")
	splits := flags.Int("splits", 3, "of each table")
	seed := flags.Uint64("seed", 1, "of the splits")
	dummies := flags.Int("dummies", 300, "most columns of 0 and 1: a table that has more is not run with them")
	flags.AtLeast(1, "rows", "splits", "dummies")
	flags.Reads("data")
	if err := flags.Parse(args); err != nil {
		return err
	}
	paths, err := filepath.Glob(filepath.Join(*dir, "*.csv"))
	if err != nil || len(paths) == 0 {
		return fmt.Errorf("-data %s: no CSV file", *dir)
	}
	fmt.Fprintf(out, "%-14s %6s %6s %-8s %9s %9s %9s   seconds of each\n", "table", "rows", "levels", "error", "0 and 1", "means", "categories")
	for _, path := range paths {
		t, err := open(path)
		if err != nil {
			return err
		}
		line := fmt.Sprintf("%-14s %6d %6d %-8s", strings.TrimSuffix(filepath.Base(path), ".csv"), len(t.y), t.levels, t.errorName())
		times := ""
		for _, w := range ways {
			total, seconds := 0.0, 0.0
			for split := range *splits {
				if w.name == "0 and 1" && t.levels > *dummies {
					total = math.NaN()
					break
				}
				begun := time.Now()
				e, err := t.evaluate(ctx, w, *rows, *seed, uint64(split))
				if err != nil {
					return fmt.Errorf("%s, %s: %w", path, w.name, err)
				}
				total, seconds = total+e/float64(*splits), seconds+time.Since(begun).Seconds()/float64(*splits)
			}
			line += fmt.Sprintf(" %9.4f", total)
			times += fmt.Sprintf(" %6.1f", seconds)
		}
		fmt.Fprintln(out, line+"  "+times)
	}
	return nil
}

// way is a treatment of the columns of names.
type way struct {
	name       string
	steps      func(categories []int) []transformers.Transformer
	categories func(columns []int) []int
}

func none([]int) []int { return nil }

var ways = []way{
	{"0 and 1", func(c []int) []transformers.Transformer {
		return []transformers.Transformer{&columnwise.OneHot{Columns: c, Gaps: true, MaxLevels: 1 << 20}}
	}, none},
	{"means", func(c []int) []transformers.Transformer {
		return []transformers.Transformer{&columnwise.TargetEncoder{Columns: c}}
	}, none},
	{"categories", func([]int) []transformers.Transformer { return nil }, func(c []int) []int { return c }},
}

// table holds the content of a file.
type table struct {
	x          *mat.Dense
	y          []float64
	classes    bool
	categories []int
	levels     int // of all categories
}

func (t table) errorName() string {
	if t.classes {
		return "log loss"
	}
	return "NMSE"
}

func open(path string) (t table, err error) {
	f, err := os.Open(path)
	if err != nil {
		return t, err
	}
	defer f.Close() //nolint:errcheck // read only
	cells, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return t, fmt.Errorf("%s: %w", path, err)
	}
	if len(cells) < 9 || len(cells[0]) < 2 {
		return t, fmt.Errorf("%s: want at least 8 rows of 2 columns", path)
	}
	cells = cells[1:]
	last := len(cells[0]) - 1
	all := mat.NewDense(len(cells), last+1, nil)
	for j := range last + 1 {
		column, levels := numbers(cells, j)
		all.SetCol(j, column)
		switch {
		case j == last:
			t.y, t.classes = column, levels > 0
		case levels > 0:
			t.categories, t.levels = append(t.categories, j), t.levels+levels
		}
	}
	t.x = mat.DenseCopyOf(all.Slice(0, len(cells), 0, last))
	return t, nil
}

// numbers returns a column as numbers. If a cell is not a number, it returns codes of the column's levels.
func numbers(cells [][]string, j int) (out []float64, levels int) {
	out = make([]float64, len(cells))
	codes := map[string]float64{}
	for i, row := range cells {
		v, err := strconv.ParseFloat(row[j], 64)
		if row[j] == "" {
			v, err = math.NaN(), nil
		}
		if err != nil {
			levels = 1
		}
		out[i] = v
	}
	if levels == 0 {
		return out, 0
	}
	for i, row := range cells {
		if _, ok := codes[row[j]]; !ok {
			codes[row[j]] = float64(len(codes))
		}
		out[i] = codes[row[j]]
	}
	return out, len(codes)
}

// evaluate returns the error on the test rows of a split.
func (t table) evaluate(ctx context.Context, w way, rows int, seed, split uint64) (float64, error) {
	order := rand.New(rand.NewPCG(seed, split)).Perm(len(t.y))
	n := min(rows, len(order)*3/4)
	x, y := t.pick(order[:n])
	test, want := t.pick(order[n:min(len(order), n+mostTested)])
	steps, categories := w.steps(t.categories), w.categories(t.categories)
	if !t.classes {
		r := &selection.Regressor{Preprocess: steps, Categories: categories}
		if err := r.Fit(ctx, x, y); err != nil {
			return 0, err
		}
		got, err := r.Predict(test)
		if err != nil {
			return 0, err
		}
		return metrics.NMSE(want, got, nil)
	}
	c := &selection.Classifier{Preprocess: steps, Categories: categories}
	if err := c.Fit(ctx, x, labels(y)); err != nil {
		return 0, err
	}
	p, err := c.PredictProba(test)
	if err != nil {
		return 0, err
	}
	return metrics.LogLoss(labels(want), c.Classes(), p, nil)
}

func (t table) pick(rows []int) (*mat.Dense, []float64) {
	x, y := mat.NewDense(len(rows), t.x.RawMatrix().Cols, nil), make([]float64, len(rows))
	for i, row := range rows {
		x.SetRow(i, t.x.RawRowView(row))
		y[i] = t.y[row]
	}
	return x, y
}

func labels(y []float64) []int {
	out := make([]int, len(y))
	for i, v := range y {
		out[i] = int(v)
	}
	return out
}
