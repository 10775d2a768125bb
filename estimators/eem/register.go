package eem

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Classifier]("eem.Classifier", registry.Type{})
	registry.Add[*KernelClassifier]("eem.KernelClassifier", registry.Type{})
}
