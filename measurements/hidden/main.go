// Hidden measures whether a function of one or two columns is found among other columns that are noise. It reports the errors of
// selection.Regressor and selection.Classifier with default settings, and of the same search without restarts (shape.Search with
// NoRestarts). It also reports those of package lssvm, which has one length for all columns.
//
//	go run -C measurements ./hidden
//	go run -C measurements ./hidden -draws 3 -sizes 100x8
//
// Rows are drawn from a normal distribution. Targets have noise with a standard deviation of 0.3, and a class is the sign of the
// target. Errors are medians over the draws on 1000 other rows. They are the NMSE, which is 1 if nothing was found, or the error
// rate, which is then 0.5. The number in brackets counts the draws with an NMSE above 0.9, or an error rate above 0.4.
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for the program
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/shape"
)

const (
	noise    = 0.3
	testRows = 1000
)

// problem is a target that depends on the first columns only.
type problem struct {
	name string
	at   func(x []float64) float64
}

var problems = []problem{
	{"sin 3a", func(x []float64) float64 { return math.Sin(3 * x[0]) }},
	{"cos 4a", func(x []float64) float64 { return math.Cos(4 * x[0]) }},
	{"ab", func(x []float64) float64 { return x[0] * x[1] }},
	{"a cos 3b", func(x []float64) float64 { return x[0] * math.Cos(3*x[1]) }},
	{"sin 2a sin 2b", func(x []float64) float64 { return 2 * math.Sin(2*x[0]) * math.Sin(2*x[1]) }},
	{"sin 3a + cos 3b", func(x []float64) float64 { return math.Sin(3*x[0]) + math.Cos(3*x[1]) }},
}

func main() { cli.Main("hidden", run) }

func run(ctx context.Context, args []string, out, progress io.Writer) error {
	flags := cli.NewFlags("hidden", "hidden measures whether a function of one or two columns is found among many columns of noise.", out)
	sizes := flags.String("sizes", "100x8,300x16,300x32,1000x32", "comma separated `rowsxcolumns`")
	draws := flags.Int("draws", 5, "draws of each")
	seed := flags.Uint64("seed", 1, "of the draws")
	flags.AtLeast(1, "draws")
	if err := flags.Parse(args); err != nil {
		return err
	}
	type size struct{ rows, columns int }
	var all []size
	for _, text := range strings.Split(*sizes, ",") {
		var s size
		if _, err := fmt.Sscanf(text, "%dx%d", &s.rows, &s.columns); err != nil || s.rows < 10 || s.columns < 2 {
			return fmt.Errorf("-sizes %q: want at least 10 rows and 2 columns, such as 300x16", text)
		}
		all = append(all, s)
	}
	bar := progressbar.New(progress, "draws", len(all)*len(problems)**draws)
	var table strings.Builder // printed after the progress bar has finished
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "function\trows\tcolumns\tselection\tone start\tlssvm\tclasses: selection\tone start\tlssvm\t")
	for _, s := range all {
		n, d := s.rows, s.columns
		for _, p := range problems {
			cells := make([]cell, 6)
			for draw := range *draws {
				if err := p.try(ctx, n, d, *seed+uint64(draw), cells); err != nil {
					return fmt.Errorf("%s, %d rows, %d columns, draw %d: %w", p.name, n, d, draw, err)
				}
				bar.Add(1)
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t", p.name, n, d)
			for i, c := range cells {
				fmt.Fprintf(w, "%s\t", c.String(i < 3))
			}
			fmt.Fprintln(w)
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	bar.Finish()
	_, err := fmt.Fprint(out, table.String())
	return err
}

// cell holds the errors of a method.
type cell []float64

func (c cell) String(numbers bool) string {
	limit, failed := 0.4, 0
	if numbers {
		limit = 0.9
	}
	for _, v := range c {
		if v > limit {
			failed++
		}
	}
	slices.Sort(c)
	return fmt.Sprintf("%.2f (%d)", stat.Quantile(0.5, stat.Empirical, c, nil), failed)
}

// try appends the errors of a draw to the cells of the methods, first for numbers and then for classes.
func (p problem) try(ctx context.Context, n, d int, seed uint64, cells []cell) error {
	rng := rand.New(rand.NewPCG(seed, uint64(n*d)))
	draw := func(n int) (*mat.Dense, []float64, []int) {
		x, y, labels := mat.NewDense(n, d, nil), make([]float64, n), make([]int, n)
		for i := range n {
			row := x.RawRowView(i)
			for j := range row {
				row[j] = rng.NormFloat64()
			}
			if y[i] = p.at(row) + noise*rng.NormFloat64(); y[i] > 0 {
				labels[i] = 1
			}
		}
		return x, y, labels
	}
	x, y, labels := draw(n)
	tx, ty, tlabels := draw(testRows)
	one := shape.Search{NoRestarts: true}
	family := families.Matern{Nu: 2.5}
	for i, r := range []estimators.Regressor{
		&selection.Regressor{},
		&selection.Regressor{Space: selection.Kernels[estimators.Regressor](nil, family), Search: &one},
		&lssvm.Regressor{},
	} {
		if err := r.Fit(ctx, x, y); err != nil {
			return err
		}
		got, err := r.Predict(tx)
		if err != nil {
			return err
		}
		e, err := metrics.NMSE(ty, got, nil)
		if err != nil {
			return err
		}
		cells[i] = append(cells[i], e)
	}
	for i, c := range []estimators.Classifier{
		&selection.Classifier{},
		&selection.Classifier{Space: selection.Kernels[estimators.Classifier](nil, family), Search: &one},
		&lssvm.Classifier{},
	} {
		if err := c.Fit(ctx, x, labels); err != nil {
			return err
		}
		got, err := c.Predict(tx)
		if err != nil {
			return err
		}
		accuracy, err := metrics.Accuracy(tlabels, got, nil)
		if err != nil {
			return err
		}
		cells[3+i] = append(cells[3+i], 1-accuracy)
	}
	return nil
}
