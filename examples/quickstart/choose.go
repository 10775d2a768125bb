package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/kernelearn/kernelearn/adapters/golearn"
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/internal/progressbar"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/selection/entropy"
	"github.com/kernelearn/kernelearn/selection/grid"
	"github.com/kernelearn/kernelearn/selection/measures"
	"github.com/kernelearn/kernelearn/selection/metrics"
	"github.com/kernelearn/kernelearn/selection/search"
	"github.com/kernelearn/kernelearn/selection/validation"
	"github.com/kernelearn/kernelearn/transformers"
)

const folds = 3

// chosen is one way to choose the kernel, with its outcome.
type chosen struct {
	name    string
	result  *search.Result
	entropy float64 // of the chosen kernel matrix
	nmse    float64 // on the test rows
	seconds float64
}

// choose fits the same estimator twice: once it chooses its kernel by entropy,
// once by a grid.
func choose(ctx context.Context, out, progress io.Writer, dir, path string) error {
	train, test, err := open(dir, "diabetes-progression.csv", golearn.Split)
	if err != nil {
		return err
	}
	_, rows := train.Size()
	_, testRows := test.Size()
	fmt.Fprintf(out, "\n2. CHOOSING A KERNEL: diabetes progression, 10 features, %d rows to learn from, %d to test\n\n", rows, testRows)
	truth, err := golearn.Targets(test)
	if err != nil {
		return err
	}
	x, _, err := golearn.Matrix(train, nil)
	if err != nil {
		return err
	}
	scaled, err := scale(ctx, x)
	if err != nil {
		return err
	}

	bar := progressbar.New(progress, "searching", 0)
	step := func(row search.TraceRow) { bar.Set(row.Done, "") }
	var searches []chosen
	for _, s := range []struct {
		name     string
		strategy search.Strategy
	}{
		{"entropy", &entropy.Search{}},
		{fmt.Sprintf("grid, 24 points × %d folds", folds), &grid.Search{Splitter: validation.KFold{Folds: folds, Seed: seed}}},
	} {
		chooser := &selection.Regressor{
			Preprocess: []transformers.Transformer{&transformers.StandardScaler{}},
			Space:      selection.Kernels(func(k kernels.Kernel) estimators.Regressor { return &lssvm.Regressor{Kernel: k} }, kernels.RBFFamily{}),
			Search:     s.strategy, // the one field that differs
			Observe:    step,
		}
		model := &golearn.Regressor{Estimator: chooser}
		begun := time.Now()
		if err := model.FitContext(ctx, train); err != nil {
			return err
		}
		seconds := time.Since(begun).Seconds()
		predictions, err := model.Predict(test)
		if err != nil {
			return err
		}
		predicted, err := golearn.Targets(predictions)
		if err != nil {
			return err
		}
		nmse, err := metrics.NMSE(truth, predicted, nil)
		if err != nil {
			return err
		}
		result := model.Fitted().(*selection.Regressor).Result()
		e, err := entropyAt(ctx, result.Param, scaled)
		if err != nil {
			return err
		}
		searches = append(searches, chosen{s.name, result, e, nmse, seconds})
	}
	bar.Finish()

	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "  chosen by\tgamma\tentropy\tkernel matrices\tlearner fits\ttest NMSE\tseconds")
	for _, s := range searches {
		fmt.Fprintf(table, "  %s\t%.3g\t%.3f\t%d\t%d\t%.4f\t%.2f\n", s.name, s.result.Param, s.entropy,
			s.result.KernelMatrices+s.result.Fits, s.result.Fits, s.nmse, s.seconds)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(out, `
  The RBF kernel exp(-gamma |x-z|²) needs a gamma. The entropy of its matrix says what a gamma does to
  these rows: near 0 all rows look alike, near 1 none resembles another, and good kernels mostly lie
  between 0.1 and 0.5. The search looks at a few entropies there and below, scores each kernel in
  closed form, and fits the learner once.
  NMSE is the squared error over that of predicting the mean: less is better. On one split the two
  differ by chance; measurements/selector compares them over many. A kernel matrix is one that the search
  made, or one for each learner fit.

`)
	if err := drawSearches(ctx, path, scaled, searches); err != nil {
		return err
	}
	fmt.Fprintf(out, "  %s shows the entropy and both scores against gamma.\n", path)
	return nil
}

func scale(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	s := &transformers.StandardScaler{}
	if err := s.Fit(ctx, x); err != nil {
		return nil, err
	}
	return s.Transform(x)
}

func entropyAt(ctx context.Context, gamma float64, x *mat.Dense) (float64, error) {
	k, err := kernels.Matrix(ctx, kernels.RBF{Gamma: gamma}, x, nil)
	if err != nil {
		return 0, err
	}
	s, err := measures.Entropy(ctx, k)
	return s.Entropy, err
}
