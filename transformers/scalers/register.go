package scalers

import (
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*StandardScaler]("transformers.StandardScaler", registry.Type{})
	registry.Add[*RMSScaler]("transformers.RMSScaler", registry.Type{})
	registry.Add[*MinMaxScaler]("transformers.MinMaxScaler", registry.Type{})
	registry.Add[*UnitRows]("transformers.UnitRows", registry.Type{})
}

var (
	_ transformers.Transformer = (*StandardScaler)(nil)
	_ transformers.Transformer = (*RMSScaler)(nil)
	_ transformers.Transformer = (*MinMaxScaler)(nil)
	_ transformers.Transformer = (*UnitRows)(nil)
)
