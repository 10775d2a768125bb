package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/eem"
	"github.com/kernelearn/kernelearn/estimators/elm"
	"github.com/kernelearn/kernelearn/estimators/lssvm"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/estimators/ridge"
	"github.com/kernelearn/kernelearn/estimators/rvm"
	"github.com/kernelearn/kernelearn/estimators/svm"
	"github.com/kernelearn/kernelearn/kernels"
	"github.com/kernelearn/kernelearn/selection"
	"github.com/kernelearn/kernelearn/transformers"
)

// method is one way to learn. The constructor of a task that it is not for is nil;
// the others return a new, unfitted estimator, which scales its features itself.
type method struct {
	name string
	// configuration says what the method is. It is in the report and in each
	// finished cell: cells of another configuration are not taken for this one, so
	// it changes when the method does.
	configuration string
	regressor     func(seed uint64) estimators.Regressor
	classifier    func(seed uint64) estimators.Classifier
}

// methods are all there are. To add one is to add its entry.
var methods = append([]method{
	{
		name:          "mean",
		configuration: "predicts the mean of the training targets",
		regressor:     func(uint64) estimators.Regressor { return &meanRegressor{} },
	},
	{
		name:          "majority",
		configuration: "predicts the class with the most training rows, of equals the first",
		classifier:    func(uint64) estimators.Classifier { return &majorityClassifier{} },
	},
	{
		name:          "ridge",
		configuration: "z-score; linear ridge regression, ridge by leave-one-out",
		regressor:     func(uint64) estimators.Regressor { return regression(&ridge.Regressor{}) },
	},
	{
		name:          "lssvm",
		configuration: "z-score; least-squares SVM, RBF of the median distance, ridge by leave-one-out",
		regressor:     func(uint64) estimators.Regressor { return regression(&lssvm.Regressor{}) },
		classifier:    func(uint64) estimators.Classifier { return classification(&lssvm.Classifier{}) },
	},
	{
		name:          "eem",
		configuration: fmt.Sprintf("z-score; extreme entropy machine, %d units of DataRBF, balanced", transformers.DefaultUnits),
		classifier:    func(seed uint64) estimators.Classifier { return classification(&eem.Classifier{Seed: seed}) },
	},
	{
		name:          "eekm",
		configuration: fmt.Sprintf("z-score; extreme entropy kernel machine, RBF of the median distance, %d landmarks, balanced", eem.DefaultComponents),
		classifier:    func(seed uint64) estimators.Classifier { return classification(&eem.KernelClassifier{Seed: seed}) },
	},
	{
		name:          "welm",
		configuration: fmt.Sprintf("z-score; weighted extreme learning machine, %d units of DataRBF, balanced, C = 1", transformers.DefaultUnits),
		classifier:    func(seed uint64) estimators.Classifier { return classification(&elm.Classifier{C: 1, Seed: seed}) },
	},
	{
		name:          "rvm",
		configuration: "z-score; relevance vector machine, RBF of the median distance",
		regressor:     func(uint64) estimators.Regressor { return regression(&rvm.Regressor{}) },
		classifier:    func(uint64) estimators.Classifier { return classification(&rvm.Classifier{}) },
	},
	{
		name:          "svm",
		configuration: fmt.Sprintf("z-score; support vector machine, RBF of the median distance, C = %v; of regression on targets scaled to unit variance, with a tube of %v", svm.DefaultC, svm.DefaultEpsilon),
		regressor:     func(uint64) estimators.Regressor { return regression(&scaledTarget{final: &svm.Regressor{}}) },
		classifier: func(seed uint64) estimators.Classifier {
			return classification(&svm.Classifier{Probabilities: true, Seed: seed})
		},
	},
	{
		name:          "rvm-entropy",
		configuration: "z-score; relevance vector machine, RBF by entropy",
		regressor: func(uint64) estimators.Regressor {
			return &selection.Regressor{Preprocess: zScore(), Build: func(k kernels.Kernel) estimators.Regressor { return &rvm.Regressor{Kernel: k} }}
		},
		classifier: func(uint64) estimators.Classifier {
			return &selection.Classifier{Preprocess: zScore(), Build: func(k kernels.Kernel) estimators.Classifier { return &rvm.Classifier{Kernel: k} }}
		},
	},
	{
		name:          "lssvm-entropy",
		configuration: "z-score; least-squares SVM, RBF by entropy, ridge by leave-one-out",
		regressor:     func(uint64) estimators.Regressor { return &selection.Regressor{Preprocess: zScore()} },
		classifier:    func(uint64) estimators.Classifier { return &selection.Classifier{Preprocess: zScore()} },
	},
	{
		name:          "lssvm-grid",
		configuration: fmt.Sprintf("z-score; least-squares SVM, RBF by a grid of %d points in %d folds, ridge by leave-one-out", selection.DefaultGridPoints, selection.DefaultFolds),
		regressor: func(seed uint64) estimators.Regressor {
			return &selection.Regressor{Preprocess: zScore(), Search: &selection.Grid{Splitter: selection.KFold{Seed: seed}}}
		},
		classifier: func(seed uint64) estimators.Classifier {
			return &selection.Classifier{Preprocess: zScore(), Search: &selection.Grid{Splitter: selection.StratifiedKFold{Seed: seed}}}
		},
	},
}, cgoMethods...)

func zScore() []transformers.Transformer {
	return []transformers.Transformer{&transformers.StandardScaler{}}
}

func regression(final estimators.Regressor) estimators.Regressor {
	return &pipeline.Regressor{Steps: zScore(), Final: final}
}

func classification(final estimators.Classifier) estimators.Classifier {
	return &pipeline.Classifier{Steps: zScore(), Final: final}
}

// fits says whether the method is for a task.
func (m method) fits(task string) bool {
	if task == regressionTask {
		return m.regressor != nil
	}
	return m.classifier != nil
}

func methodNamed(name string) (method, bool) {
	i := slices.IndexFunc(methods, func(m method) bool { return m.name == name })
	if i < 0 {
		return method{}, false
	}
	return methods[i], true
}

// methodsNamed returns the methods of a comma separated list in the order of the
// table, all of them for "".
func methodsNamed(list string) ([]method, error) {
	if list == "" {
		return methods, nil
	}
	names := strings.Split(list, ",")
	for _, name := range names {
		if _, ok := methodNamed(name); !ok {
			var known []string
			for _, m := range methods {
				known = append(known, m.name)
			}
			return nil, fmt.Errorf("-methods %s: no such method; there are %s", name, strings.Join(known, ", "))
		}
	}
	var out []method
	for _, m := range methods {
		if slices.Contains(names, m.name) {
			out = append(out, m)
		}
	}
	return out, nil
}
