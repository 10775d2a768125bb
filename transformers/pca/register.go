package pca

import (
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*PCA]("transformers.PCA", registry.Type{})
	registry.Add[*KernelPCA]("transformers.KernelPCA", registry.Type{})
}

var (
	_ rowmap.Complete = (*PCA)(nil)
	_ rowmap.Complete = (*KernelPCA)(nil)
)
