package selection

import (
	"fmt"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files name these types (package modelfile).
func init() {
	registry.Add[*Regressor]("selection.Regressor",
		registry.Type{Parts: func(v any) []registry.Part { return v.(*Regressor).f.nestedParts() }})
	registry.Add[*Classifier]("selection.Classifier",
		registry.Type{Parts: func(v any) []registry.Part { return v.(*Classifier).f.nestedParts() }})
	registry.Stand(Space[estimators.Regressor].stored, readSpace[estimators.Regressor], Space[estimators.Regressor]{left: true})
	registry.Stand(Space[estimators.Classifier].stored, readSpace[estimators.Classifier], Space[estimators.Classifier]{left: true})
}

// nestedParts returns the parts that a model file lists: the steps of Preprocess, and the estimator or the estimators of all
// scalings.
func (f *fitted[E]) nestedParts() (out []registry.Part) {
	if f == nil {
		return nil
	}
	for i, s := range f.chain.FittedSteps() {
		out = append(out, registry.Part{Name: fmt.Sprintf("Preprocess[%d]", i), Value: s})
	}
	if len(f.parts) == 0 {
		return append(out, registry.Part{Name: "Fitted", Value: f.inner})
	}
	for i, p := range f.parts {
		for _, one := range p.nestedParts() {
			one.Name = fmt.Sprintf("Fitted[%d] %s", i, one.Name)
			out = append(out, one)
		}
	}
	return out
}
