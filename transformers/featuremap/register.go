package featuremap

import (
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*KernelMap]("transformers.KernelMap", registry.Type{})
	registry.Add[*KernelCenterer]("transformers.KernelCenterer", registry.Type{})
	registry.Add[*RandomHidden]("transformers.RandomHidden", registry.Type{})
	registry.Add[*RandomFourier]("transformers.RandomFourier", registry.Type{})
	registry.Add[*LocallyStationaryFourier]("transformers.LocallyStationaryFourier", registry.Type{})
	registry.Add[*Nystroem]("transformers.Nystroem", registry.Type{})
}

var (
	_ rowmap.Complete = (*KernelMap)(nil)
	_ rowmap.Complete = (*KernelCenterer)(nil)
	_ rowmap.Complete = (*RandomHidden)(nil)
	_ rowmap.Complete = (*RandomFourier)(nil)
	_ rowmap.Complete = (*LocallyStationaryFourier)(nil)
	_ rowmap.Complete = (*Nystroem)(nil)
)
