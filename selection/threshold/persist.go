package threshold

import (
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/internal/codec"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/internal/registry"
)

const version = 1

// stored is the form of a Classifier's model in a file.
type stored struct {
	Chosen   estimators.NestedModel
	Positive int // index of Positive in the classes
	// Choice holds the threshold, the precision, the recall and the score.
	Choice codec.Floats
}

// Model files contain the name of this type (see package modelfile).
func init() {
	registry.Add[*Classifier](classifierKind, registry.Type{Parts: func(v any) []registry.Part {
		if c := v.(*Classifier); c.m != nil {
			return []registry.Part{{Name: "Estimator", Value: c.m.chosen}}
		}
		return nil
	}})
}

// MarshalBinary encodes the fitted Estimator and the choice. The error wraps errors.ErrUnsupported if Estimator has no
// MarshalBinary.
func (c *Classifier) MarshalBinary() ([]byte, error) {
	m, err := c.fitted()
	if err != nil {
		return nil, err
	}
	s := stored{Positive: m.positive, Choice: codec.Floats{m.choice.Threshold, m.choice.Precision, m.choice.Recall, m.choice.Score}}
	if s.Chosen, err = estimators.NestModel(classifierType, m.chosen); err != nil {
		return nil, err
	}
	return codec.Marshal(classifierKind, version, s)
}

// UnmarshalBinary decodes the output of MarshalBinary into a Classifier with the same Estimator. Errors wrap
// [estimators.ErrBadModel] and leave c unchanged.
func (c *Classifier) UnmarshalBinary(data []byte) error {
	var s stored
	if _, err := codec.Unmarshal(data, classifierKind, version, &s); err != nil {
		return err
	}
	clone := estimators.Clone(c.estimator())
	if err := s.Chosen.UnmarshalInto(classifierKind, "estimator", clone); err != nil {
		return err
	}
	names := slices.Clone(clone.Classes())
	if s.Positive < 0 || s.Positive >= len(names) || len(names) < 2 {
		return fault.BadModel(classifierKind, "class %d of %d", s.Positive, len(names))
	}
	if !estimators.Supports(clone, estimators.Proba) {
		return fault.BadModel(classifierKind, "the estimator has no probabilities")
	}
	if len(s.Choice) != 4 || s.Choice[0] != s.Choice[0] {
		return fault.BadModel(classifierKind, "a choice of %d numbers, want 4", len(s.Choice))
	}
	c.m = &model{chosen: clone, classes: names, positive: s.Positive,
		choice: Choice{Threshold: s.Choice[0], Precision: s.Choice[1], Recall: s.Choice[2], Score: s.Choice[3]}}
	return nil
}
