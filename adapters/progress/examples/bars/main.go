// Program bars shows progress bars for a fit, a pipeline, a search and a transformation. Each takes a few seconds.
package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/progress"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func main() { cli.Main("bars", run) }

func run(ctx context.Context, args []string, out, bars io.Writer) error {
	flags := cli.NewFlags("bars",
		"bars shows progress bars of a fit, a pipeline, a search and a transformation, a few seconds each.",
		out)
	rows := flags.Int("rows", 4000, "rows of the fit; the others follow from it")
	flags.AtLeast(10, "rows")
	if err := flags.Parse(args); err != nil {
		return err
	}
	n := *rows
	x, y := problem(n)
	fit := &lssvm.Regressor{Observe: progress.New(bars, "lssvm").Step}
	if err := fit.Fit(ctx, x, y); err != nil {
		return err
	}
	fmt.Fprintf(out, "lssvm: ridge %.2g\n", fit.ChosenRidge())

	many, targets := problem(5 * n)
	features := &pipeline.Regressor{
		Steps:   []transformers.Transformer{&scalers.StandardScaler{}, &featuremap.Nystroem{Components: min(n/4, 1000)}},
		Final:   &ridge.Regressor{},
		Observe: progress.New(bars, "pipeline").Step,
	}
	if err := features.Fit(ctx, many, targets); err != nil {
		return err
	}
	fmt.Fprintf(out, "pipeline: %d rows\n", 5*n)

	search := &selection.Regressor{Search: &entropy.Search{}, Observe: progress.New(bars, "search").Row}
	if err := search.Fit(ctx, x, y); err != nil {
		return err
	}
	fmt.Fprintf(out, "search: %s\n", search.Result().Kernel)

	more, _ := problem(20 * n)
	predicted, err := estimators.PredictContext(estimators.Observed(ctx, progress.New(bars, "predictions").Step), fit, more)
	if err != nil {
		return err
	}
	fmt.Fprintf(out, "predictions: %d\n", len(predicted))
	return nil
}

func problem(n int) (*mat.Dense, []float64) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	x, y := mat.NewDense(n, 5, nil), make([]float64, n)
	for i := range n {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = rng.NormFloat64()
		}
		y[i] = math.Sin(2*row[0]) + row[1]*row[2] + .2*rng.NormFloat64()
	}
	return x, y
}
