package transformers

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*StandardScaler]("transformers.StandardScaler", registry.Type{})
	registry.Add[*RMSScaler]("transformers.RMSScaler", registry.Type{})
	registry.Add[*MinMaxScaler]("transformers.MinMaxScaler", registry.Type{})
	registry.Add[*UnitRows]("transformers.UnitRows", registry.Type{})
	registry.Add[*PowerTransformer]("transformers.PowerTransformer", registry.Type{})
	registry.Add[*QuantileTransformer]("transformers.QuantileTransformer", registry.Type{})
	registry.Add[*Winsorizer]("transformers.Winsorizer", registry.Type{})
	registry.Add[*Imputer]("transformers.Imputer", registry.Type{})
	registry.Add[*OneHot]("transformers.OneHot", registry.Type{})
	registry.Add[*PCA]("transformers.PCA", registry.Type{})
	registry.Add[*KernelPCA]("transformers.KernelPCA", registry.Type{})
	registry.Add[*KernelMap]("transformers.KernelMap", registry.Type{})
	registry.Add[*KernelCenterer]("transformers.KernelCenterer", registry.Type{})
	registry.Add[*RandomHidden]("transformers.RandomHidden", registry.Type{})
	registry.Add[*RandomFourier]("transformers.RandomFourier", registry.Type{})
	registry.Add[*LocallyStationaryFourier]("transformers.LocallyStationaryFourier", registry.Type{})
	registry.Add[*Nystroem]("transformers.Nystroem", registry.Type{})
}
