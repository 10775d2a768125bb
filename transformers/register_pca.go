package transformers

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*PCA]("transformers.PCA", registry.Type{})
	registry.Add[*KernelPCA]("transformers.KernelPCA", registry.Type{})
}

var (
	_ Complete = (*PCA)(nil)
	_ Complete = (*KernelPCA)(nil)

	_ BlockFitter = (*PCA)(nil)

	_ Inverter = (*PCA)(nil)
)
