package pipeline

import (
	"fmt"

	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Regressor]("pipeline.Regressor", registry.Type{Parts: func(v any) []registry.Part { return v.(*Regressor).parts() }})
	registry.Add[*Classifier]("pipeline.Classifier", registry.Type{Parts: func(v any) []registry.Part { return v.(*Classifier).parts() }})
	registry.Add[*MultiRegressor]("pipeline.MultiRegressor", registry.Type{
		Parts: func(v any) []registry.Part { return v.(*MultiRegressor).parts() },
	})
	registry.Add[*Transformer]("pipeline.Transformer",
		registry.Type{Parts: func(v any) []registry.Part { return stepParts(v.(*Transformer).FittedSteps()) }})
	registry.Add[*ColumnTransformer]("pipeline.ColumnTransformer", registry.Type{Parts: func(v any) (out []registry.Part) {
		for i, p := range v.(*ColumnTransformer).FittedParts() {
			if p.Of != nil {
				out = append(out, registry.Part{Name: fmt.Sprintf("Parts[%d]", i), Value: p.Of})
			}
		}
		return out
	}})
}

func stepParts(steps []transformers.Transformer) (out []registry.Part) {
	for i, s := range steps {
		out = append(out, registry.Part{Name: fmt.Sprintf("Steps[%d]", i), Value: s})
	}
	return out
}
