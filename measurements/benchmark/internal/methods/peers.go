package methods

import (
	"fmt"
	"os"
	"path/filepath"
)

var bothTasks = []string{RegressionTask, ClassificationTask}

// boostingSearch describes how the boosting libraries are tuned.
const boostingSearch = "its defaults and 9 settings at random with early stopping after at most 1000 rounds, by 3 folds up to 5000 rows " +
	"and by a fifth of the rows above, while half the budget lasts"

// OfPeers lists the methods that other programs run under these names. The programs are peers/cells.py, in a process that computes
// several cells, and peers/cells.R.
var OfPeers = []Method{
	{
		Name: "sklearn-kernel-ridge", Source: SklearnSource, tasks: []string{RegressionTask},
		Configuration: "z-score, targets too; KernelRidge, RBF, α = 1, γ = 1/d",
	},
	{
		Name: "sklearn-kernel-ridge-grid", Source: SklearnSource, tasks: []string{RegressionTask},
		Configuration: fmt.Sprintf("z-score, targets too; KernelRidge, RBF, α of 0.001, 0.01, 0.1, 1 and γ of %v/d by GridSearchCV in 3 "+
			"folds",
			machineScales),
	},
	{
		Name: "sklearn-svm", Source: SklearnSource, tasks: bothTasks,
		Configuration: "z-score, targets too; SVC with probabilities, SVR, defaults",
	},
	{
		Name: "sklearn-svm-grid", Source: SklearnSource, tasks: bothTasks,
		Configuration: fmt.Sprintf("z-score, targets too; SVC, SVR, C of %v and γ of %v/d by GridSearchCV in 3 folds, then with "+
			"probabilities",
			machineCosts, machineScales),
	},
	{
		Name: "sklearn-gp", Source: SklearnSource, tasks: bothTasks,
		Configuration: "z-score; GaussianProcessRegressor of a constant times RBF, and noise, targets normalised; " +
			"GaussianProcessClassifier " +
			"of a constant times RBF",
	},
	{
		Name: "sklearn-nystroem", Source: SklearnSource, tasks: bothTasks,
		Configuration: "z-score; Nystroem, 500 landmarks, RBF, γ = 1/d, and RidgeCV or RidgeClassifierCV with 13 α from 1e-6 to 1e6",
	},
	{
		Name: "sklearn-fourier", Source: SklearnSource, tasks: bothTasks,
		Configuration: "z-score; RBFSampler, 500 features, γ = 1/d, and RidgeCV or RidgeClassifierCV with 13 α from 1e-6 to 1e6",
	},
	{
		Name: "sklearn-lda", Source: SklearnSource, tasks: []string{ClassificationTask},
		Configuration: "z-score; LinearDiscriminantAnalysis by least squares, Ledoit-Wolf shrinkage",
	},
	{
		Name: "sklearn-forest", Source: SklearnSource, tasks: bothTasks,
		Configuration: "RandomForestClassifier, RandomForestRegressor, defaults (100 trees)",
	},
	{
		Name: "sklearn-gp-columns", Source: SklearnSource, tasks: bothTasks,
		Configuration: "z-score; Matern 3/2 with a length scale for each column, times a constant: GaussianProcessRegressor with noise, " +
			"targets normalised; GaussianProcessClassifier",
	},
	{
		Name: "sklearn-nu-svm-grid", Source: SklearnSource, tasks: bothTasks,
		Configuration: fmt.Sprintf("z-score, targets too; NuSVC with ν of 0.01, 0.03, 0.1, 0.2, 0.35, 0.5 and γ of %v/d, then with "+
			"probabilities; NuSVR with C of %v, ν of 0.2, 0.5, 0.8 and γ of 0.03, 0.1, 0.3, 1, 3 over d; by GridSearchCV in 3 folds",
			machineScales,
			machineCosts),
	},
	{
		Name: "sklearn-nystroem-grid", Source: SklearnSource, tasks: bothTasks,
		Configuration: fmt.Sprintf("z-score, targets too; Nystroem, 500 landmarks, RBF, γ of %v/d, and Ridge, α of 0.001, 0.01, 0.1, 1, "+
			"or "+
			"LogisticRegression, C of %v, by GridSearchCV in 3 folds", machineScales, machineCosts),
	},
	{
		Name: "sklearn-extra-trees", Source: SklearnSource, tasks: bothTasks,
		Configuration: "ExtraTreesClassifier, ExtraTreesRegressor, defaults (100 trees)",
	},
	{
		Name: "sklearn-extra-trees-tuned", Source: SklearnSource, tasks: bothTasks,
		Configuration: "extra trees, 300 of them: defaults and settings at random, of the share of the columns and the rows of a leaf, by 3 " +
			"folds up to 5000 rows and by a fifth of the rows above, while half the budget lasts",
	},
	{
		Name: "sklearn-boosting", Source: SklearnSource, tasks: bothTasks,
		Configuration: "HistGradientBoostingClassifier, HistGradientBoostingRegressor, defaults",
	},
	{
		Name: "sklearn-boosting-tuned", Source: SklearnSource, tasks: bothTasks,
		Configuration: "HistGradientBoosting, " + boostingSearch + ": learning rate, leaves, rows of a leaf, share of the columns, L2",
	},
	{
		Name: "lightgbm", Source: BoosterSource, tasks: bothTasks,
		Configuration: "LightGBM, defaults (100 rounds)",
	},
	{
		Name: "lightgbm-tuned", Source: BoosterSource, tasks: bothTasks,
		Configuration: "LightGBM, " + boostingSearch + ": learning rate, leaves, rows of a leaf, shares of the rows and columns, L2",
	},
	{
		Name: "xgboost-tuned", Source: BoosterSource, tasks: bothTasks,
		Configuration: "XGBoost, " + boostingSearch + ": learning rate, depth, weight of a leaf, shares of the rows and columns, L2",
	},
	{
		Name: "catboost-tuned", Source: BoosterSource, tasks: bothTasks,
		Configuration: "CatBoost, " + boostingSearch + ": learning rate, depth, shares of the rows and columns, L2",
	},
	{
		Name: "xrfm", Source: TorchSource, tasks: bothTasks,
		Configuration: "z-score, targets too; xRFM, Laplace kernel, bandwidth of 1, 3, 10, 30 and regularisation of 1e-4, 1e-2, 1 by the " +
			"squared error or Brier score of a fifth of the rows, while half the budget lasts",
	},
	{
		Name: "falkon-python", Source: TorchSource, tasks: bothTasks,
		Configuration: "z-score, targets too; Falkon, 2000 centres, Gaussian kernel, widths of 0.3, 1, 3, 10 times √d and penalties of " +
			"1e-8, " +
			"1e-6, 1e-4 by a fifth of the rows, while half the budget lasts",
	},
	{
		Name: "gpytorch", Source: TorchSource, tasks: []string{RegressionTask},
		Configuration: "z-score, targets too; Matérn 5/2 with a length for each column: exact up to 5000 rows, 50 steps of Adam; above a " +
			"variational Gaussian process with 512 inducing points, 40 epochs of batches of 512; while half the budget lasts",
	},
	{
		Name: "pytabkit-realmlp", Source: TorchSource, tasks: bothTasks,
		Configuration: "RealMLP of pytabkit with its tuned defaults",
	},
	{
		Name: "kernlab-rvm", Source: KernlabSource, tasks: []string{RegressionTask},
		Configuration: "z-score, targets too; rvm, RBF, sigma of its own estimate",
	},
	{
		Name: "kernlab-gausspr", Source: KernlabSource, tasks: bothTasks,
		Configuration: "z-score, targets too; gausspr, RBF, sigma of its own estimate, defaults",
	},
	{
		Name: "kernlab-ksvm", Source: KernlabSource, tasks: bothTasks,
		Configuration: "z-score, targets too; ksvm with probabilities, RBF, sigma of its own estimate, C = 1",
	},
}

// Programs holds the paths of the programs that run peers. The path of a missing program is empty.
type Programs struct{ Python, Rscript, Scripts string }

// Of returns the program that runs a peer's method, or "".
func (p Programs) Of(m Method) string {
	switch m.Source {
	case SklearnSource, BoosterSource, TorchSource:
		return p.Python
	case KernlabSource:
		return p.Rscript
	}
	return ""
}

// Command returns the command that runs a peer's method, or nil for other methods.
func (p Programs) Command(m Method) []string {
	switch {
	case !m.IsPeer():
		return nil
	case m.IsServed():
		return []string{p.Python, filepath.Join(p.Scripts, "cells.py")}
	}
	return []string{p.Rscript, filepath.Join(p.Scripts, "cells.R")}
}

// There returns an error if scripts of the peers among the methods are missing. Without this check, all cells of these peers would
// fail.
func (p Programs) There(methods []Method) error {
	for _, m := range methods {
		command := p.Command(m)
		if command == nil {
			continue
		}
		if _, err := os.Stat(command[1]); err != nil {
			return fmt.Errorf("-scripts %s: %w: name the folder measurements/benchmark/peers", p.Scripts, err)
		}
	}
	return nil
}

// Missing is a method whose library is missing.
type Missing struct {
	Method string `json:"method"`
	Reason string `json:"reason"`
}

func (m Missing) String() string { return fmt.Sprintf("missing: %s: %s", m.Method, m.Reason) }
