package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline"
	"github.com/kernelearn/kernelearn/transformers"
	"github.com/kernelearn/kernelearn/transformers/scalers"
)

// Where a method comes from.
const (
	baselineSource = "baseline"
	oursSource     = "kernelearn"
	golearnSource  = "golearn"
	sklearnSource  = "scikit-learn"
	kernlabSource  = "kernlab"
	boosterSource  = "boosting" // LightGBM, XGBoost, CatBoost
	torchSource    = "pytorch"  // xRFM, Falkon
)

// sources are those that are compared, in the order of the report.
var sources = []string{oursSource, golearnSource, sklearnSource, kernlabSource, boosterSource, torchSource}

// method is one way to learn. The constructor of a task that it is not for is nil;
// the others return a new, unfitted estimator, which scales its features itself.
type method struct {
	name   string
	source string
	// configuration says what the method is. It is in the report and in each
	// finished cell: cells of another configuration are not taken for this one, so
	// it changes when the method does.
	configuration string
	regressor     func(seed uint64) estimators.Regressor
	classifier    func(seed uint64) estimators.Classifier
	tasks         []string // of a peer, which has no constructor
	unrepeatable  bool     // gives other numbers in another run
	env           []string // what its process has in its environment besides
}

// methods are all there are. To add one is to add its entry.
var methods = slices.Concat(baselines, ours, golearnMethods, peerMethods)

var baselines = []method{
	{
		name: "mean", source: baselineSource,
		configuration: "predicts the mean of the training targets",
		regressor:     func(uint64) estimators.Regressor { return &meanRegressor{} },
	},
	{
		name: "majority", source: baselineSource,
		configuration: "predicts the class with the most training rows, of equals the first",
		classifier:    func(uint64) estimators.Classifier { return &majorityClassifier{} },
	},
}

func zScore() []transformers.Transformer {
	return []transformers.Transformer{&scalers.StandardScaler{}}
}

func regression(final estimators.Regressor) estimators.Regressor {
	return &pipeline.Regressor{Steps: zScore(), Final: final}
}

func classification(final estimators.Classifier) estimators.Classifier {
	return &pipeline.Classifier{Steps: zScore(), Final: final}
}

// fits says whether the method is for a task.
func (m method) fits(task string) bool {
	switch {
	case m.isPeer():
		return slices.Contains(m.tasks, task)
	case task == regressionTask:
		return m.regressor != nil
	}
	return m.classifier != nil
}

// isPeer says whether another program does the work.
func (m method) isPeer() bool { return m.tasks != nil }

// isServed says whether a Python process does the work that stays up over cells.
func (m method) isServed() bool { return m.isPeer() && m.source != kernlabSource }

func methodNamed(name string) (method, bool) {
	i := slices.IndexFunc(methods, func(m method) bool { return m.name == name })
	if i < 0 {
		return method{}, false
	}
	return methods[i], true
}

// sourceOf is where a method comes from, by its name.
func sourceOf(name string) string {
	m, _ := methodNamed(name)
	return m.source
}

// methodsNamed returns the methods of a comma separated list in the order of the
// table. A name may be that of a source, for all of its methods. For "" it is all whose
// program there is.
func methodsNamed(list string, programs programs) ([]method, error) {
	names := strings.Split(list, ",")
	var known []string
	for _, m := range methods {
		known = append(known, m.name)
	}
	for _, name := range names {
		if list != "" && !slices.Contains(known, name) && !slices.Contains(sources, name) {
			return nil, fmt.Errorf("-methods %s: no such method; there are %s, and the sources %s", name, strings.Join(known, ", "),
				strings.Join(sources, ", "))
		}
	}
	var out []method
	for _, m := range methods {
		named := slices.Contains(names, m.name) || slices.Contains(names, m.source)
		if list != "" && !named {
			continue
		}
		if m.isPeer() && programs.of(m) == "" {
			if list != "" {
				return nil, fmt.Errorf("-methods %s: %s is run by another program: name it with -python or -rscript", list, m.name)
			}
			continue
		}
		out = append(out, m)
	}
	return out, nil
}
