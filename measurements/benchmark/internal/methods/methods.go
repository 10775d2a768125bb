// Package methods lists the compared methods: the estimators of this module, of golearn, and of other programs. It fits them and
// measures the errors of their predictions.
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

// The sources of methods.
const (
	BaselineSource = "baseline"
	OursSource     = "kernelearn"
	GolearnSource  = "golearn"
	SklearnSource  = "scikit-learn"
	KernlabSource  = "kernlab"
	BoosterSource  = "boosting" // LightGBM, XGBoost, CatBoost
	TorchSource    = "pytorch"  // xRFM, Falkon, GPyTorch, pytabkit
)

// Sources lists the compared sources in the order of the report.
var Sources = []string{OursSource, GolearnSource, SklearnSource, KernlabSource, BoosterSource, TorchSource}

// Method is a method with its settings. Its constructor is nil for a task that it does not support. Otherwise the constructor
// returns a new, unfitted estimator, which scales its features itself.
type Method struct {
	Name   string
	Source string
	// Configuration describes the method. It is written to the report and to each finished cell. Cells with another configuration
	// are not reused, so it must change when the method does.
	Configuration string
	Regressor     func(seed uint64) estimators.Regressor
	classifier    func(seed uint64) estimators.Classifier
	tasks         []string // set for a peer's method, which has no constructor
	Unrepeatable  bool     // set if another run returns other numbers
	Env           []string // additional environment of its process
}

// All lists all methods. A new method is added to one of these lists.
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

// Fits reports whether the method supports a task.
func (m Method) Fits(task string) bool {
	switch {
	case m.IsPeer():
		return slices.Contains(m.tasks, task)
	case task == RegressionTask:
		return m.Regressor != nil
	}
	return m.classifier != nil
}

// IsPeer reports whether another program runs the method.
func (m Method) IsPeer() bool { return m.tasks != nil }

// IsServed reports whether the method runs in a Python process that computes several cells.
func (m Method) IsServed() bool { return m.IsPeer() && m.Source != KernlabSource }

func Named(name string) (Method, bool) {
	i := slices.IndexFunc(All, func(m Method) bool { return m.Name == name })
	if i < 0 {
		return Method{}, false
	}
	return All[i], true
}

// SourceOf returns the source of the method with the given name.
func SourceOf(name string) string {
	m, _ := Named(name)
	return m.Source
}

// Choose returns the methods of a comma-separated list in the order of the table. The name of a source selects all its methods, and
// "" selects all methods whose program is available.
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
	if !slices.Contains(names, Budgeted) && !slices.ContainsFunc(out, func(m Method) bool { return m.Name == BudgetOf }) {
		out = slices.DeleteFunc(out, func(m Method) bool { return m.Name == Budgeted }) // it has no budget
	}
	return out, nil
}

const (
	RegressionTask     = "regression"
	ClassificationTask = "classification"
)
