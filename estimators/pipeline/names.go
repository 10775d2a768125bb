package pipeline

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
