// Package methods is the table of what the benchmark compares: this module's estimators, golearn's, and those of other
// programs, with how each learns and how its predictions are measured.
package methods

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
	BaselineSource = "baseline"
	OursSource     = "kernelearn"
	GolearnSource  = "golearn"
	SklearnSource  = "scikit-learn"
	KernlabSource  = "kernlab"
	BoosterSource  = "boosting" // LightGBM, XGBoost, CatBoost
	TorchSource    = "pytorch"  // xRFM, Falkon
)

// Sources are those that are compared, in the order of the report.
var Sources = []string{OursSource, GolearnSource, SklearnSource, KernlabSource, BoosterSource, TorchSource}

// Method is one way to learn. The constructor of a task that it is not for is nil;
// the others return a new, unfitted estimator, which scales its features itself.
type Method struct {
	Name   string
	Source string
	// Configuration says what the method is. It is in the report and in each
	// finished cell: cells of another configuration are not taken for this one, so
	// it changes when the method does.
	Configuration string
	Regressor     func(seed uint64) estimators.Regressor
	classifier    func(seed uint64) estimators.Classifier
	tasks         []string // of a peer, which has no constructor
	Unrepeatable  bool     // gives other numbers in another run
	Env           []string // what its process has in its environment besides
}

// All are all there are. To add one is to add its entry.
var All = slices.Concat(Baselines, Ours, OfGolearn, OfPeers)

var Baselines = []Method{
	{
		Name: "mean", Source: BaselineSource,
		Configuration: "predicts the mean of the training targets",
		Regressor:     func(uint64) estimators.Regressor { return &MeanRegressor{} },
	},
	{
		Name: "majority", Source: BaselineSource,
		Configuration: "predicts the class with the most training rows, of equals the first",
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

// Fits says whether the method is for a task.
func (m Method) Fits(task string) bool {
	switch {
	case m.IsPeer():
		return slices.Contains(m.tasks, task)
	case task == RegressionTask:
		return m.Regressor != nil
	}
	return m.classifier != nil
}

// IsPeer says whether another program does the work.
func (m Method) IsPeer() bool { return m.tasks != nil }

// IsServed says whether a Python process does the work that stays up over cells.
func (m Method) IsServed() bool { return m.IsPeer() && m.Source != KernlabSource }

func Named(name string) (Method, bool) {
	i := slices.IndexFunc(All, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, false
	}
	return All[i], true
}

// SourceOf is where a method comes from, by its name.
func SourceOf(name string) string {
	m, _ := Named(name)
	return m.Source
}

// Choose returns the methods of a comma separated list in the order of the
// table. A name may be that of a source, for all of its methods. For "" it is all whose
// program there is.
func Choose(list string, programs Programs) ([]Method, error) {
	names := strings.Split(list, ",")
	var known []string
	for _, m := range All {
		known = append(known, m.Name)
	}
	for _, name := range names {
		if list != "" && !slices.Contains(known, name) && !slices.Contains(Sources, name) {
			return nil, fmt.Errorf("-methods %s: no such method; there are %s, and the sources %s", name, strings.Join(known, ", "),
				strings.Join(Sources, ", "))
		}
	}
	var out []Method
	for _, m := range All {
		named := slices.Contains(names, m.Name) || slices.Contains(names, m.Source)
		if list != "" && !named {
			continue
		}
		if m.IsPeer() && programs.Of(m) == "" {
			if list != "" {
				return nil, fmt.Errorf("-methods %s: %s is run by another program: name it with -python or -rscript", list, m.Name)
			}
			continue
		}
		out = append(out, m)
	}
	return out, nil
}

const (
	RegressionTask     = "regression"
	ClassificationTask = "classification"
)
