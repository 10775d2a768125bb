package scalers

import (
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*StandardScaler]("transformers.StandardScaler", registry.Type{})
	registry.Add[*RMSScaler]("transformers.RMSScaler", registry.Type{})
	registry.Add[*MinMaxScaler]("transformers.MinMaxScaler", registry.Type{})
	registry.Add[*UnitRows]("transformers.UnitRows", registry.Type{})
}

var (
	_ rowmap.Complete = (*StandardScaler)(nil)
	_ rowmap.Complete = (*RMSScaler)(nil)
	_ rowmap.Complete = (*MinMaxScaler)(nil)
	_ rowmap.Complete = (*UnitRows)(nil)
)
