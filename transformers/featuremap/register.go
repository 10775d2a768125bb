package featuremap

import (
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*KernelMap]("transformers.KernelMap", registry.Type{})
	registry.Add[*KernelCenterer]("transformers.KernelCenterer", registry.Type{})
	registry.Add[*RandomHidden]("transformers.RandomHidden", registry.Type{})
	registry.Add[*RandomFourier]("transformers.RandomFourier", registry.Type{})
	registry.Add[*LocallyStationaryFourier]("transformers.LocallyStationaryFourier", registry.Type{})
	registry.Add[*Nystroem]("transformers.Nystroem", registry.Type{})
}

var (
	_ transformers.Transformer = (*KernelMap)(nil)
	_ transformers.Transformer = (*KernelCenterer)(nil)
	_ transformers.Transformer = (*RandomHidden)(nil)
	_ transformers.Transformer = (*RandomFourier)(nil)
	_ transformers.Transformer = (*LocallyStationaryFourier)(nil)
	_ transformers.Transformer = (*Nystroem)(nil)
)
