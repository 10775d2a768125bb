package conformal

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Regressor]("conformal.Regressor", registry.Type{
		Needs: []string{"Group", "LikelihoodRatio"},
		Parts: func(v any) []registry.Part {
			if r := v.(*Regressor); r.m != nil {
				return []registry.Part{{Name: "Estimator", Value: r.m.chosen}}
			}
			return nil
		},
	})
	registry.Add[*Classifier]("conformal.Classifier", registry.Type{Parts: func(v any) []registry.Part {
		if c := v.(*Classifier); c.m != nil {
			return []registry.Part{{Name: "Estimator", Value: c.m.chosen}}
		}
		return nil
	}})
}
