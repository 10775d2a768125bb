package columnwise

import (
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers/internal/rowmap"
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
	_ rowmap.Complete = (*PowerTransformer)(nil)
	_ rowmap.Complete = (*QuantileTransformer)(nil)
	_ rowmap.Complete = (*Winsorizer)(nil)
	_ rowmap.Complete = (*Imputer)(nil)
	_ rowmap.Complete = (*OneHot)(nil)
)
