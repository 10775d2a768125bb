package golearn

import (
	"github.com/kernelearn/kernelearn/adapters/golearn/internal/gridtable"
	"github.com/kernelearn/kernelearn/internal/registry"
	"github.com/kernelearn/kernelearn/transformers"
)

// Model files contain the names of these types (see package modelfile). They do not contain functions, such as the function of a
// Filter step, or New of the last two types.
func init() {
	registry.Add[*Classifier]("golearn.Classifier", registry.Type{Names: namesOf, Parts: func(v any) []registry.Part {
		return partOf(v.(*Classifier).Fitted())
	}})
	registry.Add[*Regressor]("golearn.Regressor", registry.Type{Names: namesOf, Parts: func(v any) []registry.Part {
		return partOf(v.(*Regressor).Fitted())
	}})
	registry.Add[*Pipeline]("golearn.Pipeline", registry.Type{Names: namesOf, Parts: func(v any) []registry.Part {
		return []registry.Part{{Name: "Final", Value: v.(*Pipeline).Fitted()}}
	}})
	registry.Add[*Bagging]("golearn.Bagging", registry.Type{Names: namesOf, Needs: []string{"New"}})
	registry.Add[*Refitted]("golearn.Refitted", registry.Type{Names: namesOf, Needs: []string{"New"}})
	registry.Stand(Step.stored, readStep, Step{})
}

func partOf(fitted any) []registry.Part {
	return []registry.Part{{Name: "Estimator", Value: fitted}}
}

// namesOf returns the names of the attributes that a model reads, and of its classes.
func namesOf(v any) (columns, classes []string) {
	if o, ok := v.(interface{ model() model }); ok && o.model() != nil {
		columns = gridtable.Names(o.model().reads().Columns)
	}
	if l, ok := v.(interface{ Labels() []string }); ok {
		classes = l.Labels()
	}
	return columns, classes
}

// storedStep is the form of a Step with a transformer in a model file.
type storedStep struct{ Transform transformers.Transformer }

func (s Step) stored() (out storedStep, ok bool) { return storedStep{s.transform}, s.build == nil }

func readStep(s storedStep) Step { return Step{transform: s.Transform} }
