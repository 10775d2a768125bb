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
}

var (
	_ Complete = (*StandardScaler)(nil)
	_ Complete = (*RMSScaler)(nil)
	_ Complete = (*MinMaxScaler)(nil)
	_ Complete = (*UnitRows)(nil)

	_ BlockFitter = (*StandardScaler)(nil)
	_ BlockFitter = (*RMSScaler)(nil)
	_ BlockFitter = (*MinMaxScaler)(nil)
	_ BlockFitter = (*UnitRows)(nil)

	_ Inverter = (*StandardScaler)(nil)
	_ Inverter = (*RMSScaler)(nil)
	_ Inverter = (*MinMaxScaler)(nil)
)
