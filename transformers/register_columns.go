package transformers

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*PowerTransformer]("transformers.PowerTransformer", registry.Type{})
	registry.Add[*QuantileTransformer]("transformers.QuantileTransformer", registry.Type{})
	registry.Add[*Winsorizer]("transformers.Winsorizer", registry.Type{})
	registry.Add[*Imputer]("transformers.Imputer", registry.Type{})
	registry.Add[*OneHot]("transformers.OneHot", registry.Type{})
}

var (
	_ Complete = (*PowerTransformer)(nil)
	_ Complete = (*QuantileTransformer)(nil)
	_ Complete = (*Winsorizer)(nil)
	_ Complete = (*Imputer)(nil)
	_ Complete = (*OneHot)(nil)

	_ BlockFitter = (*PowerTransformer)(nil)
	_ BlockFitter = (*QuantileTransformer)(nil)
	_ BlockFitter = (*Winsorizer)(nil)
	_ BlockFitter = (*Imputer)(nil)
	_ BlockFitter = (*OneHot)(nil)

	_ Inverter = (*PowerTransformer)(nil)
	_ Inverter = (*QuantileTransformer)(nil)
)
