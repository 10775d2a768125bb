// Shards fits a model to rows that are divided into parts, each of which is summed separately. The model is a pipeline of an
// imputer, a scaler, the features of a kernel and ridge regression. The command prints how much the predictions from 4 and 64 parts
// differ from those from one part.
//
// With -ridges it compares three methods of choosing a ridge: leave-one-out, which requires the rows, the evidence, which requires
// their sums, and the error in five folds of sums. It prints the mean error on a third of the rows, over some draws.
//
//	go run -C measurements ./shards
//	go run -C measurements ./shards -ridges -data DIR -sets yacht,boston
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/streaming"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/columnwise"
	"github.com/kernelearn/kernelearn/transformers/featuremap"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

func main() { cli.Main("shards", run) }

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("shards", "shards learns from rows that lie in several parts, each of which is summed up by itself.", out)
	rows := flags.Int("rows", 20_000, "of Friedman's first function, a third of them to predict")
	ridges := flags.Bool("ridges", false, "compare what chooses a ridge")
	dir := flags.String("data", "", "`folder` of CSV files for -ridges; empty: what the repository ships")
	sets := flags.String("sets", "diabetes-progression", "comma separated `names` of sets in it")
	draws := flags.Int("draws", 5, "of the rows of a set")
	flags.AtLeast(6, "rows")
	flags.AtLeast(1, "draws")
	flags.Reads("data")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if !*ridges {
		return inShards(ctx, out, *rows)
	}
	var opened []*dataset.Set
	for _, name := range strings.Split(*sets, ",") {
		set, err := dataset.Open(*dir, name)
		if err != nil {
			return err
		}
		if set.Y == nil {
			return fmt.Errorf("%s has classes for targets, want numbers", name)
		}
		opened = append(opened, set)
	}
	fmt.Fprintf(out, "%-22s %5s %8s %13s %8s %10s\n", "set", "rows", "features", "leave-one-out", "evidence", "five folds")
	for _, set := range opened {
		if err := compare(ctx, out, set, *draws); err != nil {
			return fmt.Errorf("%s: %w", set.Name, err)
		}
	}
	return nil
}

func newModel() *pipeline.Regressor {
	return &pipeline.Regressor{
		Steps: []transformers.Transformer{&columnwise.Imputer{}, &scalers.StandardScaler{}, &featuremap.Nystroem{Components: 200}},
		Final: &ridge.Regressor{},
	}
}

func inShards(ctx context.Context, out io.Writer, rows int) error {
	x, y := dataset.Friedman1(rows, 10, 1)
	for i := range rows {
		x.Set(i, 0, 1e6+x.At(i, 0)) // this offset must not reduce the accuracy
	}
	train := rows * 2 / 3
	test := x.Slice(train, rows, 0, 10)
	var first []float64
	for _, parts := range []int{1, 4, 64} {
		model := newModel()
		if err := fit(ctx, model, x.Slice(0, train, 0, 10).(*mat.Dense), y[:train], parts); err != nil {
			return err
		}
		p, err := model.Predict(test)
		if err != nil {
			return err
		}
		if first == nil {
			first = p
		}
		apart, error2, spread := 0.0, 0.0, 0.0
		for i, v := range p {
			apart = max(apart, math.Abs(v-first[i]))
			error2 += (v - y[train+i]) * (v - y[train+i])
			spread += (y[train+i] - 14.4) * (y[train+i] - 14.4) // 14.4 is the mean of the function
		}
		fmt.Fprintf(out, "%2d parts: NMSE %.4f, predictions at most %.0e from those of one part\n", parts, error2/spread, apart)
	}
	return nil
}

// fit sums the parts of the rows in parallel, once for each stage.
func fit(ctx context.Context, model *pipeline.Regressor, x *mat.Dense, y []float64, parts int) error {
	stages, err := streaming.NewStages[float64](model)
	if err != nil {
		return err
	}
	n, d := x.Dims()
	for {
		at, of := stages.Stage()
		if at == of {
			return streaming.FitStages(ctx, model, stages)
		}
		sums, failed := make([]streaming.Statistics[float64], parts), make([]error, parts)
		var wait sync.WaitGroup
		for k := range parts {
			wait.Go(func() {
				if sums[k], failed[k] = stages.NewStatistics(); failed[k] == nil {
					from, to := k*n/parts, (k+1)*n/parts
					failed[k] = sums[k].AddBlock(ctx, streaming.Block[float64]{X: x.Slice(from, to, 0, d).(*mat.Dense), Y: y[from:to]})
				}
			})
		}
		wait.Wait()
		if err := errors.Join(failed...); err != nil {
			return err
		}
		for k := parts - 1; k > 0; k-- {
			if err := sums[k/2].Merge(sums[k]); err != nil {
				return err
			}
		}
		if err := stages.FitStatistics(ctx, sums[0]); err != nil {
			return err
		}
	}
}
