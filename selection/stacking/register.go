package stacking

import (
	"fmt"

	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Regressor](regressorKind, registry.Type{Parts: func(v any) []registry.Part { return v.(*Regressor).f.nested() }})
	registry.Add[*Classifier](classifierKind, registry.Type{Parts: func(v any) []registry.Part { return v.(*Classifier).f.nested() }})
}

// nested returns the models that have a share.
func (f *fitted[E]) nested() (out []registry.Part) {
	if f == nil {
		return nil
	}
	for k, p := range f.parts {
		out = append(out, registry.Part{Name: fmt.Sprintf("Models[%d]", f.of[k]), Value: p.Model})
	}
	return out
}
