package pca

import (
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*PCA]("transformers.PCA", registry.Type{})
	registry.Add[*KernelPCA]("transformers.KernelPCA", registry.Type{})
}

var (
	_ transformers.Transformer = (*PCA)(nil)
	_ transformers.Transformer = (*KernelPCA)(nil)
)
