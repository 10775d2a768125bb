package calibration

import (
	"github.com/kernelearn/kernelearn/internal/registry"
)

// Model files contain the names of these types (see package modelfile).
func init() {
	registry.Add[*Classifier]("calibration.Classifier", registry.Type{Parts: func(v any) []registry.Part {
		if c := v.(*Classifier); c.m != nil {
			return []registry.Part{{Name: "Estimator", Value: c.m.chosen}}
		}
		return nil
	}})
}
