package selection

import (
	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/selection/internal/average"
)

func meanOfRegressors(parts []*fitted[estimators.Regressor]) estimators.Regressor {
	m := average.NewRegressor(regressorType, averaged(parts))
	m.VarianceFactor, m.Transformation = parts[0].result.VarianceFactor, parts[0].transformation
	return m
}

func meanOfClassifiers(parts []*fitted[estimators.Classifier]) estimators.Classifier {
	return average.NewClassifier(classifierType, averaged(parts))
}

// averaged returns the parts in the form that package average expects.
func averaged[E any](parts []*fitted[E]) []average.Part[E] {
	out := make([]average.Part[E], len(parts))
	for i, p := range parts {
		out[i] = average.Part[E]{Share: p.result.Share, Model: p.inner, Chain: p.chain}
	}
	return out
}
