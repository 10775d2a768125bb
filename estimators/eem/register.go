package eem

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Classifier]("eem.Classifier", registry.Type{})
	registry.Add[*KernelClassifier]("eem.KernelClassifier", registry.Type{})
}
