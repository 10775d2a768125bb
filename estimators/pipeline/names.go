package pipeline

import (
	"slices"

	"github.com/kernelearn/kernelearn/estimators"
	"github.com/kernelearn/kernelearn/estimators/pipeline/internal/stream"
	"github.com/kernelearn/kernelearn/internal/fault"
	"github.com/kernelearn/kernelearn/transformers"
)

// FeatureNames returns the names of the columns that Final receives, given the names in of the columns of x. If in is nil, the
// names from the last Fit are used, or x0, x1, and so on. It returns ErrNotFitted or ErrShape. If a step has no FeatureNames, the
// error wraps errors.ErrUnsupported.
func (p *Regressor) FeatureNames(in []string) ([]string, error) {
	return p.featureNames(regressorName, in)
}

// FeatureNames returns the names of the columns that Final receives, as in [Regressor].
func (p *Classifier) FeatureNames(in []string) ([]string, error) {
	return p.featureNames(classifierName, in)
}

// FeatureNames returns the names of the columns that Final receives, as in [Regressor].
func (p *MultiRegressor) FeatureNames(in []string) ([]string, error) {
	return p.featureNames(multiName, in)
}

// SetColumnNames sets Names. It implements [estimators.ColumnNamer].
func (p *Regressor) SetColumnNames(names []string) { p.Names = names }

// ColumnNames implements [estimators.ColumnNamer].
func (p *Regressor) ColumnNames() []string { return p.columnNames() }

// SetColumnNames sets Names. It implements [estimators.ColumnNamer].
func (p *Classifier) SetColumnNames(names []string) { p.Names = names }

// ColumnNames implements [estimators.ColumnNamer].
func (p *Classifier) ColumnNames() []string { return p.columnNames() }

// SetColumnNames sets Names. It implements [estimators.ColumnNamer].
func (p *MultiRegressor) SetColumnNames(names []string) { p.Names = names }

// ColumnNames implements [estimators.ColumnNamer].
func (p *MultiRegressor) ColumnNames() []string { return p.columnNames() }

func (l *learnt[T, P, E]) columnNames() []string {
	if l.fitted == nil {
		return nil
	}
	return l.fitted.steps.ColumnNames()
}

// SetColumnNames sets Names. It implements [estimators.ColumnNamer].
func (t *Transformer) SetColumnNames(names []string) { t.Names = names }

// ColumnNames implements [estimators.ColumnNamer].
func (t *Transformer) ColumnNames() []string {
	if t.fitted == nil {
		return nil
	}
	return t.fitted.Names
}

// SetCategories sets the categories of the first of Steps. It implements [estimators.Categorizer], which it supports if the first
// step does.
func (t *Transformer) SetCategories(columns []int) {
	if len(t.Steps) > 0 {
		estimators.SetCategories(t.Steps[0], columns)
	}
}

// FeatureNames implements [transformers.FeatureNamer] if the steps do.
func (t *Transformer) FeatureNames(in []string) ([]string, error) {
	if t.fitted == nil {
		return nil, fault.NotFitted(t.name())
	}
	if in == nil {
		in = t.fitted.Names
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
