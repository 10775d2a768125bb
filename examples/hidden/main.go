// Hidden shows whether a function of one or two columns is found among others that are noise: the error of
// selection.Regressor and selection.Classifier with nothing set, of the same search from one start alone
// (selection.Shape with NoRestarts), and of package lssvm, which has one length for all columns.
//
//	go run ./examples/hidden
//	go run ./examples/hidden -draws 3 -sizes 100x8
//
// Rows are drawn from a normal distribution, targets have noise of a standard deviation of 0.3, and a class says
// whether the target is positive. Errors are of 1000 other rows, in the median of the draws: the NMSE, 1 where nothing
// was learnt, or the error rate, 0.5 there. In brackets is the number of draws with more than 0.9, or 0.4.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/signal"
	"slices"
	"strings"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // a faster BLAS for all that follows
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/metrics"
)

const (
	noise    = 0.3
	testRows = 1000
)

// problem is a function of the first columns.
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

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil && !errors.Is(err, flag.ErrHelp) {
		fmt.Fprintln(os.Stderr, "hidden:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string, out, messages io.Writer) error {
	flags := flag.NewFlagSet("hidden", flag.ContinueOnError)
	flags.SetOutput(messages)
	sizes := flags.String("sizes", "100x8,300x16,300x32,1000x32", "comma separated `rowsxcolumns`")
	draws := flags.Int("draws", 5, "draws of each")
	seed := flags.Uint64("seed", 1, "of the draws")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *draws < 1 {
		return fmt.Errorf("-draws %d, want 1 or more", *draws)
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "function\trows\tcolumns\tselection\tone start\tlssvm\tclasses: selection\tone start\tlssvm\t")
	for _, size := range strings.Split(*sizes, ",") {
		var n, d int
		if _, err := fmt.Sscanf(size, "%dx%d", &n, &d); err != nil || n < 10 || d < 2 {
			return fmt.Errorf("-sizes %q, want at least 10 rows and 2 columns, such as 300x16", size)
		}
		for _, p := range problems {
			cells := make([]cell, 6)
			for draw := range *draws {
				if err := p.try(ctx, n, d, *seed+uint64(draw), cells); err != nil {
					return fmt.Errorf("%s, %d rows, %d columns, draw %d: %w", p.name, n, d, draw, err)
				}
				fmt.Fprintf(messages, "\r%-60s", fmt.Sprintf("%s, %d rows, %d columns: draw %d", p.name, n, d, draw+1))
			}
			fmt.Fprintf(w, "%s\t%d\t%d\t", p.name, n, d)
			for i, c := range cells {
				fmt.Fprintf(w, "%s\t", c.String(i < 3))
			}
			fmt.Fprintln(w)
		}
	}
	fmt.Fprintln(messages)
	return w.Flush()
}

// cell has the errors of a method.
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

// try adds the errors of a draw to those of the methods, of numbers and then of classes.
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
	one := selection.Shape{NoRestarts: true}
	family := kernels.MaternFamily{Nu: 2.5}
	for i, r := range []estimators.Regressor{
		&selection.Regressor{},
		&selection.Regressor{Space: selection.Over[estimators.Regressor](nil, family), Search: &one},
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
		&selection.Classifier{Space: selection.Over[estimators.Classifier](nil, family), Search: &one},
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
