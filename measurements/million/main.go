// Million fits a model to a million rows that are never in memory at once. The rows are Friedman's first function on ten columns,
// five of which affect the target, with noise. A pipeline of a scaler and falkon with default settings reads them block by block,
// as often as it needs to. It is fitted to a hundredth of the rows, to three times as many, and so on up to all of them. For each
// number it prints the error and the intervals on 20 000 other rows, the seconds and the memory. It then draws the error against
// rows and against seconds.
//
//	go run -C measurements ./million
//	go run -C measurements ./million -rows 100000
//	go run -C measurements ./million -points 1
//	go run -C measurements ./million -csv rows.csv
//
// Rows are generated again each time they are read. With -csv they are written to a file first, and read from the file.
package main

import (
	"context"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"time"

	"gonum.org/v1/gonum/mat"

	_ "github.com/kernelearn/kernelearn/adapters/simdblas"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/falkon"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/measurements/internal/peak"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	columns   = 10
	testRows  = 20_000
	level     = .95
	leastRows = 500
)

func main() { cli.Main("million", run) }

// program holds the values of the flags.
type program struct {
	rows, points, block, landmarks int
	seed                           uint64
	csv                            string
	out, progress                  io.Writer
}

func run(ctx context.Context, args []string, out, messages io.Writer) error {
	p := program{out: out, progress: messages}
	flags := cli.NewFlags("million", "million learns from a million rows that are never in memory at once.", out)
	flags.IntVar(&p.rows, "rows", 1_000_000, "to learn from")
	flags.IntVar(&p.points, "points", 5, "numbers of rows, each √10 times the one before it up to all; 1: all at once")
	flags.IntVar(&p.landmarks, "landmarks", 0, "of the machine; 0: it chooses, by the rows")
	flags.IntVar(&p.block, "block", 10_000, "rows in memory at a time")
	flags.Uint64Var(&p.seed, "seed", 1, "of the rows")
	flags.StringVar(&p.csv, "csv", "", "`file` that the rows are written to and read from; empty: none")
	picture := flags.String("out", "million.png", "`file` for the picture")
	flags.AtLeast(leastRows, "rows")
	flags.AtLeast(1, "points", "block")
	flags.AtLeast(0, "landmarks")
	flags.Writes("csv", "out")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if p.csv != "" {
		begin := time.Now()
		if err := p.write(ctx); err != nil {
			return err
		}
		fmt.Fprintf(out, "%d rows written to %s in %.1f s\n", p.rows, p.csv, time.Since(begin).Seconds())
	}
	results, err := p.learnAll(ctx)
	if err != nil {
		return err
	}
	if err := drawErrors(*picture, results); err != nil {
		return err
	}
	_, err = fmt.Fprintln(out, "drawn:", *picture)
	return err
}

// sizes returns the number of rows of each fit.
func (p program) sizes() (out []int) {
	for i := p.points - 1; i > 0; i-- {
		out = append(out, max(leastRows, int(math.Round(float64(p.rows)/math.Pow(10, float64(i)/2)))))
	}
	return slices.Compact(append(out, p.rows))
}

// result holds the results of a fit to some of the rows.
type result struct {
	rows                   int
	landmarks, iterations  int
	solver                 falkon.Solver
	seconds                float64
	bytes                  *int64 // nil if the system does not report it
	clean, noisy           float64
	coverage, width, noise float64
}

// learnAll fits the model to each number of rows and prints a line for it.
func (p program) learnAll(ctx context.Context) ([]result, error) {
	x, y, clean := p.others()
	fmt.Fprintf(p.out, "%9s %9s %18s %10s %8s %9s %18s %8s %19s %6s\n",
		"rows", "landmarks", "solver", "iterations", "seconds", "MB in all", "NMSE without noise", "NMSE",
		fmt.Sprintf("in the %.0f%% interval",
			100*level), "width")
	var out []result
	for _, n := range p.sizes() {
		r, err := p.learn(ctx, n, x, y, clean)
		if err != nil {
			return nil, fmt.Errorf("%d rows: %w", n, err)
		}
		out = append(out, r)
		memory := "-"
		if r.bytes != nil {
			memory = fmt.Sprintf("%.0f", float64(*r.bytes)/1e6)
		}
		if _, err := fmt.Fprintf(p.out, "%9d %9d %18v %10d %8.1f %9s %18.5f %8.5f %18.1f%% %6.2f\n",
			r.rows, r.landmarks, r.solver, r.iterations, r.seconds, memory, r.clean, r.noisy, 100*r.coverage, r.width); err != nil {
			return nil, err
		}
	}
	first, last := out[0], out[len(out)-1]
	if first.rows < last.rows {
		fall := math.Log(last.clean/first.clean) / math.Log(float64(last.rows)/float64(first.rows))
		fmt.Fprintf(p.out, "the error without noise goes with the rows to the power %.2f; %.5f is noise, which nobody can predict\n", fall,
			last.noise)
	}
	return out, nil
}

// others returns test rows, and their targets with and without noise.
func (p program) others() (x *mat.Dense, y, clean []float64) {
	f := dataset.NewFriedman(p.seed + 1)
	x, y, clean = mat.NewDense(testRows, columns, nil), make([]float64, testRows), make([]float64, testRows)
	for i := range y {
		y[i], clean[i] = f.Next(x.RawRowView(i))
	}
	return x, y, clean
}

// learn fits the model to the first n rows.
func (p program) learn(ctx context.Context, n int, x *mat.Dense, y, clean []float64) (result, error) {
	bar := progressbar.New(p.progress, fmt.Sprintf("%d rows", n), 0)
	machine := &falkon.Regressor{Components: p.landmarks, Seed: p.seed}
	model := &pipeline.Regressor{
		Steps: []transformers.Transformer{&scalers.StandardScaler{}}, Final: machine,
		Observe: func(s estimators.Step) { bar.Set(s.Done, s.Message) },
	}
	peak.Reset()
	begin := time.Now()
	if err := model.FitBlocks(ctx, p.blocks(n)); err != nil {
		return result{}, err
	}
	r := result{rows: n, seconds: time.Since(begin).Seconds(), bytes: peak.Bytes()}
	bar.Finish()
	fitted := model.FittedFinal().(*falkon.Regressor)
	d := fitted.Details()
	r.landmarks, r.solver, r.iterations = d.Landmarks, d.Solver, fitted.Report().Iterations
	return r, r.score(model, x, y, clean)
}

// score computes the scores of the model's predictions for other rows.
func (r *result) score(model *pipeline.Regressor, x *mat.Dense, y, clean []float64) error {
	mean, err := model.Predict(x)
	if err != nil {
		return err
	}
	low, high, err := model.PredictInterval(x, level)
	if err != nil {
		return err
	}
	if r.clean, err = metrics.NMSE(clean, mean, nil); err != nil {
		return err
	}
	if r.noisy, err = metrics.NMSE(y, mean, nil); err != nil {
		return err
	}
	if r.noise, err = metrics.NMSE(y, clean, nil); err != nil {
		return err
	}
	r.coverage, r.width, err = metrics.Coverage(y, low, high, nil)
	return err
}

// blocks returns the first n rows in blocks.
func (p program) blocks(n int) iter.Seq2[streaming.Block[float64], error] {
	if p.csv != "" {
		return read(p.csv, p.block, n)
	}
	return func(yield func(streaming.Block[float64], error) bool) {
		f := dataset.NewFriedman(p.seed)
		x, y := make([]float64, p.block*columns), make([]float64, p.block)
		for from := 0; from < n; from += p.block {
			r := min(p.block, n-from)
			b := streaming.Block[float64]{X: mat.NewDense(r, columns, x[:r*columns]), Y: y[:r]}
			for i := range r {
				b.Y[i], _ = f.Next(b.X.RawRowView(i))
			}
			if !yield(b, nil) {
				return
			}
		}
	}
}
