// Quickstart uses estimators of this module in golearn code, and lets one of them choose its kernel by entropy and with a grid:
//
//	go run ./examples/quickstart
//
// It needs no flags, no network and no files except those in the repository, takes a few seconds, and writes one picture to the
// current folder.
package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/sjwhitworth/golearn/base"
	"github.com/sjwhitworth/golearn/evaluation"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/adapters/golearn/grids"
	_ "github.com/kernelearn/kernelearn/adapters/simdblas" // makes gonum's matrix routines several times as fast
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/internal/cli"
	"github.com/kernelearn/kernelearn/internal/dataset"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/kernels/families"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/traceplot"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

const (
	seed         = 1
	testFraction = 0.25
)

func main() { cli.Main("quickstart", run) }

func run(ctx context.Context, args []string, out, _ io.Writer) error {
	flags := cli.NewFlags("quickstart", "quickstart uses estimators in golearn code, and lets one choose its own kernel.", out)
	picture := flags.String("picture", "quickstart-entropy.png", "`file` for the picture")
	dir := flags.String("data", "", "`folder` of CSV files; empty: the files of the repository")
	flags.Reads("data")
	flags.Writes("picture")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if err := classify(out, *dir); err != nil {
		return fmt.Errorf("classification: %w", err)
	}
	return chooseKernel(ctx, out, *dir, *picture)
}

// load reads a CSV file into a golearn grid and splits it.
func load(dir, name string,
	split func(base.FixedDataGrid, float64, uint64) (train, test *base.DenseInstances,
		err error)) (train, test *base.DenseInstances, err error) {
	f, err := dataset.Folder(dir).Open(name)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	table, err := grids.ParseCSV(name, f, nil)
	if err != nil {
		return nil, nil, err
	}
	return split(table, testFraction, seed)
}

// model is a golearn classifier with a name.
type model struct {
	name string
	base.Classifier
}

// models returns golearn's own classifiers and their replacements. To use another estimator, only its line here changes.
func models() []model {
	scaled := []transformers.Transformer{&scalers.StandardScaler{}}
	return append(append([]model{{theirName, theirs()}}, forest()...),
		model{theirName + " after our StandardScaler",
			&golearn.Pipeline{Steps: []golearn.Step{golearn.Transform(scaled[0])}, Final: theirs()}},
		model{"kernelearn LS-SVM, scaled", &golearn.Classifier{Estimator: &pipeline.Classifier{Steps: scaled, Final: &lssvm.Classifier{}}}},
		model{"kernelearn, nothing set", &golearn.Classifier{}},
	)
}

// classify runs golearn's classifiers and ours through the same golearn code.
func classify(out io.Writer, dir string) error {
	train, test, err := load(dir, "breast-cancer-wdbc.csv", grids.StratifiedSplit)
	if err != nil {
		return err
	}
	_, rows := train.Size()
	_, testRows := test.Size()
	fmt.Fprintf(out, "1. DROPPING IN: breast cancer (Wisconsin), 30 features, %d rows to train, %d to test\n\n", rows, testRows)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  classifier\taccuracy\trecall of malignant\tseconds")
	for _, m := range models() {
		begun := time.Now()
		if err := m.Fit(train); err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		predictions, err := m.Predict(test)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		seconds := time.Since(begun).Seconds()
		confusion, err := evaluation.GetConfusionMatrix(test, predictions)
		if err != nil {
			return err
		}
		fmt.Fprintf(table, "  %s\t%.4f\t%.4f\t%.2f\n", m.name, evaluation.GetAccuracy(confusion),
			evaluation.GetRecall("malignant", confusion),
			seconds)
	}
	return table.Flush()
}

// chooseKernel fits one estimator twice: once it chooses its kernel by entropy, and once with a grid.
func chooseKernel(ctx context.Context, out io.Writer, dir, picture string) error {
	train, test, err := load(dir, "diabetes-progression.csv", grids.Split)
	if err != nil {
		return err
	}
	_, rows := train.Size()
	_, testRows := test.Size()
	fmt.Fprintf(out, "\n2. CHOOSING A KERNEL: diabetes progression, 10 features, %d rows to train, %d to test\n\n", rows, testRows)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  chosen by\tgamma\tkernel matrices\tlearner fits\ttest R²\tseconds")
	var byEntropy *search.Result
	for _, strategy := range []search.Strategy{&entropy.Search{}, &grid.Search{}} {
		model := &golearn.Regressor{Estimator: &selection.Regressor{
			Preprocess: []transformers.Transformer{&scalers.StandardScaler{}},
			Space: selection.Kernels(func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} },
				families.RBF{}),
			Search: strategy, // the one field that differs
		}}
		begun := time.Now()
		if err := model.FitContext(ctx, train); err != nil {
			return err
		}
		seconds := time.Since(begun).Seconds()
		predictions, err := model.Predict(test)
		if err != nil {
			return err
		}
		summary, err := golearn.SummarizeRegression(test, predictions)
		if err != nil {
			return err
		}
		result := model.Fitted().(*selection.Regressor).Result()
		if byEntropy == nil {
			byEntropy = result
		}
		fmt.Fprintf(table, "  %s\t%.3g\t%d\t%d\t%.4f\t%.2f\n", result.Strategy, result.Param, result.KernelMatrices+result.Fits,
			result.Fits,
			summary.R2, seconds)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	if err := traceplot.Save(byEntropy, picture); err != nil {
		return err
	}
	fmt.Fprintf(out, `
  The RBF kernel exp(-gamma |x-z|²) needs a gamma. The entropy of its matrix shows the effect of
  gamma on these rows: near 0 all rows look alike, near 1 no two rows do, and good kernels usually lie
  between 0.1 and 0.5. The search computes a few entropies, scores each kernel in closed form, and fits
  the learner once. The grid fits it for each of 24 gammas in each of three folds, and once more.

  %s shows the entropies and the scores against gamma.
`, picture)
	return nil
}
