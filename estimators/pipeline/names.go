package pipeline

import (
	"github.com/kernelearn/kernelearn/internal/fault"
)

// FeatureNames returns the names of the columns that Final gets, given the names of the columns of the rows. If
// those are nil, they are x0, x1, and so on. The steps must have FeatureNames. Errors: ErrNotFitted, ErrShape, and
// one that wraps errors.ErrUnsupported.
func (p *Regressor) FeatureNames(in []string) ([]string, error) {
	if p.fitted == nil {
		return nil, fault.NotFitted(regressorName)
	}
	return p.fitted.steps.FeatureNames(in)
}

// FeatureNames returns the names of the columns that Final gets, as in [Regressor].
func (p *Classifier) FeatureNames(in []string) ([]string, error) {
	if p.fitted == nil {
		return nil, fault.NotFitted(classifierName)
	}
	return p.fitted.steps.FeatureNames(in)
}

// FeatureNames returns the names of the columns that Final gets, as in [Regressor].
func (p *MultiRegressor) FeatureNames(in []string) ([]string, error) {
	if p.fitted == nil {
		return nil, fault.NotFitted(multiName)
	}
	return p.fitted.steps.FeatureNames(in)
}
