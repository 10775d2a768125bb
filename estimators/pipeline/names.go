package pipeline

import (
	"slices"

	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

// FeatureNames returns the names of the columns that Final gets, given the names of the columns of the rows. If
// those are nil, they are x0, x1, and so on. The steps must have FeatureNames. Errors: ErrNotFitted, ErrShape, and
// one that wraps errors.ErrUnsupported.
func (p *Regressor) FeatureNames(in []string) ([]string, error) {
	return p.featureNames(regressorName, in)
}

// FeatureNames returns the names of the columns that Final gets, as in [Regressor].
func (p *Classifier) FeatureNames(in []string) ([]string, error) {
	return p.featureNames(classifierName, in)
}

// FeatureNames returns the names of the columns that Final gets, as in [Regressor].
func (p *MultiRegressor) FeatureNames(in []string) ([]string, error) {
	return p.featureNames(multiName, in)
}

// FeatureNames implements [transformers.FeatureNamer] where the steps do.
func (t *Transformer) FeatureNames(in []string) ([]string, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(t.name())
	}
	names, err := stream.InputNames(t.name(), in, t.fitted.Width)
	if err != nil {
		return nil, err
	}
	names = slices.Clone(names)
	for i, s := range t.fitted.Steps {
		if names, err = transformers.NamesOf(s, names); err != nil {
			return nil, fault.AddPlace(t.stepName(i, s), err)
		}
	}
	return names, nil
}
