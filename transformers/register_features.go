package transformers

import (
	"github.com/kernelearn/kernelearn/internal/registry"
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
	_ Complete = (*KernelMap)(nil)
	_ Complete = (*KernelCenterer)(nil)
	_ Complete = (*RandomHidden)(nil)
	_ Complete = (*RandomFourier)(nil)
	_ Complete = (*LocallyStationaryFourier)(nil)
	_ Complete = (*Nystroem)(nil)
)
