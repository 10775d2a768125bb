package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"

	"gonum.org/v1/gonum/mat"
)

var bothTasks = []string{regressionTask, classificationTask}

// boostingSearch is how the libraries of boosting are tuned.
const boostingSearch = "its defaults and 9 settings at random with early stopping after at most 1000 rounds, by 3 folds up to 5000 rows " +
	"and by a fifth of the rows above, while half the budget lasts"

// peerMethods are those that other programs run: peers/cells.py, which stays up
// over cells, and peers/cells.R. They know them by these names.
var peerMethods = []method{
	{
		name: "sklearn-kernel-ridge", source: sklearnSource, tasks: []string{regressionTask},
		configuration: "z-score, targets too; KernelRidge, RBF, α = 1, γ = 1/d",
	},
	{
		name: "sklearn-kernel-ridge-grid", source: sklearnSource, tasks: []string{regressionTask},
		configuration: fmt.Sprintf("z-score, targets too; KernelRidge, RBF, α of 0.001, 0.01, 0.1, 1 and γ of %v/d by GridSearchCV in 3 "+
			"folds",
			machineScales),
	},
	{
		name: "sklearn-svm", source: sklearnSource, tasks: bothTasks,
		configuration: "z-score, targets too; SVC with probabilities, SVR, defaults",
	},
	{
		name: "sklearn-svm-grid", source: sklearnSource, tasks: bothTasks,
		configuration: fmt.Sprintf("z-score, targets too; SVC, SVR, C of %v and γ of %v/d by GridSearchCV in 3 folds, then with "+
			"probabilities",
			machineCosts, machineScales),
	},
	{
		name: "sklearn-gp", source: sklearnSource, tasks: bothTasks,
		configuration: "z-score; GaussianProcessRegressor of a constant times RBF, and noise, targets normalised; " +
			"GaussianProcessClassifier " +
			"of a constant times RBF",
	},
	{
		name: "sklearn-nystroem", source: sklearnSource, tasks: bothTasks,
		configuration: "z-score; Nystroem, 500 landmarks, RBF, γ = 1/d, and RidgeCV or RidgeClassifierCV with 13 α from 1e-6 to 1e6",
	},
	{
		name: "sklearn-fourier", source: sklearnSource, tasks: bothTasks,
		configuration: "z-score; RBFSampler, 500 features, γ = 1/d, and RidgeCV or RidgeClassifierCV with 13 α from 1e-6 to 1e6",
	},
	{
		name: "sklearn-lda", source: sklearnSource, tasks: []string{classificationTask},
		configuration: "z-score; LinearDiscriminantAnalysis by least squares, Ledoit-Wolf shrinkage",
	},
	{
		name: "sklearn-forest", source: sklearnSource, tasks: bothTasks,
		configuration: "RandomForestClassifier, RandomForestRegressor, defaults (100 trees)",
	},
	{
		name: "sklearn-gp-columns", source: sklearnSource, tasks: bothTasks,
		configuration: "z-score; Matern 3/2 with a length scale for each column, times a constant: GaussianProcessRegressor with noise, " +
			"targets normalised; GaussianProcessClassifier",
	},
	{
		name: "sklearn-nu-svm-grid", source: sklearnSource, tasks: bothTasks,
		configuration: fmt.Sprintf("z-score, targets too; NuSVC with ν of 0.01, 0.03, 0.1, 0.2, 0.35, 0.5 and γ of %v/d, then with "+
			"probabilities; NuSVR with C of %v, ν of 0.2, 0.5, 0.8 and γ of 0.03, 0.1, 0.3, 1, 3 over d; by GridSearchCV in 3 folds",
			machineScales,
			machineCosts),
	},
	{
		name: "sklearn-nystroem-grid", source: sklearnSource, tasks: bothTasks,
		configuration: fmt.Sprintf("z-score, targets too; Nystroem, 500 landmarks, RBF, γ of %v/d, and Ridge, α of 0.001, 0.01, 0.1, 1, "+
			"or "+
			"LogisticRegression, C of %v, by GridSearchCV in 3 folds", machineScales, machineCosts),
	},
	{
		name: "sklearn-extra-trees", source: sklearnSource, tasks: bothTasks,
		configuration: "ExtraTreesClassifier, ExtraTreesRegressor, defaults (100 trees)",
	},
	{
		name: "sklearn-boosting", source: sklearnSource, tasks: bothTasks,
		configuration: "HistGradientBoostingClassifier, HistGradientBoostingRegressor, defaults",
	},
	{
		name: "sklearn-boosting-tuned", source: sklearnSource, tasks: bothTasks,
		configuration: "HistGradientBoosting, " + boostingSearch + ": learning rate, leaves, rows of a leaf, share of the columns, L2",
	},
	{
		name: "lightgbm", source: boosterSource, tasks: bothTasks,
		configuration: "LightGBM, defaults (100 rounds)",
	},
	{
		name: "lightgbm-tuned", source: boosterSource, tasks: bothTasks,
		configuration: "LightGBM, " + boostingSearch + ": learning rate, leaves, rows of a leaf, shares of the rows and columns, L2",
	},
	{
		name: "xgboost-tuned", source: boosterSource, tasks: bothTasks,
		configuration: "XGBoost, " + boostingSearch + ": learning rate, depth, weight of a leaf, shares of the rows and columns, L2",
	},
	{
		name: "catboost-tuned", source: boosterSource, tasks: bothTasks,
		configuration: "CatBoost, " + boostingSearch + ": learning rate, depth, shares of the rows and columns, L2",
	},
	{
		name: "xrfm", source: torchSource, tasks: bothTasks,
		configuration: "z-score, targets too; xRFM, Laplace kernel, bandwidth of 1, 3, 10, 30 and regularisation of 1e-4, 1e-2, 1 by the " +
			"squared error or Brier score of a fifth of the rows, while half the budget lasts",
	},
	{
		name: "falkon-python", source: torchSource, tasks: bothTasks,
		configuration: "z-score, targets too; Falkon, 2000 centres, Gaussian kernel, widths of 0.3, 1, 3, 10 times √d and penalties of " +
			"1e-8, " +
			"1e-6, 1e-4 by a fifth of the rows, while half the budget lasts",
	},
	{
		name: "kernlab-rvm", source: kernlabSource, tasks: []string{regressionTask},
		configuration: "z-score, targets too; rvm, RBF, sigma of its own estimate",
	},
	{
		name: "kernlab-gausspr", source: kernlabSource, tasks: bothTasks,
		configuration: "z-score, targets too; gausspr, RBF, sigma of its own estimate, defaults",
	},
	{
		name: "kernlab-ksvm", source: kernlabSource, tasks: bothTasks,
		configuration: "z-score, targets too; ksvm with probabilities, RBF, sigma of its own estimate, C = 1",
	},
}

// programs are those that run peers, empty where there is none.
type programs struct{ python, rscript, scripts string }

// of is the program of a peer's method, "" where there is none.
func (p programs) of(m method) string {
	switch m.source {
	case sklearnSource, boosterSource, torchSource:
		return p.python
	case kernlabSource:
		return p.rscript
	}
	return ""
}

// command is what a peer's method is run with, nil for other methods.
func (p programs) command(m method) []string {
	switch {
	case !m.isPeer():
		return nil
	case m.isServed():
		return []string{p.python, filepath.Join(p.scripts, "cells.py")}
	}
	return []string{p.rscript, filepath.Join(p.scripts, "cells.R")}
}

// there checks that the scripts of the peers among the methods can be found, before all of their cells fail for it.
func (p programs) there(methods []method) error {
	for _, m := range methods {
		command := p.command(m)
		if command == nil {
			continue
		}
		if _, err := os.Stat(command[1]); err != nil {
			return fmt.Errorf("-scripts %s: %w: name the folder measurements/benchmark/peers", p.scripts, err)
		}
	}
	return nil
}

// peerOutcome is what a peer prints: predictions, which are measured here as those of
// all methods.
type peerOutcome struct {
	outcome
	Values   []float64   `json:"values"`
	Variance []float64   `json:"variance"`
	Low      []float64   `json:"low"` // of 95% intervals
	High     []float64   `json:"high"`
	Labels   []int       `json:"labels"`
	Classes  []int       `json:"classes"`
	Scores   [][]float64 `json:"scores"`
	Proba    [][]float64 `json:"proba"`
}

// computePeer runs the peer's program, in the process group of this process.
func (j job) computePeer(ctx context.Context) (outcome, error) {
	args := append(j.Command[1:], j.Key.Method, j.Description.Task, j.Train, j.Test, strconv.FormatUint(j.Key.Seed+uint64(j.Key.Split), 10))
	cmd := exec.CommandContext(ctx, j.Command[0], args...)
	var problems tail
	cmd.Stderr = &problems
	text, err := cmd.Output()
	switch {
	case overLimit(err, j.Seconds):
		return outcome{}, err
	case err != nil:
		return outcome{}, errors.New(lastWords(problems.kept, err))
	}
	var p peerOutcome
	if err := json.Unmarshal(text, &p); err != nil {
		return outcome{}, fmt.Errorf("%s gave no outcome: %w", j.Command[0], err)
	}
	_, truth, err := readRows(j.Test)
	if err != nil {
		return outcome{}, err
	}
	p.Measures, err = p.fitted().measure(truth, predicted{p.Values, p.Labels})
	return p.outcome, err
}

// fitted gives what the peer predicted to whom measures it.
func (p peerOutcome) fitted() fitted {
	f := fitted{classes: p.Classes}
	if p.Variance != nil {
		f.variance = func() (mean, variance []float64, err error) { return p.Values, p.Variance, nil }
	}
	if p.Low != nil {
		f.interval = func() (low, high []float64, err error) { return p.Low, p.High, nil }
	}
	matrix := func(rows [][]float64) func() (*mat.Dense, error) {
		if rows == nil {
			return nil
		}
		return func() (*mat.Dense, error) {
			out := mat.NewDense(len(rows), len(p.Classes), nil)
			for i, row := range rows {
				if len(row) != len(p.Classes) {
					return nil, fmt.Errorf("row %d has %d numbers, want %d", i, len(row), len(p.Classes))
				}
				out.SetRow(i, row)
			}
			return out, nil
		}
	}
	f.proba, f.scores = matrix(p.Proba), matrix(p.Scores)
	if f.scores == nil {
		f.scores = f.proba
	}
	return f
}
