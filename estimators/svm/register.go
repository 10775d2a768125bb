package svm

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Regressor]("svm.Regressor", registry.Type{})
	registry.Add[*Classifier]("svm.Classifier", registry.Type{})
	registry.Add[*OneClass]("svm.OneClass", registry.Type{})
}
