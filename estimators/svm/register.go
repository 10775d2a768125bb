package svm

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Regressor]("svm.Regressor", registry.Type{})
	registry.Add[*Classifier]("svm.Classifier", registry.Type{})
	registry.Add[*OneClass]("svm.OneClass", registry.Type{})
}
