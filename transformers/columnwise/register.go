package columnwise

import (
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*PowerTransformer]("transformers.PowerTransformer", registry.Type{})
	registry.Add[*QuantileTransformer]("transformers.QuantileTransformer", registry.Type{})
	registry.Add[*Winsorizer]("transformers.Winsorizer", registry.Type{})
	registry.Add[*Imputer]("transformers.Imputer", registry.Type{})
	registry.Add[*OneHot]("transformers.OneHot", registry.Type{})
	registry.Add[*TargetEncoder]("transformers.TargetEncoder", registry.Type{})
}

var (
	_ transformers.Transformer  = (*PowerTransformer)(nil)
	_ transformers.Transformer  = (*QuantileTransformer)(nil)
	_ transformers.Transformer  = (*Winsorizer)(nil)
	_ transformers.Transformer  = (*Imputer)(nil)
	_ transformers.Transformer  = (*OneHot)(nil)
	_ transformers.TargetFitter = (*TargetEncoder)(nil)
)
